"""hyperfine's ``--export-json``: wall times of whole processes. Times in the file are seconds.

Source: output of hyperfine 1.15 and src/benchmark/benchmark_result.rs of sharkdp/hyperfine: ``times`` and
``exit_codes`` have one item per execution, ``user`` and ``system`` are means, ``stddev`` is null for one execution,
``memory_usage_byte`` came with 1.19.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from orchestrator.results.imports.checks import (
    check_count,
    facts,
    items,
    line,
    mapping,
    number,
    numbers,
    optional_number,
    refused,
)
from orchestrator.results.imports.document import Figures, ImportedFile, Series, figures_of

NAME = "hyperfine"
TITLE = "hyperfine"
COMMAND = "hyperfine --export-json FILE COMMAND"
SCOPE = (
    "One execution of a command line, from the start of its process to its end; hyperfine subtracts the start of its "
    "shell, measured before, unless it uses none (-N)."
)
DISPERSION = "The dispersion is that of processes which hyperfine executed one after the other, not in random order."

_NS = 1e9
_ONLY_MEAN = "hyperfine writes only the mean over all executions."
_NO_TIMES = "The file has no list of times; newer versions of hyperfine write one."


def recognizes(document: Any) -> bool:
    """Return whether the document is a JSON object with a list of results that have a command."""
    results = document.get("results") if isinstance(document, dict) else None
    return isinstance(results, list) and bool(results) and isinstance(results[0], dict) and "command" in results[0]


def parse(document: Any) -> ImportedFile:
    """Return the series of each command."""
    found = items(document["results"], "results")
    check_count(len(found))
    return ImportedFile([one for place, result in enumerate(found) for one in _series(result, f"results[{place}]")])


def _series(result: Any, where: str) -> Iterator[Series]:
    own = mapping(result, where)
    name = line(own.get("command"), f"{where}.command")
    parameters = mapping(own.get("parameters") or {}, f"{where}.parameters")
    known = facts(parameters, {key: line(key, f"{where}.parameters") for key in parameters})
    remarks = _failures(own, where)
    yield wall_series(own, where, name, known, remarks)
    yield from cpu_series(own, where, name, known, _ONLY_MEAN)
    if own.get("memory_usage_byte"):
        readings = numbers(own["memory_usage_byte"], f"{where}.memory_usage_byte")
        yield Series(name, "peak memory", "bytes", figures_of(readings), readings, facts=known, remarks=remarks)


def cpu_series(
    own: Mapping[str, Any], where: str, name: str, known: Mapping[str, str], missing: str
) -> Iterator[Series]:
    """Yield the means of user and system time of a result; missing: why there is nothing else."""
    for key, quantity in (("user", "user CPU time"), ("system", "system CPU time")):
        mean = optional_number(own.get(key), f"{where}.{key}", _NS)
        if mean is not None:
            yield Series(name, quantity, "ns", Figures(mean, "mean", mean=mean), facts=known, missing=missing)


def wall_series(
    own: Mapping[str, Any], where: str, name: str, known: Mapping[str, str], remarks: tuple[str, ...] = ()
) -> Series:
    """Return the wall times of a result, or its figures where it has no times."""
    if own.get("times"):
        readings = numbers(own["times"], f"{where}.times", _NS)
        mean = number(own.get("mean"), f"{where}.mean", _NS)
        figures = figures_of(readings)
        if abs(mean - (figures.mean or 0)) > 1e-6 * mean + 1:
            raise refused(
                f"{where}.mean is {mean / _NS:.9g} s, but the mean of its {len(readings)} times is "
                f"{(figures.mean or 0) / _NS:.9g} s: the file was changed."
            )
        return Series(name, "wall time", "ns", figures, readings, facts=known, remarks=remarks)
    median = optional_number(own.get("median"), f"{where}.median", _NS)
    mean = number(own.get("mean"), f"{where}.mean", _NS)
    figures = Figures(
        value=mean if median is None else median,
        statistic="mean" if median is None else "median",
        mean=mean,
        standard_deviation=optional_number(own.get("stddev"), f"{where}.stddev", _NS),
        minimum=optional_number(own.get("min"), f"{where}.min", _NS),
        maximum=optional_number(own.get("max"), f"{where}.max", _NS),
    )
    return Series(name, "wall time", "ns", figures, facts=known, remarks=remarks, missing=_NO_TIMES)


def _failures(own: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """Return a remark about executions that failed; hyperfine keeps their times."""
    codes = own.get("exit_codes") or []
    if not isinstance(codes, list):
        raise refused(f"{where}.exit_codes is not a list.")
    failed = sum(code != 0 for code in codes)
    return (f"{failed} of {len(codes)} executions failed; their times are included.",) if failed else ()
