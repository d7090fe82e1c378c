"""API schemas of imports. Units of a series are in its field `unit`; null means absent, with the reason next to it."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints
from pydantic.config import JsonDict

from orchestrator.results.imports.document import Statistic, Unit
from orchestrator.results.schemas import Interval
from orchestrator.wire.base import Message, ServiceResponse

NOT_VERIFIED = (
    "Imported: Ciphermark did not measure this. No known answer was tested, and neither device, build, inputs nor "
    "times were verified."
)
"""Sentence next to every import."""

_EXAMPLE: JsonDict = {
    "name": "hyperfine.json",
    "content": '{"results": [{"command": "true", "mean": 0.5, "stddev": null, "times": [0.5], "exit_codes": [0]}]}',
    "device": "Raspberry Pi 4",
}

Label = Annotated[str, StringConstraints(min_length=1, max_length=120, strip_whitespace=True)]


class ImportRequest(Message):
    """The file of another tool."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    name: Annotated[str, StringConstraints(min_length=1, max_length=200)] = Field(description="Name of the file.")
    content: str = Field(description="Text of the file.")
    format: Annotated[str, StringConstraints(max_length=40)] | None = Field(
        default=None, description="`hyperfine`, `pyperf`, …; default: recognized from the content."
    )
    device: Label | None = Field(
        default=None, description="Device of the measurements, for readers. Default: the host that the file names."
    )


class FormatSummary(ServiceResponse):
    """A format of files that can be imported."""

    name: str
    title: str
    command: str
    """How the tool writes such a file."""


class ImportSummary(ServiceResponse):
    """An imported file."""

    id: str
    imported: Literal[True] = True
    format: str
    tool: str
    """Name of the tool: `Google Benchmark`."""
    name: str
    device: str | None
    """Null: neither the user nor the file names it."""
    series_total: int
    readings_total: int
    imported_by: str
    imported_at: datetime


class ImportDetail(ImportSummary):
    """An imported file with its statements. Its series are a list of their own."""

    sha256: str
    """SHA-256 of the (decompressed) file, which is not kept."""
    remark: str
    """That nothing was verified."""
    scope: str
    """What one reading of this tool covers."""
    dispersion: str
    """What the dispersion of its readings covers."""
    facts: dict[str, str]
    omissions: list[str]


class ImportedSeriesSummary(ServiceResponse):
    """One quantity of one benchmark."""

    position: int
    """In the file, from 1."""
    name: str
    quantity: str
    unit: Unit
    """Empty: the file states none."""
    value: float
    statistic: Statistic
    interval: Interval | None
    """95 % interval of the median."""
    mean: float | None
    standard_deviation: float | None
    minimum: float | None
    maximum: float | None
    n: int | None
    has_readings: bool
    facts: dict[str, str]
    remarks: list[str]
    absent_because: dict[str, str]


class ImportedSeriesDetail(ImportedSeriesSummary):
    """A series with its readings."""

    readings: list[float] | None
    """Every reading of the file, in its order; null: the file has none."""
    processes: list[int] | None
    """Number of readings of each process."""
