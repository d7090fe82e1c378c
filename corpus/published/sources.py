"""The published work of each kind, from `sources.yaml`."""

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from corpus.kinds import Kind

_SOURCES = Path(__file__).with_name("sources.yaml")


class PinnedFile(BaseModel):
    """The beginning of a file of a work: the only content that a download accepts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    address: str
    length_bytes: int = Field(ge=1)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")  # of these bytes


class Download(BaseModel):
    """The address of a work: one file, or an item of an archive with its listing; and what was recorded of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str | None = None  # the address of the file itself
    listing: str | None = None  # the address of a JSON document {"files": [{"name": …}, …]}
    base: str | None = None  # the folder in which the listed names are found
    pinned: tuple[PinnedFile, ...] = ()  # empty: nothing is downloaded

    @model_validator(mode="after")
    def _one_way(self) -> "Download":
        if (self.file is None) == (self.listing is None) or (self.listing is None) != (self.base is None):
            raise ValueError("expected either `file`, or `listing` and `base`")
        return self


class Source(BaseModel):
    """One published work."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    author: str
    license: str
    address: str  # the page of the work
    files: tuple[str, ...]  # patterns of file names, the preferred first
    download: Download


def load_sources(path: Path = _SOURCES) -> dict[Kind, Source]:
    """Return the source of each kind that has one (random bytes have none)."""
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    return TypeAdapter(dict[Kind, Source]).validate_python(document)
