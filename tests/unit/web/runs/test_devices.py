from datetime import UTC, datetime
from typing import Any

from orchestrator.agents.schemas import AgentDevice, CalibrationSummary
from orchestrator.builds.schemas import BuildReference
from orchestrator.web.runs.devices import calibrations


def calibration(build_id: int, *, default: bool = False) -> CalibrationSummary:
    return CalibrationSummary(
        build_id=build_id, toolchain_words=f"gcc {build_id}", of_default_build=default, kind="noise-floor", value=0.02,
        unit="share of work_wall_ns", detail={}, calibrated_at=datetime(2026, 11, 22, tzinfo=UTC),
    )  # fmt: skip


def build(build_id: int) -> BuildReference:
    return BuildReference(
        id=build_id, agent_id="a", build_key="b", toolchain_words=f"gcc {build_id}", compiler_version="12.2.0",
        is_default=False, failure=None, cross_built=None,
    )  # fmt: skip


COLUMNS: dict[str, Any] = {"calibrations": [calibration(1, default=True), calibration(2), calibration(3)]}
DEVICE = AgentDevice.model_construct(**COLUMNS)


def test_calibrations_of_the_runs_builds_are_shown() -> None:
    assert [row.toolchain_words for row in calibrations(DEVICE, [build(2), build(9)])] == ["gcc 2"]


def test_builds_without_calibrations_show_those_of_the_default_build() -> None:
    assert [row.toolchain_words for row in calibrations(DEVICE, [build(9)])] == ["gcc 1"]
