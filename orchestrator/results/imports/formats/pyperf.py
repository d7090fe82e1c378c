"""pyperf's JSON: values of benchmarks, each from several processes.

Source: output of pyperf 2 and its documentation ("JSON format", version 1.0). A run is one process; its values are
already divided by the loops. Runs without values only calibrated the loops. Metadata of the file apply to each
benchmark, those of a benchmark to each of its runs; the unit is in them, without one it is the second.
"""

from collections.abc import Mapping
from typing import Any

from orchestrator.results.imports.checks import check_count, facts, items, line, mapping, numbers, refused
from orchestrator.results.imports.document import ImportedFile, Series, Unit, figures_of
from orchestrator.shared.values.text import visible_line

NAME = "pyperf"
TITLE = "pyperf"
COMMAND = "python -m pyperf timeit -o FILE STATEMENT"
SCOPE = "One execution of the measured code inside a process: the mean over the loops of a value."
DISPERSION = "Median and interval are those of the medians of the processes."

_UNITS: Mapping[str, tuple[Unit, float]] = {"second": ("ns", 1e9), "byte": ("bytes", 1.0), "integer": ("", 1.0)}
_QUANTITIES = {"second": "wall time", "byte": "memory", "integer": "count"}
_FACTS = {
    "hostname": "host", "platform": "platform", "cpu_model_name": "processor", "cpu_count": "cores",
    "python_version": "Python", "python_implementation": "Python implementation", "python_compiler": "compiler",
    "perf_version": "pyperf", "pyperf_version": "pyperf", "timer": "timer", "cpu_affinity": "affinity",
    "aslr": "address layout", "command": "command",
}  # fmt: skip
_RUN_FACTS = {"date": "measured", "cpu_freq": "frequency", "cpu_temp": "temperature", "load_avg_1min": "load"}


def recognizes(document: Any) -> bool:
    """Return whether the document is a JSON object with a version and a list of benchmarks that have runs."""
    benchmarks = document.get("benchmarks") if isinstance(document, dict) else None
    return isinstance(benchmarks, list) and bool(benchmarks) and all(
        isinstance(one, dict) and "runs" in one for one in benchmarks[:1]
    )  # fmt: skip


def parse(document: Any) -> ImportedFile:
    """Return the series of each benchmark."""
    version = document.get("version")
    if version != "1.0":
        raise refused(
            f"The file has the version {visible_line(str(version)[:20])!r} of pyperf's format; expected '1.0'.",
            remedy="Convert it with the pyperf that wrote it: python -m pyperf convert FILE -o NEW.",
        )
    check_count(len(document["benchmarks"]))
    common = mapping(document.get("metadata") or {}, "metadata")
    found, omissions = [], []
    first: dict[str, str] = {}
    for place, value in enumerate(items(document["benchmarks"], "benchmarks")):
        where = f"benchmarks[{place}]"
        own = mapping(value, where)
        metadata = {**common, **mapping(own.get("metadata") or {}, f"{where}.metadata")}
        runs = items(own.get("runs"), f"{where}.runs")
        first = first or facts({**metadata, **_metadata_of(runs[0], where)}, {**_FACTS, **_RUN_FACTS})
        name = line(metadata.get("name"), f"{where}.metadata.name")
        series = _series(name, metadata, runs, where)
        if series is None:
            omissions.append(f"{name} has no values: its runs only calibrated the loops.")
        else:
            found.append(series)
    return ImportedFile(found, host=first.pop("host", None), facts=first, omissions=omissions)


def _series(name: str, metadata: Mapping[str, Any], runs: Any, where: str) -> Series | None:
    """Return the values of a benchmark, None if it has none."""
    unit_name = str(metadata.get("unit", "second"))
    if unit_name not in _UNITS:
        raise refused(f"{where} has the unit {visible_line(unit_name[:40])!r}; expected {', '.join(_UNITS)}.")
    unit, factor = _UNITS[unit_name]
    readings: list[float] = []
    processes = []
    for place, value in enumerate(runs):
        run = mapping(value, f"{where}.runs[{place}]")
        if run.get("values"):
            values = numbers(run["values"], f"{where}.runs[{place}].values", factor)
            readings += values
            processes.append(len(values))
    if not readings:
        return None
    return Series(
        name,
        _QUANTITIES[unit_name],
        unit,
        figures_of(readings, processes),
        tuple(readings),
        tuple(processes),
        facts=facts(metadata, {"loops": "loops", "inner_loops": "inner loops", "description": "description"}),
    )


def _metadata_of(run: Any, where: str) -> Mapping[str, Any]:
    return mapping(mapping(run, f"{where}.runs[0]").get("metadata") or {}, f"{where}.runs[0].metadata")
