"""EvalMe's ``--json``: hyperfine's times of one command, and samples of its memory from further executions.

Source: evalme.py and README.md of reverseame/EvalMe (2021). The key ``cpu`` has what hyperfine exported, in seconds:
wall times, and the means of user and system time. ``memory`` has the resident (``real``) and virtual sizes that psutil
read from the process which EvalMe started, one per polling interval (0.1 s by default), over all executions, in bytes.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from orchestrator.results.imports.checks import line, mapping, numbers
from orchestrator.results.imports.document import ImportedFile, Series, figures_of
from orchestrator.results.imports.formats.hyperfine import cpu_series, wall_series

NAME = "evalme"
TITLE = "EvalMe"
COMMAND = "evalme.py COMMAND --json > FILE"
SCOPE = (
    "One execution of a command line as hyperfine measures it: from the start of its process to its end, without the "
    "start of the shell. Memory: one sample of the shell that executes the command, at intervals."
)
DISPERSION = "The dispersion of times is that of processes, the dispersion of memory that of samples during processes."

_ONLY_MEAN = "hyperfine, which EvalMe uses, writes only the mean over all executions."
_SAMPLES = "Samples at intervals, not peaks; a sample of a shell that waits for the command is the shell's memory."


def recognizes(document: Any) -> bool:
    """Return whether the document is a JSON object with a command and results for cpu or memory."""
    results = document.get("results") if isinstance(document, dict) else None
    return isinstance(results, dict) and "command" in document and bool({"cpu", "memory"} & set(results))


def parse(document: Any) -> ImportedFile:
    """Return the series of the command."""
    name = line(document.get("command"), "command")
    results = mapping(document["results"], "results")
    return ImportedFile([*_times(results.get("cpu"), name), *_memory(results.get("memory"), name)])


def _times(value: Any, name: str) -> Iterator[Series]:
    if value is None:
        return
    own = mapping(value, "results.cpu")
    yield wall_series(own, "results.cpu", name, {})
    yield from cpu_series(own, "results.cpu", name, {}, _ONLY_MEAN)


def _memory(value: Any, name: str) -> Iterator[Series]:
    if value is None:
        return
    kinds: Mapping[str, Any] = mapping(value, "results.memory")
    for key, quantity in (("real", "sampled resident memory"), ("virtual", "sampled virtual memory")):
        if key in kinds:
            where = f"results.memory.{key}"
            readings = numbers(mapping(kinds[key], where).get("bytes"), f"{where}.bytes")
            yield Series(name, quantity, "bytes", figures_of(readings), readings, remarks=(_SAMPLES,))
