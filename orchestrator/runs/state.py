"""The states of runs and jobs, and which step leads from which to which. Pure: the one place that knows.

Run   planned ─► running ─► finished          Job   waiting ─► sent ─► running ─► done
         │ ▲        │ ▲  └─► failed                    ▲        │         │
         ▼ │        ▼ │                                └────────┴─────────┤  released, paused, resumed
        paused    paused    cancelled ─► (resumed)                        └─► cancelled · lost

Jobs of a later round (runs/scheduling/rounds.py) are planned until all of the round is in the database, then they wait.
"""

from enum import StrEnum

from orchestrator.errors import TransitionRefused


class RunState(StrEnum):
    """What a run is doing."""

    PLANNED = "planned"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"


class JobState(StrEnum):
    """Where a job is."""

    PLANNED = "planned"
    """Of a round that is not laid out to its end: never sent, and made anew if the scheduler died."""
    WAITING = "waiting"
    SENT = "sent"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    LOST = "lost"


class RunStep(StrEnum):
    """What can happen to a run."""

    LAY_OUT = "lay out"
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    FINISH = "finish"
    FAIL = "fail"


ENDED_RUNS = frozenset({RunState.FINISHED, RunState.CANCELLED, RunState.FAILED})
OPEN_JOBS = frozenset({JobState.WAITING, JobState.SENT, JobState.RUNNING})

_ALIVE = frozenset({RunState.PLANNED, RunState.RUNNING, RunState.PAUSED})

_RUN_STEPS: dict[RunStep, tuple[frozenset[RunState], RunState]] = {
    RunStep.LAY_OUT: (frozenset({RunState.PLANNED}), RunState.RUNNING),
    RunStep.PAUSE: (frozenset({RunState.PLANNED, RunState.RUNNING}), RunState.PAUSED),
    RunStep.RESUME: (frozenset({RunState.PAUSED, RunState.CANCELLED}), RunState.RUNNING),
    RunStep.CANCEL: (_ALIVE, RunState.CANCELLED),
    # A paused run's last job may end before its daemon hears of the pause.
    RunStep.FINISH: (frozenset({RunState.RUNNING, RunState.PAUSED}), RunState.FINISHED),
    RunStep.FAIL: (_ALIVE, RunState.FAILED),
}


def sources(step: RunStep) -> frozenset[RunState]:
    """Return the states in which this step is possible: the condition of a guarded update."""
    return _RUN_STEPS[step][0]


def after(state: str, step: RunStep, laid_out: bool = True) -> RunState:
    """Return the state that this step leads to; raise TransitionRefused where it is not possible.

    laid_out: whether all jobs of the run are in the database; a run that is resumed before that is planned again.
    """
    allowed, target = _RUN_STEPS[step]
    if state not in allowed:
        raise TransitionRefused(
            f"A run that is {state} cannot {step}; this needs {' or '.join(sorted(allowed))}.",
            remedy="Look at its state: ciphermark runs show.",
            state=str(state),
        )
    if step is RunStep.RESUME and not laid_out:
        return RunState.PLANNED
    return target


def verdict(lost_jobs: int, done_jobs: int) -> tuple[RunStep, str]:
    """Return how a run without open jobs ends, and why."""
    if lost_jobs:
        jobs = "1 job was" if lost_jobs == 1 else f"{lost_jobs} jobs were"
        return RunStep.FAIL, f"{jobs} lost, {done_jobs} ended; each says why."
    return RunStep.FINISH, ""
