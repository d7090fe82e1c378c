"""Export in the formats of hyperfine: the same keys where the meaning is the same, in seconds.

Keys of version 1.19 (``memory_usage_byte`` came with it); times are wall times of each execution, ``user`` and
``system`` are means over the executions. hyperfine subtracts the start of its shell; here times include a shell, if
there is one. Source: output of hyperfine 1.15, and src/benchmark/benchmark_result.rs of sharkdp/hyperfine.
"""

import csv
import io
from collections.abc import Sequence
from typing import Any

from orchestrator.cli.adhoc.series import MeasuredProgram, ProgramExecution
from orchestrator.cli.adhoc.summary import Summary, readings

_NS = 1e9
_NUMBERS = ("mean", "stddev", "median", "user", "system", "min", "max")


def hyperfine_document(
    programs: Sequence[MeasuredProgram], executions: Sequence[Sequence[ProgramExecution]], summaries: Sequence[Summary]
) -> dict[str, Any]:
    """Return the document of ``--export-json``. All sequences are by program; executions are the timed ones."""
    together = zip(programs, executions, summaries, strict=True)
    return {"results": [_result(program, timed, summary) for program, timed, summary in together]}


def hyperfine_csv(document: dict[str, Any]) -> str:
    """Return the rows of ``--export-csv``: one for each program; an absent value is an empty field."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    results = document["results"]
    parameters = sorted({name for result in results for name in result.get("parameters", {})})
    writer.writerow(["command", *_NUMBERS, *(f"parameter_{name}" for name in parameters)])
    for result in results:
        values = result.get("parameters", {})
        writer.writerow(
            [result["command"], *(result[name] for name in _NUMBERS), *(values.get(name) for name in parameters)]
        )
    return text.getvalue()


def _result(program: MeasuredProgram, executions: Sequence[ProgramExecution], summary: Summary) -> dict[str, Any]:
    deviation_ns = summary.wall_standard_deviation_ns
    return {
        "command": program.name,
        "mean": summary.wall_mean_ns / _NS,
        "stddev": None if deviation_ns is None else deviation_ns / _NS,
        "median": summary.wall_median_ns / _NS,
        "user": summary.user_mean_ns / _NS,
        "system": summary.system_mean_ns / _NS,
        "min": summary.wall_min_ns / _NS,
        "max": summary.wall_max_ns / _NS,
        "times": [one.wall_ns / _NS for one in executions],
        "memory_usage_byte": [int(value) for value in readings(executions, "peak_rss_bytes")],
        "exit_codes": [_exit_code(one) for one in executions],
        **({"parameters": dict(program.values)} if program.values else {}),
    }


def _exit_code(execution: ProgramExecution) -> int | None:
    """Return the exit code, or None if a signal ended the program."""
    failure = execution.measurement.failure
    return 0 if failure is None else failure.exit_code
