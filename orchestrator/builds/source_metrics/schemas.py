"""Schemas of the source code of implementations."""

from orchestrator.shared.values.models import LazyModel

NOT_MEASURED = "the scheduler has not measured its source code yet"
"""Reason for missing figures of a build that was reported a moment ago."""
GZIP_LEVEL = 9
DISK_BLOCK_BYTES = 4096
"""Block of ext4 and most other file systems: what a file occupies on a disk is a multiple of it."""


class SourceFigures(LazyModel):
    """Size and readability of the source files of an implementation, the shared parts of its provider included."""

    files: list[str]
    """Paths, relative to the folder of the runners."""
    physical_lines: int
    """All lines, blank ones included."""
    source_lines: int
    """Lines with code: neither blank nor only a comment."""
    comment_lines: int
    """Lines with a comment or a docstring."""
    raw_bytes: int
    gzip_bytes: int
    """Bytes of all files in one stream, compressed by gzip -9."""
    xz_bytes: int
    """In the same way, xz -9."""
    zstd_bytes: int | None
    """In the same way, zstd -19; null for figures that a service without zstandard stored."""
    disk_blocks: int
    """Blocks of 4096 bytes that the files occupy."""
    functions: int
    mean_complexity: float | None
    """Cyclomatic complexity of a function on average, an indicator of readability; null without functions."""
    max_complexity: int | None


class SourceGroup(LazyModel):
    """Source code that several implementations of a build share, as it is stored."""

    implementations: list[tuple[str, str, str]]
    """Provider, algorithm and variant of each."""
    source: SourceFigures | None
    reason: str
    """Why the figures are null."""


class ImplementationSource(LazyModel):
    """Source code of one implementation of a build."""

    provider: str
    algorithm: str
    variant: str
    source: SourceFigures | None
    reason: str
    """Why the figures are null."""
