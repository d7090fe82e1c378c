"""Quantities without an error: published figures, sizes of code and of sources. Pure."""

import gzip
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from orchestrator.builds.source_metrics.schemas import DISK_BLOCK_BYTES, GZIP_LEVEL
from orchestrator.papers.quantities import Device, Missing, SharedInput
from orchestrator.statistics.location import Floats

SizeOfSource = Literal["lines", "bytes", "compressed_bytes", "disk_bytes", "compressed_disk_bytes"]


@dataclass(frozen=True)
class Published:
    """A published figure, or a bound that follows from its definition, as a quantity of its own."""

    label: str
    value: float
    exact: bool = field(default=True, init=False)

    def logs(self, _device: Device) -> Mapping[SharedInput, Floats]:
        """Return ln(figure) as a single value."""
        return _single(self.value)


@dataclass(frozen=True)
class ExactCodeSize:
    """Code size of an implementation in bytes: that of a program that contains it alone, minus an empty program."""

    provider: str
    algorithm: str
    variant: str
    compiler: str
    exact: bool = field(default=True, init=False)

    @property
    def label(self) -> str:
        """Name for users."""
        return f"code of {self.algorithm} {self.variant}, {self.compiler}"

    def logs(self, device: Device) -> Mapping[SharedInput, Floats]:
        """Return ln(bytes) as a single value; raises Missing."""
        for (build_id, *implementation), footprint in device.facts.footprints.items():
            same = implementation == [self.provider, self.algorithm, self.variant]
            if same and device.compiler(build_id) == self.compiler and footprint.code_bytes:
                return _single(footprint.code_bytes)
        raise Missing(f"{self.label}: no size was reported")


@dataclass(frozen=True)
class SourceSize:
    """Size of a source file of a runner: lines that are not empty, bytes, bytes after gzip -9, or bytes on disk."""

    path: str
    """Below `runners`."""
    what: SizeOfSource
    exact: bool = field(default=True, init=False)

    @property
    def label(self) -> str:
        """Name for users."""
        return f"{self.what.replace('_', ' ')} of {self.path}"

    def logs(self, device: Device) -> Mapping[SharedInput, Floats]:
        """Return ln(size) as a single value; raises Missing."""
        text = device.read_source(self.path)
        return _single(_size(text, self.what))


def _size(text: str, what: SizeOfSource) -> int:
    if what == "lines":
        return sum(bool(line.strip()) for line in text.splitlines())
    data = text.encode()
    if what.startswith("compressed"):
        data = gzip.compress(data, GZIP_LEVEL, mtime=0)
    blocks = math.ceil(len(data) / DISK_BLOCK_BYTES)
    return blocks * DISK_BLOCK_BYTES if what.endswith("disk_bytes") else len(data)


def _single(value: float) -> Mapping[SharedInput, Floats]:
    return {SharedInput(): np.log(np.array([float(value)]))}
