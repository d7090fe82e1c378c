"""Stored changes for users."""

from datetime import datetime
from typing import Any

from orchestrator.database.models import WatchChange
from orchestrator.watches.cases import case_label
from orchestrator.watches.schemas import ChangeSummary, CorrectedInterval, WatchedCase


def change_summary(change: WatchChange, number: int, at: datetime, facts: dict[str, Any]) -> ChangeSummary:
    """Return a stored change for users."""
    case = WatchedCase.model_validate(facts)
    return ChangeSummary(
        look=number,
        found_at=at,
        case=case,
        case_words=case_label(case),
        ratio=change.ratio,
        interval=CorrectedInterval(low=change.low, high=change.high),
        worse=change.worse,
        new_runs=change.new_runs,
        former_runs=change.former_runs,
    )
