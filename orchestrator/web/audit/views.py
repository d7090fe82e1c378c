"""Data of the page of the audit log."""

from collections.abc import Sequence

from orchestrator.service.audit.schemas import AuditEntrySummary
from orchestrator.web.views import View


class AuditPage(View):
    """Selected entries, newest first."""

    entries: list[AuditEntrySummary]
    next_cursor: str | None
    actions: Sequence[str]
    """Declared actions, to choose from."""
