"""Formats of files of other tools: one module per format, discovered in this package.

A module declares `NAME`, `TITLE`, how the tool writes such a file (`COMMAND`), what one reading covers (`SCOPE`) and
what the dispersion of the readings covers (`DISPERSION`). `recognizes` decides by the content, `parse` reads it.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Protocol, cast

from orchestrator.results.imports.checks import DAMAGED, check_count, refused
from orchestrator.results.imports.document import MAX_FILE_BYTES, MAX_JSON_VALUES, MAX_READINGS, ImportedFile
from orchestrator.service.security.bodies import parse_strict
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.units import format_size
from orchestrator.shared.values.text import some, visible_line

_SHOWN_KEYS = 5


class Format(Protocol):
    """Interface of every module in this package."""

    NAME: str
    TITLE: str
    COMMAND: str
    SCOPE: str
    DISPERSION: str

    def recognizes(self, document: Any) -> bool:
        """Return whether the document looks like this format; the rest of it may still be damaged."""

    def parse(self, document: Any) -> ImportedFile:
        """Return the content; raises InvalidRequest with the place of what is wrong."""


@cache
def formats() -> Mapping[str, Format]:
    """Return every format by its name."""
    modules = (importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__))
    return MappingProxyType({module.NAME: cast(Format, module) for module in modules})


def find_format(name: str) -> Format:
    """Return the format of that name; raises InvalidRequest that lists the known formats."""
    if name not in formats():
        raise InvalidRequest(
            f"There is no import format {visible_line(name[:40])!r}.",
            remedy=f"Known: {', '.join(sorted(formats()))}.",
            field="format",
        )
    return formats()[name]


def read_file(text: str, name: str | None = None) -> tuple[Format, ImportedFile]:
    """Return the format and the content of a file.

    name: format that the file must have; None: recognized from the content. Raises InvalidRequest.
    """
    requested = None if name is None else find_format(name)
    document = _document(text)
    recognized = [one for one in formats().values() if one.recognizes(document)]
    if not recognized or (requested is not None and requested not in recognized):
        raise _unknown(document, requested, recognized)
    chosen = requested or recognized[0]
    found = chosen.parse(document)
    _check_size(found)
    return chosen, found


def _document(text: str) -> Any:
    """Return the value of a JSON file; of another file its text, which no format recognizes."""
    size_bytes = len(text.encode("utf-8", "surrogatepass"))
    if size_bytes > MAX_FILE_BYTES:
        raise refused(
            f"The file has {format_size(size_bytes)}; at most {format_size(MAX_FILE_BYTES)} are imported.",
            remedy="Export fewer benchmarks into one file.",
        )
    bare = text.removeprefix("\ufeff").strip()
    if not bare:
        raise refused("The file is empty.", remedy="Name a file with results.")
    if bare[0] not in "{[":
        return bare
    if bare[-1] != {"{": "}", "[": "]"}[bare[0]]:
        raise refused(
            f"The file is cut off: JSON that begins with {bare[0]} ends in line {text.count(chr(10)) + 1} with "
            f"{visible_line(bare[-20:])!r}.",
            remedy=DAMAGED,
        )
    try:
        return parse_strict(bare, MAX_JSON_VALUES, subject="file")
    except InvalidRequest as error:
        raise refused(error.detail, remedy=f"{error.remedy} {DAMAGED}") from None


def _check_size(found: ImportedFile) -> None:
    check_count(len(found.series))
    check_count(found.readings_total, "readings", MAX_READINGS)
    if not found.series:
        left_out = " ".join(found.omissions[:3])
        raise refused(f"The file has no results. {left_out}".rstrip(), remedy="Name a file with finished benchmarks.")


def _unknown(document: Any, requested: Format | None, recognized: list[Format]) -> InvalidRequest:
    seen = _description(document)
    if requested is not None:
        other = f"; it looks like a file of {recognized[0].TITLE}" if recognized else ""
        return refused(
            f"The file is none of {requested.TITLE}: it is {seen}{other}.",
            remedy=f"Write one with: {requested.COMMAND}"
            + (f", or import it with --format {recognized[0].NAME}." if recognized else "."),
        )
    known = "; ".join(f"{one.TITLE}: {one.COMMAND}" for one in formats().values())
    return refused(f"No known tool writes such a file: it is {seen}.", remedy=f"Known are {known}.")


def _description(document: Any) -> str:
    """Return a noun phrase for the content of a file of another tool."""
    if isinstance(document, list):
        return f"a JSON list of {len(document)} items"
    if isinstance(document, dict):
        keys = some([repr(visible_line(key[:30])) for key in document], _SHOWN_KEYS)
        return f"a JSON object with the keys {keys}" if keys else "an empty JSON object"
    first = visible_line(document.partition("\n")[0][:60])
    return f"text that begins with {first!r}"
