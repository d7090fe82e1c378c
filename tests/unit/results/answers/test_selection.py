"""Which candidates of a table are ranked, over which inputs, and why the others are not."""

import numpy as np

from orchestrator.results.answers.readings import Candidate, CandidateReadings, ExecutionCounts, Input
from orchestrator.results.answers.selection import compared
from orchestrator.shared.units import KIB

INPUTS = [Input(size * KIB, "text", f"{size:02d}" * 32) for size in (1, 2, 4, 8)]


def candidate(provider: str) -> Candidate:
    return Candidate("agent0000001", provider, "aes-128-ctr", "ref", 1)


def readings(*inputs: Input, without: Input | None = None, **counts: int) -> CandidateReadings:
    one = CandidateReadings(counts=ExecutionCounts(**counts))
    one.values["encrypt"] = {given: np.full(6, np.nan if given == without else 1e9) for given in inputs}
    return one


class TestCompared:
    def test_only_included_inputs_count(self) -> None:
        both = {candidate("a"): readings(*INPUTS), candidate("b"): readings(*INPUTS)}
        assert compared(both, "encrypt", lambda given: given.length_bytes == KIB).inputs == INPUTS[:1]
        none = compared(both, "encrypt", lambda given: given.length_bytes == 3)
        assert (none.candidates, none.inputs) == ((), [])
        assert set(none.reasons.values()) == {"it was not measured with these inputs"}

    def test_candidate_that_shares_too_little_has_a_reason_and_its_own_inputs(self) -> None:
        other = Input(3, "video", "f" * 64)
        found = compared(
            {candidate("a"): readings(*INPUTS), candidate("b"): readings(*INPUTS),
             candidate("c"): readings(INPUTS[0], other), candidate("d"): readings(other)},
            "encrypt", lambda _: True,
        )  # fmt: skip
        assert found.candidates == (candidate("a"), candidate("b"))
        assert found.reasons == {
            candidate("c"): "it shares 1 of 4 inputs with the ranked candidates, and a rank requires 2; "
            "an answer for one length ranks it",
            candidate("d"): "it shares no input with the ranked candidates",
        }
        assert found.of(candidate("c")) == [other, INPUTS[0]]

    def test_failed_input_is_missing_but_a_wrong_one_excludes(self) -> None:
        given = {candidate("a"): readings(*INPUTS), candidate("b"): readings(*INPUTS)}
        failed = compared(given | {candidate("c"): readings(*INPUTS, without=INPUTS[3], failed=6)}, "encrypt", _all)
        assert candidate("c") in failed.candidates
        wrong = compared(given | {candidate("c"): readings(*INPUTS, without=INPUTS[3], wrong=6)}, "encrypt", _all)
        assert wrong.reasons == {candidate("c"): "no ok execution for 1 of 4 inputs"}

    def test_ok_executions_without_a_reading_of_the_measure_are_named(self) -> None:
        """Regression: executions whose cycles were not counted had `no ok execution`."""
        only = INPUTS[:1]
        found = compared({candidate("a"): readings(*only, without=only[0], ok=6)}, "encrypt", _all)
        assert found.reasons == {candidate("a"): "its ok executions have no reading of the measure"}


def _all(_given: Input) -> bool:
    return True
