"""Measures by which candidates can be ranked, each declared once: protocol, unit, direction, and where its value is.

A measure of readings has one value per execution, so that candidates are compared by block. A measure of the footprint
or of the source code has one exact value per implementation and build.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

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

    @property
    def counted(self) -> bool:
        """True where the processor's counters give it."""
        return self.unit == "1" and not self.exact

    @property
    def exact(self) -> bool:
        """True where equal means equal: one value per build, without readings."""
        return self.source != "readings"


def _speed(what: str, *times: str, superlative: str = "") -> MeasureFacts:
    return MeasureFacts(what, superlative or f"highest {what}", "bytes/s", "process", times)


def _cpu_time(of: str, *times: str) -> MeasureFacts:
    return MeasureFacts(f"CPU time of {of}", f"lowest CPU time of {of}", "ns", "process", times)


def _cycles(of: str, reading: str) -> MeasureFacts:
    return MeasureFacts(f"cycles of {of}", f"fewest cycles of {of}", "1", "process", (reading,))


def _size(what: str, superlative: str) -> MeasureFacts:
    return MeasureFacts(what, superlative, "bytes", "either", source="footprint", timed=False)


MEASURES: dict[str, MeasureFacts] = {
    "encrypt": _speed("encryption throughput", "encrypt_wall_ns"),
    "decrypt": _speed("decryption throughput", "decrypt_wall_ns"),
    "both": _speed("throughput of encryption and decryption together", "encrypt_wall_ns", "decrypt_wall_ns"),
    "pass": _speed("pass throughput, process included", "work_wall_ns",
                   superlative="highest pass throughput (process included)"),
    "key-setup": MeasureFacts("time of the key setup", "fastest key setup", "ns", "process", ("key_setup_wall_ns",)),
    "pass-cpu": _cpu_time("the whole pass", "work_cpu_ns"),
    "encrypt-cpu": _cpu_time("the encryption", "encrypt_user_ns", "encrypt_system_ns"),
    "decrypt-cpu": _cpu_time("the decryption", "decrypt_user_ns", "decrypt_system_ns"),
    "encrypt-cycles": _cycles("the encryption", "encrypt_cycles"),
    "decrypt-cycles": _cycles("the decryption", "decrypt_cycles"),
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
}  # fmt: skip


def _known(name: str) -> str:
    if name not in MEASURES:
        *names, last = (f"'{known}'" for known in MEASURES)
        expected = f"{', '.join(names)} or {last}"
        raise PydanticCustomError("literal_error", "Input should be {expected}", {"expected": expected})
    return name


RankingMeasure = Annotated[str, AfterValidator(_known), WithJsonSchema({"enum": list(MEASURES), "type": "string"})]
"""Name of a measure."""
