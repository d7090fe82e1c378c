"""Figures of source files: lines and complexity by lizard, which reads all languages, and compressed sizes. Pure."""

import gzip
import lzma
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import lizard
import zstandard
from lizard_languages import get_reader_for

from orchestrator.builds.source_metrics.schemas import DISK_BLOCK_BYTES, GZIP_LEVEL, SourceFigures

_XZ_PRESET, _ZSTD_LEVEL = 9, 19
_SMALLEST_XZ_DICTIONARY = 4096
_MAX_CACHED = 4096


@dataclass(frozen=True)
class _Lines:
    physical: int
    source: int
    comment: int
    complexities: tuple[int, ...]
    """Cyclomatic complexity of each function."""


def figures_of(files: Sequence[tuple[str, bytes]]) -> SourceFigures:
    """Return the figures of these files together, by path and content."""
    lines = [_lines_of(path, content) for path, content in files]
    text = b"".join(content for _, content in files)
    complexities = [one for found in lines for one in found.complexities]
    return SourceFigures(
        files=[path for path, _ in files],
        physical_lines=sum(one.physical for one in lines),
        source_lines=sum(one.source for one in lines),
        comment_lines=sum(one.comment for one in lines),
        raw_bytes=len(text),
        gzip_bytes=len(gzip.compress(text, GZIP_LEVEL, mtime=0)),
        xz_bytes=_xz_bytes(text),
        zstd_bytes=len(zstandard.ZstdCompressor(level=_ZSTD_LEVEL).compress(text)),
        disk_blocks=sum(-(-len(content) // DISK_BLOCK_BYTES) for _, content in files),
        functions=len(complexities),
        mean_complexity=sum(complexities) / len(complexities) if complexities else None,
        max_complexity=max(complexities, default=None),
    )


def _xz_bytes(text: bytes) -> int:
    # The preset's dictionary of 64 MiB took 97 % of the time; one of the text's size finds the same repetitions.
    dictionary = max(_SMALLEST_XZ_DICTIONARY, len(text))
    filters = [{"id": lzma.FILTER_LZMA2, "preset": _XZ_PRESET, "dict_size": dictionary}]
    return len(lzma.compress(text, filters=filters))


@lru_cache(maxsize=_MAX_CACHED)
def _lines_of(path: str, content: bytes) -> _Lines:
    """Return the lines of a file: a line with code and a comment counts for both, a blank one for none."""
    text = content.decode("utf-8", "replace")
    # A header of C++ is read like a source.
    name = f"{path}pp" if path.endswith(".h") else path
    reader = get_reader_for(name)
    source: set[int] = set()
    comments: set[int] = set()
    line, begins_statement = 1, True
    for token in reader.generate_tokens(text) if reader else ():
        last = line + token.count("\n")
        if token.strip():
            is_comment = reader.get_comment_from_token(token) is not None or (
                path.endswith(".py") and (token.startswith("#") or (begins_statement and _is_text(token)))
            )
            (comments if is_comment else source).update(range(line, last + (not token.endswith("\n"))))
            begins_statement = is_comment
        elif "\n" in token:
            begins_statement = True
        line = last
    analyzed = lizard.analyze_file.analyze_source_code(name, text)
    complexities = tuple(one.cyclomatic_complexity for one in analyzed.function_list)
    return _Lines(len(text.splitlines()), len(source), len(comments), complexities)


def _is_text(token: str) -> bool:
    """Return whether a token is a string of Python; as a statement of its own it is a docstring."""
    return token.lstrip("rRbBuU").startswith(('"', "'"))
