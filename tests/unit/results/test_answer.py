"""From throughputs to the table and the sentence, without a database."""

from collections.abc import Mapping

import numpy as np
import pytest

from orchestrator.results.answer import AgentFacts, Question, answer
from orchestrator.results.readings import Candidate, CandidateReadings, Counts, Input
from orchestrator.results.schemas import AgentAnswer, NoiseFloor
from orchestrator.units import KIB, MIB

SMALL, LARGE = Input(128 * KIB, "text", "a" * 64), Input(MIB, "text", "b" * 64)


def facts(emulated: bool = False, floor: float | None = 0.01) -> AgentFacts:
    noise = NoiseFloor(relative=floor, reason="" if floor is not None else "not reported")
    return AgentFacts("agent0000001", "pi4", "pi4 (Cortex-A72)", emulated, noise, {1: ("b" * 64, "gcc O2 dynamic")})


def candidate(provider: str, algorithm: str = "aes-128-ctr") -> Candidate:
    return Candidate("agent0000001", provider, algorithm, "ref", 1)


def readings(
    level: float, *, blocks: int = 10, seed: int = 0, inputs: tuple[Input, ...] = (SMALL, LARGE)
) -> CandidateReadings:
    noise = np.exp(np.random.default_rng(seed).normal(0, 0.004, size=(len(inputs), blocks)))
    one = CandidateReadings(counts=Counts(ok=blocks * len(inputs)))
    for index, given in enumerate(inputs):
        one.encrypt[given] = level * noise[index]
        one.whole_pass[given] = level / 3 * noise[index]
    return one


def ask(
    candidates: Mapping[Candidate, CandidateReadings], agent: AgentFacts | None = None, **question: object
) -> AgentAnswer:
    return answer(agent or facts(), candidates, Question(**question))  # type: ignore[arg-type]


class TestAnswer:
    def test_the_fastest_is_named_with_its_distance(self) -> None:
        told = ask({candidate("own"): readings(1e8, seed=1), candidate("botan"): readings(1.5e8, seed=2)})
        assert [(row.provider, row.rank, row.tied) for row in told.rows] == [("botan", 1, False), ("own", 2, False)]
        assert told.rows[1].behind == pytest.approx(1.5, rel=0.01)
        assert told.rows[0].interval is not None
        assert told.sentence.startswith(
            "On pi4 (Cortex-A72), over 2 inputs of 128 KiB to 1 MiB (text), aes-128-ctr by botan has the highest "
            "encryption throughput (143 MiB/s), 1.49"
        )
        assert "aes-128-ctr by own" in told.sentence

    def test_a_tie_is_called_a_tie(self) -> None:
        told = ask({candidate("own"): readings(1e8, seed=1), candidate("botan"): readings(1.001e8, seed=2)})
        assert {row.rank for row in told.rows} == {1}
        assert "The two are a tie" in told.sentence

    def test_a_narrow_interval_is_shown_with_the_digits_it_has(self) -> None:
        # 215 blocks gave "1.17 times (95 % interval 1.17 to 1.17)", which reads like no interval at all.
        told = ask(
            {candidate("own"): readings(1e8, blocks=400, seed=1), candidate("botan"): readings(1.17e8, blocks=400)}
        )
        low, high = told.sentence.partition("interval ")[2].partition(")")[0].split(" to ")
        assert float(low) < float(high)

    def test_a_few_blocks_do_not_decide(self) -> None:
        told = ask({candidate("own"): readings(1e8, blocks=3), candidate("botan"): readings(2e8, blocks=3)})
        assert all(row.undecided and row.rank == 1 for row in told.rows)
        assert "3 blocks are too few to tell them apart" in told.sentence

    def test_who_lacks_an_input_is_listed_without_a_rank(self) -> None:
        broken = readings(9e9)
        broken.encrypt[LARGE][:] = np.nan
        broken.counts.wrong = 10
        told = ask({candidate("own"): readings(1e8), candidate("botan"): broken})
        assert [(row.provider, row.rank) for row in told.rows] == [("own", 1), ("botan", None)]
        assert told.rows[1].reason == "no ok execution for 1 of 2 inputs"
        assert told.sentence.startswith("Attention: 10 executions are wrong, and left out.")

    def test_only_inputs_that_all_were_given_are_compared(self) -> None:
        # 3DES is often measured with small inputs alone: the others' large ones must not count then.
        told = ask(
            {candidate("own"): readings(1e8), candidate("botan", "3des-192-cbc"): readings(1e7, inputs=(SMALL,))}
        )
        assert told.inputs.lengths_bytes == [128 * KIB]
        assert [row.rank for row in told.rows] == [1, 2]

    def test_one_length_can_be_asked_for(self) -> None:
        told = ask({candidate("own"): readings(1e8)}, length_bytes=MIB)
        assert told.inputs.lengths_bytes == [MIB]

    def test_the_measure_is_said(self) -> None:
        told = ask({candidate("own"): readings(3e8)}, measure="pass")
        assert told.rows[0].throughput_bytes_per_second == pytest.approx(1e8, rel=0.01)
        assert "pass throughput" in told.sentence

    def test_emulated_times_are_never_ranked(self) -> None:
        told = ask({candidate("own"): readings(1e8), candidate("botan"): readings(2e8)}, facts(emulated=True))
        assert [row.rank for row in told.rows] == [None, None]
        assert "is emulated" in told.sentence

    def test_a_run_without_results_says_so(self) -> None:
        nothing = readings(1e8)
        nothing.encrypt = {one: np.full(0, np.nan) for one in (SMALL, LARGE)}
        assert "nothing can be compared yet" in ask({candidate("own"): nothing}).sentence

    def test_no_more_rows_than_asked_for_are_shown_but_all_are_counted(self) -> None:
        many = {candidate(f"p{i}"): readings(1e8 * 1.1**i, seed=i) for i in range(30)}
        told = ask(many, rows=20)
        assert (len(told.rows), told.rows_total) == (20, 30)

    def test_the_same_implementation_of_two_builds_is_told_apart(self) -> None:
        both = {
            candidate("own"): readings(1e8, seed=1),
            Candidate("agent0000001", "own", "aes-128-ctr", "ref", 2): readings(1e8, seed=1),
        }
        agent = AgentFacts("agent0000001", "pi4", "pi4", False, NoiseFloor(relative=0.01, reason=""),
                           {1: ("b" * 64, "gcc O2 dynamic"), 2: ("c" * 64, "gcc O3 dynamic")})  # fmt: skip
        assert "[ref, gcc O3 dynamic]" in ask(both, agent).sentence
