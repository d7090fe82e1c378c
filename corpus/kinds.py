"""Kinds and sizes of chunks, and the validation of requested ones."""

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.units import GIB, KIB, MIB, format_size

Kind = Literal["random", "audio", "video", "text"]
KINDS: tuple[Kind, ...] = get_args(Kind)

DEFAULT_SIZES_BYTES: tuple[int, ...] = (128 * KIB, 256 * KIB, 512 * KIB, 1 * MIB, 4 * MIB, 8 * MIB)
MAX_CHUNK_BYTES = 1 * GIB


def checked_kind(kind: str) -> Kind:
    """Return the kind; raise InvalidRequest with the known kinds if there is none of that name."""
    for known in KINDS:
        if kind == known:
            return known
    raise InvalidRequest(f"{kind!r} is not a kind of chunk.", remedy=f"Known kinds: {', '.join(KINDS)}.", field="kinds")


def checked_kinds(kinds: Iterable[str]) -> tuple[Kind, ...]:
    """Return the kinds once each, in the order of KINDS; raise InvalidRequest for none or an unknown one."""
    requested = {checked_kind(kind) for kind in kinds}
    if not requested:
        raise InvalidRequest("No kind of chunk was requested.", remedy=f"Name one of {KINDS}.", field="kinds")
    return tuple(kind for kind in KINDS if kind in requested)


def checked_sizes(sizes_bytes: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes once each, ascending; raise InvalidRequest for none or one outside 1 byte to 1 GiB."""
    if not sizes_bytes:
        raise InvalidRequest("No chunk size was requested.", remedy="Name at least one size.", field="sizes")
    for size_bytes in sizes_bytes:
        if not 1 <= size_bytes <= MAX_CHUNK_BYTES:
            raise InvalidRequest(
                f"A chunk cannot have {size_bytes} bytes.",
                remedy=f"Sizes go from 1 byte to {format_size(MAX_CHUNK_BYTES)}.",
                field="sizes",
            )
    return tuple(sorted(set(sizes_bytes)))
