from typing import Any

from orchestrator.results.answers.scaling.schemas import ScalingRow, ScalingStep
from orchestrator.results.answers.scaling.service import summary_of
from orchestrator.results.schemas import Interval
from tests.support.models import built


def row(**changes: Any) -> Any:
    values: dict[str, Any] = {
        "start_up_ns": 2e6, "start_up_interval": Interval(low=1.9e6, high=2.1e6), "per_byte_ns": 1.5,
        "per_byte_interval": Interval(low=1.49, high=1.52), "per_byte_bytes_per_second": 1e9 / 1.5,
        "step_lowest_ns": 1.4, "step_highest_ns": 1.9, "fits": True, "worst_length_bytes": 4096,
        "steps": [ScalingStep(from_bytes=4096, to_bytes=16384, per_byte_ns=1.4, interval=None),
                  ScalingStep(from_bytes=16384, to_bytes=1048576, per_byte_ns=1.9, interval=None)],
    }  # fmt: skip
    return built(ScalingRow, values, **changes)


class TestOf:
    def test_line_has_both_intervals(self) -> None:
        assert summary_of(row()) == (
            "2 ms of start-up (95 % interval 1.9 ms to 2.1 ms), then 1.5 ns per byte (1.49 to 1.52), 636 MiB/s."
        )

    def test_start_up_whose_interval_contains_0_is_not_reported(self) -> None:
        result = summary_of(row(start_up_ns=1e3, start_up_interval=Interval(low=-2e3, high=4e3)))
        assert result.startswith("no start-up distinguishable from 0 (95 % interval -2 µs to 4 µs)")

    def test_cost_per_byte_whose_interval_contains_0_has_no_throughput(self) -> None:
        result = summary_of(row(per_byte_interval=Interval(low=-0.2, high=3.0), per_byte_bytes_per_second=None))
        assert result.endswith("then 1.5 ns per byte (-0.2 to 3), not distinguishable from 0.")

    def test_cost_per_byte_is_a_range_if_no_line_fits(self) -> None:
        result = summary_of(row(fits=False, largest_miss=0.123, per_byte_ns=None, per_byte_interval=None))
        assert result == (
            "No line fits: 4 KiB misses it by 12.3%. "
            "A byte costs between 1.4 ns from 4 KiB to 16 KiB and 1.9 ns from 16 KiB to 1 MiB."
        )

    def test_few_blocks_have_no_interval_and_one_has_no_fit(self) -> None:
        result = summary_of(row(fits=None, start_up_interval=None, per_byte_interval=None))
        expected = "One block cannot show whether a line fits; if one does: 2 ms of start-up, then 1.5 ns per byte, "
        assert result.startswith(expected)
