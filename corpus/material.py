"""Material of chunks: a stream of bytes with its origin; and the progress messages of a build."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal

from corpus.catalogue import Origin
from corpus.kinds import Kind
from orchestrator.shared.errors import CiphermarkError


@dataclass(frozen=True)
class Material:
    """The source of chunks: a stream of bytes that is not read yet."""

    origin: Origin
    title: str
    license: str
    address: str | None
    offset_bytes: int  # bytes skipped at the head of the first file, see ChunkEntry
    note: str
    open: Callable[[], AbstractContextManager[Iterator[bytes]]]  # blocks from the first byte, at every call


class MaterialMissing(CiphermarkError):
    """No material of this kind is available from this origin."""

    def __init__(self, detail: str, *, packages: tuple[str, ...] = (), alternative: str = "") -> None:
        """Keep the reason, the Debian packages that provide the material, and their alternative."""
        super().__init__(detail)
        self.packages = packages
        self.alternative = alternative


StepName = Literal["present", "waiting", "looking", "downloading", "making", "storing", "stored"]


@dataclass(frozen=True)
class BuildStep:
    """One message about the progress of a build."""

    step: StepName
    kind: Kind | None  # None if the step concerns the whole corpus
    detail: str  # a sentence for people
    done_bytes: int = 0
    total_bytes: int | None = None  # None if unknown


Progress = Callable[[BuildStep], None]


def no_progress(step: BuildStep) -> None:
    """Ignore the progress."""
