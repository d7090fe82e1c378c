"""Changes between two sides, most relevant first. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from orchestrator.results.comparisons.schemas import Change

TOPICS = (
    "plan", "corpus", "device", "compiler", "flags", "sources", "libraries", "kernel", "microcode", "governor",
    "throttling", "temperature", "frequency", "disturbances", "preflight", "system", "agent software", "hashes",
)  # fmt: skip
"""Groups of facts in the order of their relevance: what was requested, what was executed, on what, and how it felt."""
MAX_TEXT = 160
_TOLERANCES = {"temperature": 3.0, "frequency": 0.01, "throttling": 0.0, "disturbances": 0.05}
"""Differences of figures that count: degrees Celsius; a share of the frequency; executions; a share of executions."""

_COMPILERS = (
    ("icpx", re.compile(r"\bicpx\b|IntelLLVM|oneAPI", re.IGNORECASE)),
    ("clang", re.compile(r"\bclang\b", re.IGNORECASE)),
    ("gcc", re.compile(r"\bGNU\b|\bgcc\b|\bg\+\+", re.IGNORECASE)),
)
_VERSION = re.compile(r"\d+(?:\.\d+)+")
_REVISION = re.compile(r"\([^)]*\)")
"""Package of a distribution: ``(Debian 12.2.0-14+deb12u1)``."""


@dataclass(frozen=True)
class ComparedCompiler:
    """A compiler as it describes itself, or as a program that it compiled names it."""

    label: str


_OF_COMPILATION = ("flags", "sources")
"""Topics that prebuilt programs have nothing of."""


@dataclass(frozen=True)
class MeasuredFigure:
    """A measured figure with its label; it changes only by more than the tolerance of its topic."""

    value: float
    label: str


Fact = str | MeasuredFigure | ComparedCompiler


@dataclass
class SideFacts:
    """Facts of one side by topic and subject."""

    values: dict[str, dict[str, Fact]] = field(default_factory=dict)

    def add(self, topic: str, subject: str, value: object) -> None:
        """Add a fact; a value of None is an absent one."""
        if value is not None and value != "":
            self.values.setdefault(topic, {})[subject] = (
                value if isinstance(value, MeasuredFigure | ComparedCompiler) else str(value)
            )


def changes(first: SideFacts, other: SideFacts) -> list[Change]:
    """Return what differs, by the order of TOPICS, then by subject."""
    found = []
    for topic in TOPICS:
        before, after = first.values.get(topic, {}), other.values.get(topic, {})
        for subject in sorted({*before, *after}):
            one, two = before.get(subject), after.get(subject)
            if _differs(topic, one, two):
                shown = _labels(_text(one), _text(two))
                found.append(Change(topic=topic, subject=subject, before=shown[0], after=shown[1]))
    return found


def in_most(of_each: Sequence[Sequence[Change]]) -> list[Change]:
    """Return the changes that a run shows against more than half of several former runs, by the order of TOPICS.

    of_each: changes against each former run, oldest first. A fact that varies from run to run, such as a temperature,
    is left out where most former runs are like the new one. The value before is that of the latest run that differs.
    """
    found: dict[tuple[str, str], list[Change]] = {}
    for own in of_each:
        for change in own:
            found.setdefault((change.topic, change.subject), []).append(change)
    kept = [those[-1] for those in found.values() if 2 * len(those) > len(of_each)]
    return sorted(kept, key=lambda change: (TOPICS.index(change.topic), change.subject))


def _differs(topic: str, one: Fact | None, two: Fact | None) -> bool:
    if isinstance(one, MeasuredFigure) and isinstance(two, MeasuredFigure):
        distance = abs(one.value - two.value)
        scale = max(abs(one.value), abs(two.value)) if topic == "frequency" else 1.0
        return distance > _TOLERANCES.get(topic, 0.0) * scale
    if topic == "preflight" and isinstance(one, str) and isinstance(two, str):
        # "good: 68.3 GiB free": the state is what changes, and the rest of the text differs in every run.
        return _state(one) != _state(two)
    if (
        topic == "governor"
        and isinstance(one, str)
        and isinstance(two, str)
        and _state(one) == _state(two) == "unknown"
    ):
        # The reason names a file of the measured core.
        return False
    if isinstance(one, ComparedCompiler) and isinstance(two, ComparedCompiler):
        return not same_compiler(one.label, two.label)
    if topic in _OF_COMPILATION and not (one and two):
        # Programs that were installed as they are have no record of their compilation.
        return False
    # A figure that only one side has is a sensor that only one side read, not a change of the machine.
    return one != two and not isinstance(one or two, MeasuredFigure)


def compiler_name(described: str) -> str:
    """Return kind and version: ``gcc 12.2.0`` for ``g++ (Debian 12.2.0-14+deb12u1) 12.2.0`` and for ``GNU 12.2.0``.

    A text without a known kind or without a version is returned as it is.
    """
    plain = _REVISION.sub("", described)
    kind = next((name for name, pattern in _COMPILERS if pattern.search(plain)), None)
    version = _VERSION.search(plain)
    return f"{kind} {version[0]}" if kind and version else described


def same_compiler(one: str, other: str) -> bool:
    """Return whether two texts describe one compiler.

    A program reports no revision of a distribution, so that one is compared only where both texts have it.
    """
    detailed = all(_REVISION.search(text) for text in (one, other))
    return one == other if detailed else compiler_name(one) == compiler_name(other)


def _state(preflight: str) -> str:
    """Return the state of a preflight check: the word before the colon."""
    return preflight.partition(":")[0]


def _text(value: Fact | None) -> str | None:
    return value.label if isinstance(value, MeasuredFigure | ComparedCompiler) else value


def _labels(one: str | None, two: str | None) -> tuple[str | None, str | None]:
    """Return both texts; of long ones, such as commands, only the words in which they differ."""
    if one is not None and two is not None and max(len(one), len(two)) > MAX_TEXT:
        before, after = one.split(), two.split()
        blocks = SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes()
        one = _pieces(before, [(kind, start, end) for kind, start, end, _, _ in blocks])
        two = _pieces(after, [(kind, start, end) for kind, _, _, start, end in blocks])
    return _cut(one), _cut(two)


def _pieces(words: Sequence[str], blocks: Sequence[tuple[str, int, int]]) -> str:
    """Return the words that differ, with an ellipsis for those that are equal."""
    pieces = ["…" if kind == "equal" else " ".join(words[start:end]) for kind, start, end in blocks]
    return " ".join(piece for piece in pieces if piece)


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
