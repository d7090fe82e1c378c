"""Style sheet, scripts and chart library of the pages, all served by this service.

The chart library (Vega-Lite with Vega-Embed, about 900 KB) comes out of vl-convert and is written to the cache folder
once; creating it takes one to two seconds.
"""

import gzip
import hashlib
import os
import tempfile
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from threading import Lock

from orchestrator.shared.errors import NotFound
from orchestrator.web import vega

MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
CHART_LIBRARY = "vega.js"
_SNIPPET = "window.ciphermarkEmbed = vegaEmbed;"
_making = Lock()


@dataclass(frozen=True)
class Asset:
    """A file that pages load. Its address contains its digest, so that browsers can cache it without a limit."""

    content: bytes
    compressed: bytes
    media_type: str
    digest: str


@cache
def own_assets() -> dict[str, Asset]:
    """Return the files of `static/` by name."""
    folder = files("orchestrator.web").joinpath("static")
    return {
        entry.name: _asset(entry.name, entry.read_bytes())
        for entry in folder.iterdir()
        if Path(entry.name).suffix in MEDIA_TYPES
    }


def find(name: str, cache_folder: Path) -> Asset:
    """Return the asset of this name; creates the chart library if it does not exist. Raises NotFound."""
    if name == CHART_LIBRARY:
        return _chart_library(cache_folder)
    asset = own_assets().get(name)
    if asset is None:
        raise NotFound(f"There is no page asset {name[:80]!r}.")
    return asset


def address(name: str) -> str:
    """Return the address of this asset."""
    tag = version("vl-convert-python") if name == CHART_LIBRARY else own_assets()[name].digest[:12]
    return f"/static/{name}?v={tag}"


def _asset(name: str, content: bytes) -> Asset:
    return Asset(
        content=content,
        compressed=gzip.compress(content, mtime=0),
        media_type=MEDIA_TYPES[Path(name).suffix],
        digest=hashlib.sha256(content).hexdigest(),
    )


@cache
def _chart_library(cache_folder: Path) -> Asset:
    path = cache_folder / f"vega-{version('vl-convert-python')}.js"
    with _making:
        if not path.exists():
            _write_atomically(path, vega.library(_SNIPPET).encode())
    return _asset(CHART_LIBRARY, path.read_bytes())


def _write_atomically(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(temporary).replace(path)
