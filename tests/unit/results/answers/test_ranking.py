"""From throughputs to the table and the sentence, without a database."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from orchestrator.results.answers.agents import AgentFacts, AgentReadings, BuildFacts
from orchestrator.results.answers.decision.constraints import ImplementationFacts
from orchestrator.results.answers.decision.question import Question
from orchestrator.results.answers.ranking import answer_together
from orchestrator.results.answers.readings import Candidate, CandidateReadings, ExecutionCounts, Input
from orchestrator.results.schemas import (
    AgentAnswer,
    Measure,
    NoiseFloor,
    OverheadPoint,
    ProcessOverhead,
)
from orchestrator.shared.units import KIB, MIB

SMALL, LARGE = Input(128 * KIB, "text", "a" * 64), Input(MIB, "text", "b" * 64)
EIGHT = tuple(Input(128 * KIB << place, "text", f"{place}" * 64) for place in range(8))
SEAL, OPEN = (Input(16, "", "c" * 64, operation, "apart", 32, (10, 10.0)) for operation in ("encrypt", "decrypt"))
BUILDS = {1: BuildFacts("b" * 64, "gcc -O2"), 2: BuildFacts("c" * 64, "gcc -O3")}


def facts(emulated: bool = False, floor: float | None = 0.01, **changes: Any) -> AgentFacts:
    noise = NoiseFloor(relative=floor, reason="" if floor is not None else "not reported")
    values: dict[str, Any] = {"builds": BUILDS, "footprints": {}} | changes
    return AgentFacts("agent0000001", "pi4", "pi4 (Cortex-A72)", emulated, noise, **values)


def candidate(provider: str, algorithm: str = "aes-128-ctr", build_id: int = 1) -> Candidate:
    return Candidate("agent0000001", provider, algorithm, "ref", build_id)


def readings(
    level: float, *, blocks: int = 10, seed: int = 0, inputs: tuple[Input, ...] = (SMALL, LARGE)
) -> CandidateReadings:
    noise = np.exp(np.random.default_rng(seed).normal(0, 0.004, size=(len(inputs), blocks)))
    one = CandidateReadings(counts=ExecutionCounts(ok=blocks * len(inputs)))
    for index, given in enumerate(inputs):
        one.values["encrypt"][given] = level * noise[index]
        one.values["pass"][given] = level / 3 * noise[index]
    return one


def of_length(level: float, *, seed: int = 0, inputs: tuple[Input, ...] = EIGHT) -> CandidateReadings:
    """Readings whose throughput grows with the input, up to the level, as start-up time becomes less important."""
    noise = np.exp(np.random.default_rng(seed).normal(0, 0.004, size=(len(inputs), 10)))
    one = CandidateReadings(counts=ExecutionCounts(ok=10 * len(inputs)))
    for index, given in enumerate(inputs):
        one.values["encrypt"][given] = noise[index] * given.length_bytes / (given.length_bytes / level + 1e-3)
    return one


def calls(
    level_ns: float, *, blocks: int = 10, seed: int = 0, inputs: tuple[Input, ...] = (SEAL,)
) -> CandidateReadings:
    """Calls of about level_ns; every next input takes four times as long."""
    noise = np.exp(np.random.default_rng(seed).normal(0, 0.004, size=(len(inputs), blocks)))
    one = CandidateReadings(counts=ExecutionCounts(ok=blocks * len(inputs)))
    for index, given in enumerate(inputs):
        one.values["call"][given] = level_ns * 4**index * noise[index]
        one.medians["call_cpu_ns"][given] = level_ns * 4**index * 0.9
        one.medians["cold_call_wall_ns"][given] = level_ns * 4**index * 10
    return one


def compute(
    candidates: Mapping[Candidate, CandidateReadings],
    agent: AgentFacts | None = None,
    measure: Measure = "encrypt",
    **question: Any,
) -> AgentAnswer:
    return answer_together([AgentReadings(agent or facts(), candidates)], Question(**question), measure)[0]


class TestDefaults:
    VAES, AESNI = (replace(candidate("own"), variant=name) for name in ("vaes", "aesni"))

    def sentence(self, aesni: float, **others: CandidateReadings) -> str:
        known = {self.VAES: readings(1e8, seed=1), self.AESNI: readings(aesni, seed=2)}
        known |= {candidate(name): own for name, own in others.items()}
        listed = {
            one.implementation: ImplementationFacts("stream", 16, 0, True, default=one is self.VAES)
            for one in (self.VAES, self.AESNI)
        }
        return compute(known, facts(implementations=listed)).sentence

    def test_default_that_another_variant_beats_is_named_with_the_interval(self) -> None:
        """Also if both are behind a third candidate."""
        for text in (self.sentence(1.12e8), self.sentence(1.12e8, botan=readings(2e8, seed=3))):
            assert re.search(
                r" On this machine own aes-128-ctr 'aesni' is 1[12]\.\d % faster than the default 'vaes' "
                r"\(interval 11\.\d to 12\.\d %\)\.$",
                text,
            ), text

    @pytest.mark.parametrize("level", [0.9e8, 1e8])
    def test_default_that_is_as_fast_is_not_named(self, level: float) -> None:
        assert "the default" not in self.sentence(level)


class TestAnswer:
    def test_sentence_names_the_fastest_and_its_lead(self) -> None:
        result = compute({candidate("own"): readings(1e8, seed=1), candidate("botan"): readings(1.5e8, seed=2)})
        assert [(row.provider, row.rank, row.last_rank) for row in result.rows] == [("botan", 1, 1), ("own", 2, 2)]
        assert result.rows[1].behind == pytest.approx(1.5, rel=0.01)
        assert result.rows[0].interval is not None
        assert result.sentence.startswith(
            "On pi4 (Cortex-A72), over 2 inputs of 128 KiB to 1 MiB (text), aes-128-ctr by botan has the highest "
            "encryption throughput (143 MiB/s), 1.49"
        )
        assert "aes-128-ctr by own" in result.sentence

    def test_tie_is_reported_as_a_tie(self) -> None:
        result = compute({candidate("own"): readings(1e8, seed=1), candidate("botan"): readings(1.001e8, seed=2)})
        assert [(row.rank, row.last_rank, row.groups, row.verdict) for row in result.rows] == [
            (1, 2, ["a"], None), (1, 2, ["a"], "tie"),
        ]  # fmt: skip
        assert result.sentence.endswith("(95.5 MiB/s) and ties with aes-128-ctr by own.")

    def test_sentence_is_about_the_first_and_not_about_others_of_its_rank(self) -> None:
        # A noisy candidate ties with the first; the quiet ones, between them in speed, differ from the first.
        noisy = readings(1.3e8, seed=3)
        disturbed = np.exp(np.random.default_rng(4).normal(0.0, 0.4, size=10))
        noisy.values["encrypt"] = {given: values * disturbed for given, values in noisy.values["encrypt"].items()}
        result = compute({
            candidate("own"): readings(1.5e8, seed=1), candidate("botan"): readings(1.4e8, seed=2),
            candidate("openssl"): noisy,
        })  # fmt: skip
        found = {row.provider: (row.rank, row.last_rank, row.groups) for row in result.rows}
        assert found == {"own": (1, 2, ["a"]), "botan": (2, 3, ["b"]), "openssl": (1, 3, ["a", "b"])}
        assert "aes-128-ctr by own has the highest encryption throughput" in result.sentence
        assert "and ties with aes-128-ctr by openssl; it has 1.0" in result.sentence
        assert result.sentence.endswith("that of the next that differs, aes-128-ctr by botan.")

    def test_narrow_interval_has_enough_digits(self) -> None:
        # 215 blocks gave "1.17 times (95 % interval 1.17 to 1.17)", which reads like no interval at all.
        result = compute(
            {candidate("own"): readings(1e8, blocks=400, seed=1), candidate("botan"): readings(1.17e8, blocks=400)}
        )
        low, high = result.sentence.partition("interval ")[2].partition(")")[0].split(" to ")
        assert float(low) < float(high)

    def test_too_few_blocks_are_undecided(self) -> None:
        result = compute({candidate("own"): readings(1e8, blocks=3), candidate("botan"): readings(2e8, blocks=3)})
        assert all(row.undecided and row.rank == 1 for row in result.rows)
        assert result.sentence == (
            "On pi4 (Cortex-A72), over 2 inputs of 128 KiB to 1 MiB (text), it is undecided which candidate has the "
            "highest encryption throughput: 3 blocks are too few to distinguish them; use 6 or more. "
            "By the medians alone, aes-128-ctr by botan leads (191 MiB/s)."
        )

    def test_sentence_begins_with_a_doubt_about_the_first(self) -> None:
        # The third one has 3 of the 10 blocks: whether it is faster than the first is not known.
        partly = readings(2.1e8, blocks=10, seed=3)
        for values in partly.values["encrypt"].values():
            values[3:] = np.nan
        result = compute({candidate("own"): readings(1e8), candidate("botan"): readings(2e8), candidate("old"): partly})
        assert "it is undecided which candidate has the highest encryption throughput: aes" in result.sentence
        assert "fewer than 6 blocks are shared. By the medians alone, aes-128-ctr by old leads" in result.sentence

    def test_candidate_without_a_shared_input_has_no_rank(self) -> None:
        broken = readings(9e9)
        broken.values["encrypt"][LARGE][:] = np.nan
        broken.counts.wrong = 10
        result = compute({candidate("own"): readings(1e8), candidate("botan"): broken})
        assert [(row.provider, row.rank) for row in result.rows] == [("own", 1), ("botan", None)]
        assert result.rows[1].reason == "no ok execution for 1 of 2 inputs"
        assert result.sentence.startswith("Attention: 10 executions are wrong, and excluded.")

    def test_candidate_with_one_input_changes_no_rank_of_the_others(self) -> None:
        # One more case of 3DES on one chunk made the answer "over 1 input": 6.44, 5.36 and 3.29 GiB/s became one tie,
        # because their times with the smallest input are the same.
        six = {
            candidate(f"p{place}"): of_length(level, seed=place)
            for place, level in enumerate((6.44e9, 5.36e9, 3.29e9, 1.5e9, 0.5e9, 0.4995e9))
        }
        without = compute(six)
        slow = of_length(2e7, inputs=EIGHT[:1])
        result = compute(six | {candidate("old", "3des-192-cbc"): slow})
        assert [(row.provider, row.rank, row.last_rank) for row in without.rows] == [
            ("p0", 1, 1), ("p1", 2, 2), ("p2", 3, 3), ("p3", 4, 4), ("p4", 5, 6), ("p5", 5, 6),
        ]  # fmt: skip
        assert result.rows[:6] == without.rows
        assert (result.inputs, result.comparisons) == (without.inputs, without.comparisons)
        separate = result.rows[6]
        assert (separate.algorithm, separate.rank, separate.inputs.count, separate.n) == ("3des-192-cbc", None, 1, 10)
        assert separate.reason.startswith("it shares 1 of 8 inputs with the ranked candidates, and a rank requires 2")
        assert (separate.behind_inputs, separate.behind_blocks) == (1, 10)
        assert "Listed separately: 3des-192-cbc by old (over 1 input of 128 KiB (text))." in result.sentence

    def test_candidate_with_fewer_inputs_is_ranked_by_what_it_shares(self) -> None:
        # It has the two fastest inputs only: its own mean is above that of the candidate that is twice as fast.
        partly = of_length(1e9, seed=1, inputs=EIGHT[-2:])
        result = compute({
            candidate("own"): of_length(2e9, seed=2), candidate("botan"): of_length(1.5e9, seed=3),
            candidate("old"): partly,
        })  # fmt: skip
        assert [(row.provider, row.rank, row.estimated) for row in result.rows] == [
            ("own", 1, False), ("botan", 2, False), ("old", 3, True),
        ]  # fmt: skip
        row = result.rows[2]
        assert (row.inputs.count, row.n, row.behind_inputs, result.inputs.count) == (2, 20, 2, 8)
        assert row.behind == pytest.approx(1.85, rel=0.01)
        shown = [row.value or 0 for row in result.rows]
        assert shown == sorted(shown, reverse=True)
        assert min(partly.values["encrypt"][one].min() for one in EIGHT[-2:]) > shown[0]
        assert "aes-128-ctr by old has results over 2 of them." in result.sentence

    def test_candidates_that_share_no_input_are_not_ranked(self) -> None:
        result = compute({
            candidate("own"): readings(1e8, inputs=(SMALL,)), candidate("botan"): readings(1e7, inputs=(LARGE,)),
        })  # fmt: skip
        assert [(row.provider, row.rank) for row in result.rows] == [("own", None), ("botan", None)]
        assert result.rows[0].reason == "no two candidates share enough inputs to be compared"
        assert result.rows[0].value == pytest.approx(1e8, rel=0.01)
        assert "nothing can be compared yet" in result.sentence

    def test_n_is_the_number_of_readings_used(self) -> None:
        # Botan has one input more than the others, and one execution without a result.
        more = readings(1.5e8, seed=2, inputs=(SMALL, LARGE, SEAL))
        more.values["encrypt"][SMALL][3] = np.nan
        result = compute({
            candidate("own"): readings(1e8, seed=1), candidate("cryptopp"): readings(1.2e8), candidate("botan"): more,
        })  # fmt: skip
        assert {row.provider: row.n for row in result.rows} == {"botan": 19, "cryptopp": 20, "own": 20}
        assert more.counts.ok == 30

    def test_rows_follow_the_shown_figure_inside_a_tie(self) -> None:
        close = {candidate(f"p{seed}"): readings(1e8, seed=seed) for seed in range(9)}
        result = compute(close)
        shown = [row.value for row in result.rows]
        assert {row.rank for row in result.rows} == {1}
        assert shown == sorted(shown, key=lambda one: -(one or 0))

    def test_overhead_of_a_process_is_not_a_row(self) -> None:
        point = OverheadPoint(length_bytes=MIB, work_wall_ns=2e6, interval=None, n=9, case_ids=[7])
        overhead = ProcessOverhead(provider="own", build_key="b" * 64, toolchain="gcc -O2", points=[point],
                                   sentence="own: 2 ms with 1 MiB")  # fmt: skip
        (alone,) = answer_together([AgentReadings(facts(), {}, overheads=[overhead])], Question(), "encrypt")
        assert (alone.rows, alone.overheads) == ([], [overhead])
        assert alone.sentence.endswith("nothing is compared: only the overhead of a process (noop) was measured.")

    def test_emulated_times_are_never_ranked(self) -> None:
        result = compute({candidate("own"): readings(1e8), candidate("botan"): readings(2e8)}, facts(emulated=True))
        assert [row.rank for row in result.rows] == [None, None]
        assert "is emulated" in result.sentence

    def test_builds_are_distinguished_in_the_sentence(self) -> None:
        # "aes-128-ctr by own has the highest …, 2 times that of the next, aes-128-ctr by own": which one of the two?
        both = {candidate("own"): readings(1e8, seed=1), candidate("own", build_id=2): readings(2e8, seed=2)}
        said = compute(both).sentence
        assert "aes-128-ctr by own [ref, gcc -O3] has the highest" in said
        assert "that of the next that differs, aes-128-ctr by own [ref, gcc -O2]." in said


class TestManyComparisons:
    def test_all_agents_are_corrected_together(self) -> None:
        pair = {candidate("own"): readings(1.004e8, seed=1), candidate("botan"): readings(1e8, seed=2)}
        (alone,) = answer_together([AgentReadings(facts(floor=0.0), pair)], Question(), "encrypt")
        both = answer_together([AgentReadings(facts(floor=0.0), pair)] * 2, Question(), "encrypt")
        assert (alone.comparisons, both[0].comparisons) == (1, 2)
        before, after = alone.rows[1].adjusted_p, both[0].rows[1].adjusted_p
        assert before is not None
        assert after == pytest.approx(min(1.0, 2 * before))

    def test_differences_have_effect_sizes_and_intervals(self) -> None:
        result = compute({candidate("own"): readings(1e8, seed=1), candidate("botan"): readings(1.5e8, seed=2)})
        first, second = result.rows
        assert (first.superiority, first.adjusted_p, second.superiority) == (None, None, 1.0)
        assert second.standardized_difference is not None
        assert second.standardized_difference > 10
        assert second.adjusted_p is not None
        assert second.adjusted_p < 0.01
        assert first.relative_interval == pytest.approx(0.004, abs=0.004)

    def test_copies_of_a_case_are_distinguished_and_tie(self) -> None:
        control = Candidate("agent0000001", "own", "aes-128-ctr", "ref", 1, 2)
        result = compute({candidate("own"): readings(1e8, seed=1), control: readings(1e8, seed=2)})
        assert sorted(row.copy_number for row in result.rows) == [1, 2]
        assert [row.rank for row in result.rows] == [1, 1]
        assert "by own #1 has the highest" in result.sentence
        assert "and ties with aes-128-ctr by own #2." in result.sentence

    def test_cycles_and_energy_need_every_input(self) -> None:
        counted, partly = readings(1e8, seed=1), readings(1e8, seed=2)
        counted.medians["cycles_per_instruction"] = {SMALL: 0.5, LARGE: 2.0}
        counted.medians["energy_per_byte_joules"] = {SMALL: 1e-9, LARGE: 4e-9}
        partly.medians["cycles_per_instruction"] = {SMALL: 0.5}
        rows = {row.provider: row for row in compute({candidate("own"): counted, candidate("botan"): partly}).rows}
        assert rows["own"].cycles_per_instruction == pytest.approx(1.0)
        assert rows["own"].energy_per_byte_joules == pytest.approx(2e-9)
        assert rows["botan"].cycles_per_instruction is None


class TestCalls:
    def test_the_shortest_call_is_the_fastest(self) -> None:
        result = compute({candidate("own"): calls(150, seed=1), candidate("botan"): calls(100, seed=2)}, measure="call")
        assert [(row.provider, row.rank) for row in result.rows] == [("botan", 1), ("own", 2)]
        assert result.rows[0].value == pytest.approx(100, rel=0.01)
        assert result.rows[1].behind == pytest.approx(1.5, rel=0.01)
        low, high = result.rows[0].interval, result.rows[1].interval
        assert low is not None
        assert high is not None
        assert low.low < 100 < low.high < high.low < 150 < high.high
        assert result.sentence.startswith(
            "On pi4 (Cortex-A72), over 1 input of 16 B (encrypt), aes-128-ctr by botan has the fastest call (1"
        )
        assert "; the next that differs, aes-128-ctr by own, takes 1." in result.sentence
        assert result.sentence.endswith("as long.")

    def test_inputs_have_equal_weight(self) -> None:
        result = compute({candidate("own"): calls(100, inputs=(SEAL, OPEN))}, measure="call")
        (row,) = result.rows
        assert row.value == pytest.approx(200, rel=0.01)  # of 100 and 400
        assert row.call_cpu_ns == pytest.approx(180)
        assert row.cold_call_wall_ns == pytest.approx(2000)
        assert result.inputs.operations == ["decrypt", "encrypt"]
        assert (result.inputs.key_setups, result.inputs.associated_data_lengths_bytes) == (["apart"], [32])

    def test_answers_about_both_ways_of_setting_the_key_are_kept_apart(self) -> None:
        given = calls(100, inputs=(SEAL, replace(SEAL, key_setup="included")))
        one, kept = AgentReadings(facts(), {candidate("own"): given}), {}
        answers = [
            answer_together([one], Question(key_setup=setup), "call", lambda key, made: kept.setdefault(key, made()))
            for setup in ("apart", "included")
        ]
        assert [answer.inputs.key_setups for (answer,) in answers] == [["apart"], ["included"]]
        assert ["(encrypt, key set in each call)" in answer.sentence for (answer,) in answers] == [False, True]
