"""Series of executions with given times, for tests of conclusions."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.cli.adhoc.command_lines import CommandLine
from orchestrator.cli.adhoc.program import ProgramCommand
from orchestrator.cli.adhoc.series import MeasuredProgram, ProgramExecution, ProgramSeries, SeriesPlan, SeriesPrecision
from orchestrator.measurement.instrument.measure import Measurement
from orchestrator.shared.units import MIB
from orchestrator.wire.records import Failure

NOW = datetime(2026, 11, 1, tzinfo=UTC)
TRUE = Path("/bin/true")
ONE_PERCENT = SeriesPrecision(relative_interval=0.01, max_repetitions=1000, seconds_per_case=10)


def measurement(wall_ns: int, failure: Failure | None = None, marks: Sequence[str] = ()) -> Measurement:
    readings: dict[str, int | float | None] = {
        "process_user_ns": wall_ns // 2,
        "process_system_ns": wall_ns // 4,
        "peak_rss_bytes": 3 * MIB,
    }
    return Measurement(NOW, {"process_wall_ns": wall_ns}, readings, {"x": "y"}, list(marks), None, None, None, failure)


def programs(*names: str) -> tuple[MeasuredProgram, ...]:
    return tuple(
        MeasuredProgram(
            name, CommandLine(name, (str(TRUE),)), ProgramCommand(TRUE, "local", name, "none", 1, 1, words=(str(TRUE),))
        )
        for name in names
    )


def plan(*names: str, rounds: int | None = None, seed: int = 1) -> SeriesPlan:
    return SeriesPlan(programs(*names), seed, 0, rounds, ONE_PERCENT)


def series(*walls_ns: Sequence[int]) -> ProgramSeries:
    """Return a series of programs with these times by round."""
    return ProgramSeries(
        tuple(
            ProgramExecution(program, "timing", number + 1, number * len(walls_ns) + program, measurement(wall_ns))
            for number, walls in enumerate(zip(*walls_ns, strict=True))
            for program, wall_ns in enumerate(walls)
        ),
        "requested",
    )


def always(wall_ns: int) -> Callable[[ProgramCommand], Measurement]:
    return lambda _: measurement(wall_ns)
