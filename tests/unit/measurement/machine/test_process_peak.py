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


SAMPLE = 64 * MIB + 100 * KIB


@pytest.mark.parametrize(
    ("event", "sample", "limits"),
    [
        pytest.param(
            ended(64 * MIB - 160 * KIB, 64 * MIB, 64 * MIB), None,
            (64 * MIB, 64 * MIB, 64 * MIB + ERROR - 160 * KIB), id="memory that is kept until exit",
        ),
        pytest.param(
            ended(64 * MIB, 64 * MIB, MIB), None, (64 * MIB - ERROR, 64 * MIB, 64 * MIB + ERROR), id="released memory"
        ),
        pytest.param(ended(64 * MIB, 64 * MIB, MIB), SAMPLE, (SAMPLE, SAMPLE, 64 * MIB + ERROR), id="exact sample"),
        # Before Linux 6.16 samples come from the batched counters, too.
        pytest.param(
            ended(64 * MIB, 64 * MIB, MIB, counters_exact=False), SAMPLE, (SAMPLE - ERROR, SAMPLE, None),
            id="batched sample",
        ),
        pytest.param(
            ended(FLOOR, 70 * KIB, 64 * KIB), None, (None, 70 * KIB, 70 * KIB + ERROR),
            id="program smaller than the launcher",
        ),
        pytest.param(
            ended(9 * MIB, 2 * MIB, 2 * MIB, had_children=True), 2 * MIB, (None, 9 * MIB, 9 * MIB + ERROR),
            id="larger child",
        ),
        pytest.param(
            ended(9 * MIB - 80 * KIB, 9 * MIB, 9 * MIB, had_children=True), None,
            (9 * MIB, 9 * MIB, 9 * MIB + ERROR - 80 * KIB), id="smaller child",
        ),
        pytest.param(
            ended(9 * MIB, 2 * MIB, 2 * MIB), None, (None, 9 * MIB, 9 * MIB + ERROR), id="larger earlier program"
        ),
        pytest.param(ended(9 * MIB), 8 * MIB, (None, 9 * MIB, None), id="untraced program, smaller sample"),
        pytest.param(ended(9 * MIB), 9 * MIB + KIB, (None, 9 * MIB + KIB, None), id="untraced program, larger sample"),
        # The peak of the launcher is the floor of ru_maxrss.
        pytest.param(
            ended(FLOOR), 64 * KIB, (64 * KIB, FLOOR, None), id="untraced program that may be of any smaller size"
        ),
        pytest.param(
            ended(9 * MIB, launcher_peak_bytes=None), None, (None, 9 * MIB, 9 * MIB + ERROR),
            id="launcher of an older build",
        ),
    ],
)  # fmt: skip
def test_peak_is_within_its_limits(
    event: Ended, sample: int | None, limits: tuple[int | None, int, int | None]
) -> None:
    found = process_peak(event, sample, ERROR)
    for known, expected in zip((found.low_bytes, found.peak_bytes, found.high_bytes), limits, strict=True):
        assert expected is None or known == expected


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
