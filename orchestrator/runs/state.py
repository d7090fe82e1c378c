"""States of runs and jobs, and the steps between them. Pure.

Run   planned ─► running ─► finished          Job   waiting ─► sent ─► running ─► done
         │ ▲        │ ▲  └─► failed                    ▲        │         │
         ▼ │        ▼ │                                └────────┴─────────┤  released, paused, resumed
        paused    paused    cancelled                                     └─► cancelled · lost ─► (resumed)

A paused, cancelled or failed run can be resumed: its cancelled and lost jobs wait again.

Jobs of a round (runs/scheduling/rounds.py) are planned until the layout of the round is complete, then they wait.
"""

from enum import StrEnum

from orchestrator.shared.errors import TransitionRefused


class RunState(StrEnum):
    """State of a run."""

    PLANNED = "planned"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"


class JobState(StrEnum):
    """State of a job."""

    PLANNED = "planned"
    """Part of a round whose layout is not complete: not sent, and written again if the scheduler stops."""
    WAITING = "waiting"
    SENT = "sent"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    LOST = "lost"


class RunStep(StrEnum):
    """Step from one state of a run to another."""

    LAY_OUT = "lay out"
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    FINISH = "finish"
    FAIL = "fail"


ENDED_RUNS = frozenset({RunState.FINISHED, RunState.CANCELLED, RunState.FAILED})
ENDED_EXECUTIONS = ("ok", "failed", "wrong", "disputed", "skipped")
OPEN_JOBS = frozenset({JobState.WAITING, JobState.SENT, JobState.RUNNING})

_ALIVE = frozenset({RunState.PLANNED, RunState.RUNNING, RunState.PAUSED})

_RUN_STEPS: dict[RunStep, tuple[frozenset[RunState], RunState]] = {
    RunStep.LAY_OUT: (frozenset({RunState.PLANNED}), RunState.RUNNING),
    RunStep.PAUSE: (frozenset({RunState.PLANNED, RunState.RUNNING}), RunState.PAUSED),
    RunStep.RESUME: (frozenset({RunState.PAUSED, RunState.CANCELLED, RunState.FAILED}), RunState.RUNNING),
    RunStep.CANCEL: (_ALIVE, RunState.CANCELLED),
    # The last job of a paused run may end before its daemon receives the stop order.
    RunStep.FINISH: (frozenset({RunState.RUNNING, RunState.PAUSED}), RunState.FINISHED),
    RunStep.FAIL: (_ALIVE, RunState.FAILED),
}


def sources(step: RunStep) -> frozenset[RunState]:
    """Return the states in which a step is possible."""
    return _RUN_STEPS[step][0]


def after(state: str, step: RunStep, laid_out: bool = True) -> RunState:
    """Return the state after a step; raise TransitionRefused where the step is not possible.

    laid_out: whether at least one part of the run is laid out; otherwise a resumed run is planned again.
    """
    allowed, target = _RUN_STEPS[step]
    if state not in allowed:
        raise TransitionRefused(
            f"The run is {state}; to {step} it, it must be {' or '.join(sorted(allowed))}.",
            remedy="List the runs with their states: ciphermark runs list.",
            state=str(state),
        )
    if step is RunStep.RESUME and not laid_out:
        return RunState.PLANNED
    return target


def verdict(lost_jobs: int, done_jobs: int) -> tuple[RunStep, str]:
    """Return the step that ends a run without open jobs, and the reason."""
    if lost_jobs:
        jobs = "1 job was" if lost_jobs == 1 else f"{lost_jobs} jobs were"
        return RunStep.FAIL, f"{jobs} lost, {done_jobs} are done; resume the run to execute what is missing."
    return RunStep.FINISH, ""
