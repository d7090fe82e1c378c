"""Measures by which candidates can be ranked: their protocol, unit, direction and source.

A measure of readings has one value per execution, so that candidates are compared by block. A measure of the footprint
or of the source code has one exact value per implementation and build.
"""

from dataclasses import dataclass
from typing import Literal

from orchestrator.results.schemas import RankingMeasure

Unit = Literal["bytes/s", "ns", "1", "bytes", "J/byte"]
Source = Literal["readings", "footprint", "source"]
Purpose = Literal["timing", "memory", "energy"]


@dataclass(frozen=True)
class MeasureFacts:
    """Properties of a measure."""

    title: str
    """Noun phrase: ``CPU time of the whole pass``."""
    superlative: str
    """Of the first candidate: ``lowest CPU time of the whole pass``."""
    unit: Unit
    protocol: Literal["process", "latency", "either"]
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
    def exact(self) -> bool:
        """True where equal means equal: one value per build, without readings."""
        return self.source != "readings"


MEASURES: dict[RankingMeasure, MeasureFacts] = {
    "encrypt": MeasureFacts("encryption throughput", "highest encryption throughput", "bytes/s", "process"),
    "decrypt": MeasureFacts("decryption throughput", "highest decryption throughput", "bytes/s", "process"),
    "both": MeasureFacts(
        "throughput of encryption and decryption together",
        "highest throughput of encryption and decryption together",
        "bytes/s",
        "process",
    ),
    "pass": MeasureFacts(
        "pass throughput, process included", "highest pass throughput (process included)", "bytes/s", "process"
    ),
    "key-setup": MeasureFacts("time of the key setup", "fastest key setup", "ns", "process"),
    "pass-cpu": MeasureFacts("CPU time of the whole pass", "lowest CPU time of the whole pass", "ns", "process"),
    "encrypt-cpu": MeasureFacts("CPU time of the encryption", "lowest CPU time of the encryption", "ns", "process"),
    "decrypt-cpu": MeasureFacts("CPU time of the decryption", "lowest CPU time of the decryption", "ns", "process"),
    "encrypt-cycles": MeasureFacts("cycles of the encryption", "fewest cycles of the encryption", "1", "process"),
    "decrypt-cycles": MeasureFacts("cycles of the decryption", "fewest cycles of the decryption", "1", "process"),
    "call": MeasureFacts("time of one warm call", "fastest call", "ns", "latency"),
    "call-cpu": MeasureFacts("CPU time of one warm call", "lowest CPU time of a call", "ns", "latency"),
    "call-cycles": MeasureFacts("cycles of one warm call", "fewest cycles of a call", "1", "latency"),
    "cold-call": MeasureFacts("time of the first call of a process", "fastest first call", "ns", "latency"),
    "peak-memory": MeasureFacts(
        "peak memory", "lowest peak memory", "bytes", "either", purpose="memory", timed=False
    ),
    "energy": MeasureFacts(
        "energy of one byte of input", "lowest energy per byte", "J/byte", "either", purpose="energy", timed=False
    ),
    "code-size": MeasureFacts("code size", "smallest code", "bytes", "either", "footprint", timed=False),
    "static-ram": MeasureFacts("static RAM", "lowest static RAM", "bytes", "either", "footprint", timed=False),
    "stack": MeasureFacts("stack", "lowest stack", "bytes", "either", "footprint", timed=False),
    "source-lines": MeasureFacts("source lines", "fewest source lines", "1", "either", "source", timed=False),
}  # fmt: skip
