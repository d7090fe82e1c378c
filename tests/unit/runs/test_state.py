"""Steps between the states of runs; other steps are refused with the state."""

import itertools

import pytest

from orchestrator.runs.state import RunState, RunStep, after, sources, verdict
from orchestrator.shared.errors import TransitionRefused

ALLOWED = {
    ("planned", "lay out"): "running", ("planned", "pause"): "paused", ("planned", "cancel"): "cancelled",
    ("planned", "fail"): "failed", ("running", "pause"): "paused", ("running", "cancel"): "cancelled",
    ("running", "finish"): "finished", ("running", "fail"): "failed", ("paused", "resume"): "running",
    ("paused", "cancel"): "cancelled", ("paused", "finish"): "finished", ("paused", "fail"): "failed",
    ("cancelled", "resume"): "running", ("failed", "resume"): "running",
}  # fmt: skip


class TestAfter:
    @pytest.mark.parametrize(("state", "step"), list(itertools.product(RunState, RunStep)))
    def test_documented_steps_are_possible_and_no_others(self, state: RunState, step: RunStep) -> None:
        if (state, step) in ALLOWED:
            assert after(state, step) == ALLOWED[state, step]
            assert state in sources(step)
        else:
            assert state not in sources(step)
            with pytest.raises(TransitionRefused, match=f"The run is {state}; to {step} it"):
                after(state, step)

    def test_run_resumed_before_its_layout_is_planned_again(self) -> None:
        assert after("paused", RunStep.RESUME, laid_out=False) == RunState.PLANNED


class TestVerdict:
    def test_run_with_lost_jobs_fails(self) -> None:
        assert verdict(lost_jobs=2, done_jobs=5) == (
            RunStep.FAIL,
            "2 jobs were lost, 5 are done; resume the run to execute what is missing.",
        )

    def test_run_without_lost_jobs_is_finished(self) -> None:
        assert verdict(lost_jobs=0, done_jobs=5) == (RunStep.FINISH, "")
