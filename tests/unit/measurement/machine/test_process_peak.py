"""Peak of a process from its sources: the value, and a bound that contains the true peak."""

import pytest

from orchestrator.measurement.machine.process_peak import (
    NO_BOUND,
    counter_error_bytes,
    process_peak,
    process_peak_readings,
    runner_peak_readings,
)
from orchestrator.shared.units import KIB, MIB
from orchestrator.wire.launcher import Ended
from tests.unit.measurement.runner import test_process_report

ERROR = 372 * KIB
FLOOR = 700 * KIB


def ended(max_rss: int, exit_peak: int | None = None, exit_rss: int | None = None, **facts: object) -> Ended:
    """Return the launcher's event with these sizes in bytes."""
    of_exit = {"exit_peak_bytes": exit_peak, "exit_rss_bytes": exit_rss, "had_children": False}
    known = {"counters_exact": True, "launcher_peak_bytes": FLOOR}
    return test_process_report.ended(**{"max_rss_bytes": max_rss, **of_exit, **known, **facts})


class TestCounterError:
    @pytest.mark.parametrize(
        ("used", "cores", "page_kib", "release", "error_kib"),
        [
            (1, 2, 4, "6.18.44-fc", 3 * 31 * 4),
            (2, 2, 4, "6.2.0", 2 * 3 * 31 * 4),
            (1, 64, 4, "6.12.1", 3 * 127 * 4),
            (1, 4, 16, "6.12.34+rpt-rpi-2712", 3 * 31 * 16),
        ],
    )
    def test_bound_is_three_counters_below_the_batch_per_core(
        self, used: int, cores: int, page_kib: int, release: str, error_kib: int
    ) -> None:
        assert counter_error_bytes(used, cores, page_kib * KIB, release) == error_kib * KIB

    @pytest.mark.parametrize("release", ["6.1.0-35-amd64", "5.15.0", "unknown"])
    def test_bound_is_unknown_before_linux_6_2(self, release: str) -> None:
        assert counter_error_bytes(1, 2, 4096, release) is None


class TestPeak:
    def test_memory_kept_until_exit_is_the_peak(self) -> None:
        found = process_peak(ended(64 * MIB - 160 * KIB, 64 * MIB, 64 * MIB), None, ERROR)
        assert found.peak_bytes == found.low_bytes == 64 * MIB
        assert found.error_bytes == ERROR - 160 * KIB

    def test_released_memory_has_the_bound_of_the_counters_in_both_directions(self) -> None:
        found = process_peak(ended(64 * MIB, 64 * MIB, 1 * MIB), None, ERROR)
        assert (found.peak_bytes, found.error_bytes) == (64 * MIB, ERROR)
        assert (found.low_bytes, found.high_bytes) == (64 * MIB - ERROR, 64 * MIB + ERROR)

    def test_exact_sample_raises_peak_and_lower_limit(self) -> None:
        found = process_peak(ended(64 * MIB, 64 * MIB, 1 * MIB), 64 * MIB + 100 * KIB, ERROR)
        assert found.peak_bytes == found.low_bytes == 64 * MIB + 100 * KIB
        assert found.error_bytes == ERROR - 100 * KIB

    def test_batched_sample_is_not_certain(self) -> None:
        """Before Linux 6.16 samples come from the batched counters, too."""
        found = process_peak(ended(64 * MIB, 64 * MIB, 1 * MIB, counters_exact=False), 64 * MIB + 100 * KIB, ERROR)
        assert found.peak_bytes == 64 * MIB + 100 * KIB
        assert found.low_bytes == found.peak_bytes - ERROR

    def test_peak_of_the_launcher_is_not_that_of_a_smaller_program(self) -> None:
        found = process_peak(ended(FLOOR, 70 * KIB, 64 * KIB), None, ERROR)
        assert found.peak_bytes == 70 * KIB
        assert found.high_bytes == 70 * KIB + ERROR

    def test_child_that_was_larger_is_the_peak(self) -> None:
        found = process_peak(ended(9 * MIB, 2 * MIB, 2 * MIB, had_children=True), 2 * MIB, ERROR)
        assert (found.peak_bytes, found.error_bytes) == (9 * MIB, ERROR)

    def test_child_that_was_smaller_is_not_the_peak(self) -> None:
        found = process_peak(ended(9 * MIB - 80 * KIB, 9 * MIB, 9 * MIB, had_children=True), None, ERROR)
        assert (found.peak_bytes, found.low_bytes) == (9 * MIB, 9 * MIB)
        assert found.error_bytes == ERROR - 80 * KIB

    def test_earlier_program_of_the_process_that_was_larger_is_the_peak(self) -> None:
        found = process_peak(ended(9 * MIB, 2 * MIB, 2 * MIB), None, ERROR)
        assert (found.peak_bytes, found.error_bytes) == (9 * MIB, ERROR)

    def test_untraced_program_has_the_larger_of_both_sources(self) -> None:
        assert process_peak(ended(9 * MIB), 8 * MIB, ERROR).peak_bytes == 9 * MIB
        assert process_peak(ended(9 * MIB), 9 * MIB + KIB, ERROR).peak_bytes == 9 * MIB + KIB

    def test_untraced_program_below_the_launcher_may_be_of_any_smaller_size(self) -> None:
        """The peak of the launcher is the floor of ru_maxrss."""
        found = process_peak(ended(FLOOR), 64 * KIB, ERROR)
        assert (found.peak_bytes, found.low_bytes) == (FLOOR, 64 * KIB)
        assert found.error_bytes == FLOOR - 64 * KIB

    def test_launcher_of_an_older_build_gives_the_larger_source_with_its_bound(self) -> None:
        found = process_peak(ended(9 * MIB, launcher_peak_bytes=None), None, ERROR)
        assert (found.peak_bytes, found.error_bytes) == (9 * MIB, ERROR)


class TestReadings:
    def test_missing_exit_has_its_reason(self) -> None:
        readings, absent = process_peak_readings(ended(9 * MIB, exit_reason="refused"), None, ERROR)
        assert readings["process_peak_rss_bytes"] == 9 * MIB
        assert readings["process_peak_rss_error_bytes"] == ERROR
        assert absent == dict.fromkeys(("exit_peak_rss_bytes", "exit_rss_bytes", "exit_stop_ns"), "refused")

    def test_unknown_bound_has_its_reason(self) -> None:
        readings, absent = process_peak_readings(ended(9 * MIB, 9 * MIB, 9 * MIB), None, None)
        assert readings["process_peak_rss_error_bytes"] is None
        assert absent == {"process_peak_rss_error_bytes": NO_BOUND}

    def test_peak_that_a_runner_read_has_the_bound_of_the_counters(self) -> None:
        """It was documented as exact to a page, but VmHWM comes from the same batched counters as ru_maxrss."""
        assert runner_peak_readings(9 * MIB, ERROR) == ({"peak_rss_error_bytes": ERROR}, {})
        assert runner_peak_readings(9 * MIB, None) == (
            {"peak_rss_error_bytes": None},
            {"peak_rss_error_bytes": NO_BOUND},
        )
        assert runner_peak_readings(None, ERROR) == ({}, {})
