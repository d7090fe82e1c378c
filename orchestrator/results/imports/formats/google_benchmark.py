"""Google Benchmark's JSON: time of one iteration, for each repetition of each benchmark.

Source: output of Google Benchmark 1.7 and its user guide. An entry of ``run_type`` iteration is one repetition; its
times are means over the iterations, in the entry's ``time_unit``. Entries of type aggregate summarize the repetitions
and are used only where the repetitions are missing (``--benchmark_report_aggregates_only``). Further numbers in an
entry are counters of the benchmark.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from orchestrator.results.imports.checks import check_count, facts, items, line, mapping, number, refused, whole
from orchestrator.results.imports.document import Figures, ImportedFile, Series, Unit, figures_of
from orchestrator.shared.values.text import visible_line

NAME = "google-benchmark"
TITLE = "Google Benchmark"
COMMAND = "PROGRAM --benchmark_out=FILE --benchmark_out_format=json --benchmark_repetitions=10"
SCOPE = "One iteration of the benchmark's loop inside a process: the mean over the iterations of a repetition."
DISPERSION = "The dispersion is that of repetitions inside one process, not that between processes."

_UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
_TIMES = {"real_time": "wall time", "cpu_time": "CPU time"}
_COUNTERS: Mapping[str, Unit] = {"bytes_per_second": "bytes/s", "items_per_second": "1/s"}
_OWN_KEYS = {
    "name", "run_name", "run_type", "repetitions", "repetition_index", "threads", "iterations", "real_time", "cpu_time",
    "time_unit", "family_index", "per_family_instance_index", "aggregate_name", "aggregate_unit", "label",
    "error_occurred", "error_message", "skipped", "skip_message",
}  # fmt: skip
_FACTS = {
    "date": "measured", "executable": "executable", "num_cpus": "cores", "mhz_per_cpu": "MHz per core",
    "cpu_scaling_enabled": "frequency scaling", "aslr_enabled": "address layout randomization",
    "library_build_type": "build type of the library", "library_version": "library version",
}  # fmt: skip
_ONLY_AGGREGATES = "The file has only the summary of the repetitions (--benchmark_report_aggregates_only)."

_Entry = Mapping[str, Any]


def recognizes(document: Any) -> bool:
    """Return whether the document is a JSON object with a context and a list of benchmarks."""
    return isinstance(document, dict) and "context" in document and isinstance(document.get("benchmarks"), list)


def parse(document: Any) -> ImportedFile:
    """Return the series of each benchmark: both times, and its counters."""
    context = mapping(document["context"], "context")
    by_name: dict[str, list[_Entry]] = {}
    failed: dict[tuple[str, str], None] = {}
    for place, value in enumerate(items(document["benchmarks"], "benchmarks")):
        entry = mapping(value, f"benchmarks[{place}]")
        name = line(entry.get("run_name", entry.get("name")), f"benchmarks[{place}].name")
        if entry.get("error_occurred") or entry.get("skipped"):
            reason = facts(entry, {"error_message": "reason", "skip_message": "reason"}).get("reason", "an error")
            failed[name, reason] = None
        else:
            by_name.setdefault(name, []).append(entry)
    check_count(len(by_name))
    series = [one for name, entries in by_name.items() for one in _series(name, entries)]
    known = facts(context, {**_FACTS, "host_name": "host"})
    omissions = [f"{'A repetition of ' * (name in by_name)}{name} has no result: {reason}." for name, reason in failed]
    return ImportedFile(series, host=known.pop("host", None), facts=known, omissions=omissions)


def _series(name: str, entries: Sequence[_Entry]) -> Iterator[Series]:
    repetitions = [entry for entry in entries if entry.get("run_type", "iteration") == "iteration"]
    known = facts(entries[0], {"threads": "threads", "label": "label"})
    if repetitions:
        known |= facts(repetitions[0], {"iterations": "iterations"})
        counters = [key for key in repetitions[0] if key not in _OWN_KEYS]
        for key in (*_TIMES, *counters):
            readings = tuple(_value(entry, key, name) for entry in repetitions)
            yield Series(name, *_meaning(key, name), figures_of(readings), readings, facts=known)
        return
    aggregates = {str(entry.get("aggregate_name")): entry for entry in entries}
    if "mean" in aggregates:
        counters = [key for key in aggregates["mean"] if key not in _OWN_KEYS]
        for key in (*_TIMES, *counters):
            yield Series(
                name, *_meaning(key, name), _stated(aggregates, key, name), facts=known, missing=_ONLY_AGGREGATES
            )


def _meaning(key: str, name: str) -> tuple[str, Unit]:
    """Return the quantity of a key, and its unit."""
    if key in _TIMES:
        return _TIMES[key], "ns"
    return line(key, f"a counter of {name[:60]!r}", 80).replace("_per_second", " per second"), _COUNTERS.get(key, "")


def _stated(aggregates: Mapping[str, _Entry], key: str, name: str) -> Figures:
    found = {
        statistic: _value(aggregates[statistic], key, name)
        for statistic in ("mean", "median", "stddev")
        if key in aggregates.get(statistic, {})
    }
    if "mean" not in found:
        raise refused(f"{name[:60]!r} has no mean of {key}; expected one for each of its summaries.")
    n = aggregates["mean"].get("repetitions")
    return Figures(
        value=found.get("median", found["mean"]),
        statistic="median" if "median" in found else "mean",
        n=None if n is None else whole(n, f"repetitions of {name[:60]!r}"),
        mean=found["mean"],
        standard_deviation=found.get("stddev"),
    )


def _value(entry: _Entry, key: str, name: str) -> float:
    """Return a time in nanoseconds, or a counter."""
    where = f"{key} of {name[:60]!r}"
    if key not in _TIMES:
        return number(entry.get(key), where)
    unit = str(entry.get("time_unit"))
    if unit not in _UNITS:
        raise refused(f"{where} has the unit {visible_line(unit[:20])!r}; expected {', '.join(_UNITS)}.")
    return number(entry.get(key), where, _UNITS[unit])
