"""Bencher Metric Format (BMF): one value for each measure of each benchmark, perhaps with two bounds.

Source: "Bencher Metric Format (BMF)" in the documentation of bencher.dev, with its JSON schema. The format has neither
units nor readings; those of the measures that every project of bencher has are documented there.
"""

from collections.abc import Mapping
from typing import Any

from orchestrator.imports.checks import check_count, line, mapping, number, refused
from orchestrator.imports.document import Figures, ImportedFile, Series, Unit
from orchestrator.imports.formats import Content

NAME = "bencher"
TITLE = "bencher"
COMMAND = "a file in Bencher Metric Format (bencher run --adapter json)"
SCOPE = "Unknown: the format does not describe what was measured."
DISPERSION = "The format has no readings; it does not define its bounds."

_MEASURES: Mapping[str, tuple[str, Unit, float]] = {
    "latency": ("latency", "ns", 1.0),
    "throughput": ("throughput", "1/s", 1.0),
    "build-time": ("build time", "ns", 1e9),
    "file-size": ("file size", "bytes", 1.0),
    "instructions": ("instructions", "", 1.0),
    "estimated-cycles": ("estimated cycles", "cycles", 1.0),
}
"""Measure → its name, the unit to show, and the factor from bencher's unit."""
_KEYS = {"value", "lower_value", "upper_value"}
_MISSING = "The format has one value for each measure, and no readings."


def recognizes(content: Content) -> bool:
    """Return whether the content is a JSON object of objects of metrics with a value."""
    document = content.document
    if not isinstance(document, dict) or not document:
        return False
    measures = next(iter(document.values()))
    metric = next(iter(measures.values()), None) if isinstance(measures, dict) else None
    return isinstance(metric, dict) and "value" in metric and set(metric) <= _KEYS


def parse(content: Content) -> ImportedFile:
    """Return a series for each measure of each benchmark."""
    check_count(sum(len(measures) for measures in content.document.values() if isinstance(measures, dict)))
    return ImportedFile(
        [
            _series(line(benchmark, "the name of a benchmark"), measure, metric)
            for benchmark, measures in content.document.items()
            for measure, metric in mapping(measures, repr(benchmark[:60])).items()
        ]
    )


def _series(benchmark: str, measure: str, metric: Any) -> Series:
    where = f"{measure[:60]!r} of {benchmark[:60]!r}"
    quantity, unit, factor = _MEASURES.get(measure, (line(measure, f"a measure of {benchmark[:60]!r}", 80), "", 1.0))
    own = mapping(metric, where)
    value = number(own.get("value"), where, factor)
    bounds = {
        key: number(own[key], f"{key} of {where}", factor) for key in ("lower_value", "upper_value") if key in own
    }
    if not bounds.get("lower_value", value) <= value <= bounds.get("upper_value", value):
        raise refused(f"{where} has the value {value:g}, which is not within its bounds.")
    return Series(
        benchmark,
        quantity,
        unit,
        Figures(value, "value"),
        facts={key.replace("_", " "): f"{bound:.9g}" for key, bound in bounds.items()},
        remarks=() if measure in _MEASURES else ("The file does not state the unit of this measure.",),
        missing=_MISSING,
    )
