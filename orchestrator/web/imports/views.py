"""Data of the pages of imports."""

from datetime import datetime

from orchestrator.results.imports.schemas import (
    FormatSummary,
    ImportComparison,
    ImportDetail,
    ImportedSeriesSummary,
    ImportSummary,
)
from orchestrator.web.views import View


class ImportListPage(View):
    """Imported files, newest first."""

    imports: list[ImportSummary]
    next_cursor: str | None
    formats: list[FormatSummary]


class ImportPage(View):
    """An imported file with a part of its series."""

    found: ImportDetail
    series: list[ImportedSeriesSummary]
    total: int
    """Number of series with the text that was searched."""
    next_cursor: str | None


class OtherSide(View):
    """A run or an import that can be compared."""

    id: str
    """As the address has it: ``RUN`` or ``import:ID``."""
    name: str
    at: datetime


class ImportComparisonPage(View):
    """An imported series next to a run or another import."""

    found: ImportDetail
    series: ImportedSeriesSummary
    other: str
    """As requested; empty until one is chosen."""
    comparison: ImportComparison | None
    """Null until the other side is chosen."""
    offers: list[OtherSide]
    """Latest runs and imports, to choose from."""
