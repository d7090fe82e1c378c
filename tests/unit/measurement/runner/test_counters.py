from collections.abc import Mapping
from typing import Any

import pytest

from orchestrator.measurement.runner.counters import read_phase_counters, read_timed_counters
from orchestrator.wire.metrics.phases import reading_refusal
from orchestrator.wire.runners import FURTHER_COUNTERS, LatencyReport, LatencyTiming
from tests.unit.measurement.runner import test_latency_report as latency
from tests.unit.measurement.runner.test_process_report import PHASES, parsed

MULTIPLEXED = "multiplexed: it counted during 500 of 900 ns, because the processor has too few counters"
NO_PMU = "perf_event_open: No such file or directory"


def counts(encrypt: float | None, decrypt: float | None, reason: str | None = None) -> dict[str, Any]:
    return {"encrypt": encrypt, "decrypt": decrypt, "reason": reason}


class TestPhaseCounters:
    def test_each_counter_is_read_for_its_phase(self) -> None:
        report = parsed(
            cycles=counts(1000, 800), instructions=counts(3000, 1500),
            counters={"branch_misses": counts(4, 0), "task_clock_ns": counts(310, 270), "page_faults": counts(0, 1)},
        )  # fmt: skip
        seen, _ = read_phase_counters(report, PHASES)

        assert (seen["encrypt_cycles"], seen["decrypt_instructions"]) == (1000, 1500)
        assert (seen["encrypt_branch_misses"], seen["decrypt_branch_misses"]) == (4, 0)
        assert (seen["encrypt_task_clock_ns"], seen["decrypt_page_faults"]) == (310, 1)
        assert [reading_refusal(name, value) for name, value in seen.items()] == [None] * len(seen)

    def test_cycles_per_instruction_covers_both_phases(self) -> None:
        seen, _ = read_phase_counters(parsed(cycles=counts(1000, 800), instructions=counts(3000, 1500)), PHASES)
        assert seen["cycles_per_instruction"] == pytest.approx(0.4)

    @pytest.mark.parametrize("instructions", [counts(None, 1500, MULTIPLEXED), counts(None, None, NO_PMU)])
    def test_cycles_per_instruction_is_null_if_a_count_is_missing(self, instructions: dict[str, Any]) -> None:
        seen, absent = read_phase_counters(parsed(cycles=counts(1000, 800), instructions=instructions), PHASES)

        assert seen["cycles_per_instruction"] is None
        assert absent["cycles_per_instruction"] == instructions["reason"]

    def test_cycles_per_instruction_is_null_without_instructions(self) -> None:
        seen, absent = read_phase_counters(parsed(cycles=counts(0, 0), instructions=counts(0, 0)), PHASES)

        assert seen["cycles_per_instruction"] is None
        assert absent["cycles_per_instruction"]

    def test_multiplexed_counter_is_null_in_its_phase_only(self) -> None:
        seen, absent = read_phase_counters(parsed(counters={"cache_misses": counts(None, 7, MULTIPLEXED)}), PHASES)

        assert (seen["encrypt_cache_misses"], seen["decrypt_cache_misses"]) == (None, 7)
        assert absent["encrypt_cache_misses"] == MULTIPLEXED
        assert "decrypt_cache_misses" not in absent


class TestDerivedCycles:
    CLOCK = {"before_hz": 3e9, "after_hz": 3e9, "hz": 3e9, "reason": None}

    def test_derived_cycles_have_names_of_their_own(self) -> None:
        report = parsed(core_clock=self.CLOCK, derived_cycles=counts(372.5, 283.0), clock_probe_wall_ns=12_500)
        seen, absent = read_phase_counters(report, PHASES)

        assert (seen["derived_encrypt_cycles"], seen["derived_decrypt_cycles"]) == (372.5, 283.0)
        assert (seen["core_clock_hz"], seen["clock_probe_wall_ns"]) == (3e9, 12_500)
        assert not {name for name in absent if name.startswith(("derived", "core_clock"))}

    def test_drifted_clock_gives_null_with_the_reason(self) -> None:
        words = "the clock went from 2832 to 2992 MHz while measuring, at most 2 % are taken"
        clock = self.CLOCK | {"after_hz": 2.832e9, "hz": None, "reason": words}
        seen, absent = read_phase_counters(parsed(core_clock=clock, derived_cycles=counts(None, None, words)), PHASES)

        assert seen["derived_encrypt_cycles"] is None
        assert absent["derived_encrypt_cycles"] == absent["core_clock_hz"] == words


class TestTimedCounters:
    def report(self, *columns: Mapping[str, int | None], **reasons: str) -> LatencyReport:
        timings = [latency.timing(600_000) | {"counters": column} for column in columns]
        every: dict[str, str | None] = dict.fromkeys(FURTHER_COUNTERS)
        return LatencyReport.model_validate(latency.report(timings=timings, counter_reasons=every | reasons))

    def test_counts_are_summed_over_the_timings(self) -> None:
        every = dict.fromkeys(FURTHER_COUNTERS, 1)
        seen, absent = read_timed_counters(self.report(every | {"branch_misses": 5}, every | {"branch_misses": 9}))

        assert seen["timed_branch_misses"] == 14
        assert seen["timed_context_switches"] == 2
        assert not absent

    def test_sum_is_null_if_one_timing_lacks_the_count(self) -> None:
        every = dict.fromkeys(FURTHER_COUNTERS, 1)
        report = self.report(every, every | {"cache_misses": None}, cache_misses=MULTIPLEXED)
        seen, absent = read_timed_counters(report)

        assert seen["timed_cache_misses"] is None
        assert absent == {"timed_cache_misses": MULTIPLEXED}

    def test_older_runner_has_null_counters_with_a_reason(self) -> None:
        report = LatencyReport.model_validate(latency.report())
        assert isinstance(report.timings[0], LatencyTiming)
        seen, absent = read_timed_counters(report)

        assert set(seen.values()) == {None}
        assert set(absent) == set(seen)
