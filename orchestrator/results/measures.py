"""Measures by which candidates can be ranked, each declared once: protocol, unit, direction, and where its value is.

A measure of readings has one value per execution, so that candidates are compared by block. A measure of the footprint
or of the source code has one exact value per implementation and build.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from orchestrator.shared.errors import InvalidRequest
from orchestrator.wire.messages import CIPHER_SEQUENCE, phases_of

_NAME = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")
Unit = Literal["bytes/s", "ns", "1", "bytes", "J/byte"]
Source = Literal["readings", "footprint", "source"]
Purpose = Literal["timing", "memory", "energy"]


@dataclass(frozen=True)
class MeasureFacts:
    """Properties of a measure."""

    title: str
    """Noun phrase: ``CPU time of the whole pass``; of a size, its title among the constraints."""
    superlative: str
    """Of the first candidate: ``lowest CPU time of the whole pass``."""
    unit: Unit
    protocol: Literal["process", "latency", "either"]
    values: tuple[str, ...] = ()
    """Columns or readings of an execution whose sum it is; of a speed, the time that the input takes."""
    phases: tuple[str, ...] = ()
    """Phases of a process that a case must have."""
    otherwise: str | None = None
    """Reading of executions that lack these."""
    source: Source = "readings"
    purpose: Purpose = "timing"
    """Purpose of the executions that give it."""
    timed: bool = True
    """A time or a count of cycles, to which the noise floor of times applies."""

    @property
    def rises(self) -> bool:
        """True where more is better."""
        return self.unit == "bytes/s"

    def is_of(self, phases: Mapping[str, bool]) -> bool:
        """Return whether a process with these phases has it; a throughput needs phases that process the message."""
        return all(phase in phases and (phases[phase] or not self.rises) for phase in self.phases)

    @property
    def counted(self) -> bool:
        """True where the processor's counters give it."""
        return self.unit == "1" and not self.exact

    @property
    def exact(self) -> bool:
        """True where equal means equal: one value per build, without readings."""
        return self.source != "readings"


def _speed(what: str, *phases: str) -> MeasureFacts:
    times = tuple(f"{phase}_wall_ns" for phase in phases)
    return MeasureFacts(what, f"highest {what}", "bytes/s", "process", times, phases)


def _time(of: str, phase: str) -> MeasureFacts:
    return MeasureFacts(f"time of {of}", f"fastest {of}", "ns", "process", (f"{phase}_wall_ns",), (phase,))


def _cpu_time(of: str, phase: str) -> MeasureFacts:
    times = (f"{phase}_user_ns", f"{phase}_system_ns")
    return MeasureFacts(f"CPU time of {of}", f"lowest CPU time of {of}", "ns", "process", times, (phase,))


def _cycles(of: str, phase: str) -> MeasureFacts:
    values = (f"{phase}_cycles",)
    return MeasureFacts(f"cycles of {of}", f"fewest cycles of {of}", "1", "process", values, (phase,))


def _size(what: str, superlative: str) -> MeasureFacts:
    return MeasureFacts(what, superlative, "bytes", "either", source="footprint", timed=False)


class _Measures(dict[str, MeasureFacts]):
    """Measures by name. A runner's operation has its throughput or ``-time``, ``-cpu`` and ``-cycles``."""

    def __missing__(self, name: str) -> MeasureFacts:
        if not _NAME.fullmatch(name):
            raise KeyError(name)
        for suffix, make in (("-time", _time), ("-cpu", _cpu_time), ("-cycles", _cycles)):
            if name.endswith(suffix):
                operation = name.removesuffix(suffix)
                return make(operation, *phases_of(operation))
        return _speed(f"throughput of {name}", *phases_of(name))

    def further(self, phases: Mapping[str, bool]) -> list[str]:
        """Return the names of the measures of those phases that are no cipher's.

        phases: whether they process the message.
        """
        of_cipher, found = phases_of(CIPHER_SEQUENCE), list[str]()
        for phase, has_message in phases.items():
            if phase not in of_cipher:
                operation = phase.replace("_", "-")
                names = (operation if has_message else f"{operation}-time", f"{operation}-cpu", f"{operation}-cycles")
                found += (name for name in names if name not in self)
        return found

    def require_compared(self, measure: str | None, phases: Mapping[str, bool], protocols: Collection[str]) -> None:
        """Raise InvalidRequest for a measure by which runs of a plan cannot be compared.

        measure: None is the first one of the run. phases: those of the plan, and whether they process the message;
        protocols: those of its cases.
        """
        known = [name for name, one in self.items() if one.protocol in ("either", *protocols) and not one.exact]
        known += self.further(phases)
        if measure is not None and measure not in known:
            raise InvalidRequest(
                f"Runs of this plan cannot be compared by the measure {measure!r}.",
                remedy=f"Choose one of {', '.join(known)}.",
                field="measure",
            )


MEASURES = _Measures({
    "encrypt": _speed("encryption throughput", "encrypt"),
    "decrypt": _speed("decryption throughput", "decrypt"),
    "both": _speed("throughput of encryption and decryption together", "encrypt", "decrypt"),
    "pass": MeasureFacts("pass throughput, process included", "highest pass throughput (process included)", "bytes/s",
                         "process", ("work_wall_ns",)),
    "key-setup": _time("key setup", "key_setup"),
    "pass-cpu": MeasureFacts(
        "CPU time of the whole pass", "lowest CPU time of the whole pass", "ns", "process", ("work_cpu_ns",)
    ),
    "encrypt-cpu": _cpu_time("the encryption", "encrypt"),
    "decrypt-cpu": _cpu_time("the decryption", "decrypt"),
    "encrypt-cycles": _cycles("the encryption", "encrypt"),
    "decrypt-cycles": _cycles("the decryption", "decrypt"),
    "call": MeasureFacts("time of one warm call", "fastest call", "ns", "latency", ("call_wall_ns",)),
    "call-cpu": MeasureFacts(
        "CPU time of one warm call", "lowest CPU time of a call", "ns", "latency", ("call_cpu_ns",)
    ),
    "call-cycles": MeasureFacts("cycles of one warm call", "fewest cycles of a call", "1", "latency", ("call_cycles",)),
    "cold-call": MeasureFacts(
        "time of the first call of a process", "fastest first call", "ns", "latency",
        ("cold_call_wall_ns",), otherwise="cold_key_setup_wall_ns",
    ),
    "peak-memory": MeasureFacts(
        "peak memory", "lowest peak memory", "bytes", "either", ("peak_rss_bytes",), purpose="memory", timed=False
    ),
    "energy": MeasureFacts(
        "energy of one byte of input", "lowest energy per byte", "J/byte", "either", ("energy_per_byte_joules",),
        purpose="energy", timed=False,
    ),
    "code-size": _size("code size", "smallest code"),
    "static-ram": _size("static RAM", "lowest static RAM"),
    "stack": _size("stack", "lowest stack"),
    "source-lines": MeasureFacts(
        "source lines", "fewest source lines", "1", "either", source="source", timed=False
    ),
})  # fmt: skip


def is_measure(name: str) -> bool:
    """Return whether a run can have this measure: a known one, or that of an operation."""
    return name in MEASURES or _NAME.fullmatch(name) is not None


def _known(name: str) -> str:
    if not is_measure(name):
        *names, last = (f"'{known}'" for known in MEASURES)
        expected = f"{', '.join(names)} or {last}"
        raise PydanticCustomError("literal_error", "Input should be {expected}", {"expected": expected})
    return name


RankingMeasure = Annotated[
    str,
    AfterValidator(_known),
    WithJsonSchema({"type": "string", "pattern": _NAME.pattern, "examples": list(MEASURES)}),
]
"""Name of a measure: one of MEASURES, or an operation of a runner, with ``-time``, ``-cpu`` or ``-cycles`` or alone."""
