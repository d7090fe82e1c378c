"""Files with the results of a series: hyperfine's two formats, and tables in the export formats for text.

Keys of hyperfine are those of version 1.19 (``memory_usage_byte`` came with it); times are wall times of each execution
in seconds, ``user`` and ``system`` are means over the executions. hyperfine subtracts the start of its shell; here
times include a shell, if there is one. Source: output of hyperfine 1.15, and src/benchmark/benchmark_result.rs of
sharkdp/hyperfine.
"""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from orchestrator.cli.adhoc.reports.document import Results
from orchestrator.cli.adhoc.reports.markup import Sort, given_order, markup_table
from orchestrator.cli.adhoc.series import MeasuredProgram, ProgramExecution
from orchestrator.cli.adhoc.summary import Summary, readings
from orchestrator.shared.exporters import exporter


def file_bytes(results: Results, name: str, sort: Sort, unit: str | None) -> bytes:
    """Return the contents of a file: ``json`` and ``csv`` as hyperfine writes them, else a table of that format.

    unit: of the times of a table; hyperfine's formats are in seconds. The start of a shell is in tables only.
    Raises InvalidRequest for an unknown format.
    """
    if name not in ("json", "csv"):
        columns, rows = markup_table(results, sort, unit)
        return b"".join(exporter(name).stream(columns, rows))
    order = [place for place in given_order(results, sort) if place != results.plan.shell]
    document = hyperfine_document(
        [results.plan.programs[place] for place in order],
        [results.series.of(place) for place in order],
        [results.summaries[place] for place in order],
    )
    if name == "csv":
        return hyperfine_csv(document).encode()
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


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
