"""What chunks are cut from: a stream of bytes with its origin, whatever the kind and wherever it is from."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal

from corpus.catalogue import Origin
from corpus.kinds import Kind
from orchestrator.errors import CiphermarkError


@dataclass(frozen=True)
class Material:
    """Bytes to cut chunks from, not read yet."""

    origin: Origin
    title: str
    licence: str
    address: str | None
    offset_bytes: int  # how much of the first file's head is left out, see ChunkEntry
    note: str
    open: Callable[[], AbstractContextManager[Iterator[bytes]]]  # blocks from the first byte on, every time anew


class MaterialMissing(CiphermarkError):
    """No material of this kind can be had in this way."""

    def __init__(self, detail: str, *, packages: tuple[str, ...] = (), alternative: str = "") -> None:
        """Keep the reason, the Debian packages that would bring it, and what would do instead of them."""
        super().__init__(detail)
        self.packages = packages
        self.alternative = alternative


StepName = Literal["present", "waiting", "looking", "downloading", "making", "storing", "stored"]


@dataclass(frozen=True)
class BuildStep:
    """One message about the progress of a build."""

    step: StepName
    kind: Kind | None  # None where the step concerns the whole corpus
    detail: str  # a sentence for people
    done_bytes: int = 0
    total_bytes: int | None = None  # None where nobody can know


Progress = Callable[[BuildStep], None]


def no_progress(step: BuildStep) -> None:
    """Ignore the progress."""
