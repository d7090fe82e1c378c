"""The corpus: the input data that ciphers are measured with.

`build` makes the chunks, `add_user_chunk` adds a file of the user, `list_entries` and `verify_all` report the chunks.
These names are loaded on first use, so that a device can import `corpus.store` without the packages that only the
builder needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.builder import build
    from corpus.catalogue import Catalogue, ChunkEntry, chunk_store
    from corpus.kinds import DEFAULT_SIZES_BYTES, KINDS, MAX_CHUNK_BYTES, Kind
    from corpus.listing import Verification, list_entries, verify_all
    from corpus.material import BuildStep, Progress
    from corpus.user import add_user_chunk

__all__ = [
    "DEFAULT_SIZES_BYTES",
    "KINDS",
    "MAX_CHUNK_BYTES",
    "BuildStep",
    "Catalogue",
    "ChunkEntry",
    "Kind",
    "Progress",
    "Verification",
    "add_user_chunk",
    "build",
    "chunk_store",
    "list_entries",
    "verify_all",
]

_MODULES = {
    "build": "builder",
    "Catalogue": "catalogue",
    "ChunkEntry": "catalogue",
    "chunk_store": "catalogue",
    "DEFAULT_SIZES_BYTES": "kinds",
    "KINDS": "kinds",
    "MAX_CHUNK_BYTES": "kinds",
    "Kind": "kinds",
    "Verification": "listing",
    "list_entries": "listing",
    "verify_all": "listing",
    "BuildStep": "material",
    "Progress": "material",
    "add_user_chunk": "user",
}


def __getattr__(name: str) -> object:
    """Load a public name at its first use."""
    if name not in _MODULES:
        raise AttributeError(f"module 'corpus' has no attribute {name!r}")
    value: object = getattr(import_module(f"corpus.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
