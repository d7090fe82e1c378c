"""Storing of entries. Refusals are counted, so that no client makes the service write without a limit."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import structlog
from sqlalchemy.exc import SQLAlchemyError

from orchestrator.database.engine import Database
from orchestrator.database.models import now
from orchestrator.service.audit import repository
from orchestrator.service.audit.entries import AuditedAction
from orchestrator.shared.errors import CiphermarkError

MAX_UNKNOWN_PER_MINUTE = 30
"""Rows per minute for refusals of clients without credentials; further ones are counted in one row."""

_log = structlog.get_logger(__name__)


@dataclass
class _Row:
    """Row of equal refusals in this minute."""

    entry_id: int | None = None
    """None until it is stored."""
    more: int = 0
    """Refusals that the stored count lacks."""


class AuditRecorder:
    """Stores each completed action, and one row per minute for equal refusals.

    The first refusal is stored immediately. The count of further ones is in memory until `flush`, which the next
    minute's first refusal, a reader of the log and the end of the service call. No refusal waits for another one's
    write.
    """

    def __init__(self, database: Database) -> None:
        """Record into this database."""
        self._database = database
        self._lock = threading.Lock()
        self._minute: datetime | None = None
        self._rows: dict[tuple[str, ...], _Row] = {}
        self._unknown = 0
        """Kinds of refusals of clients without credentials in this minute."""

    def record(self, entry: AuditedAction) -> None:
        """Store an entry; a failure is logged with it, because what it describes has already happened."""
        try:
            if entry.reason is None:
                self._add(entry, now())
            else:
                self._count(entry, now())
        except (SQLAlchemyError, CiphermarkError) as error:
            _log.error("audit entry not stored", entry=entry, error=str(error))

    def flush(self) -> None:
        """Store the counts that are in memory; a failure is logged."""
        with self._lock:
            counts = self._take_counts()
        self._store(counts)

    def _count(self, entry: AuditedAction, at: datetime) -> None:
        with self._lock:
            counts = self._begin_minute(at.replace(second=0, microsecond=0))
            key = _key(entry)
            if key not in self._rows and entry.caller is None:
                self._unknown += 1
                if self._unknown > MAX_UNKNOWN_PER_MINUTE:
                    entry, key = replace(entry, address=None), ("others",)
            known = self._rows.get(key)
            if known is not None:
                known.more += 1
            else:
                row = self._rows[key] = _Row()
        self._store(counts)
        if known is None:
            row.entry_id = self._add(entry, at)

    def _begin_minute(self, minute: datetime) -> dict[int, int]:
        """Forget the rows of an earlier minute and return the counts that they lack."""
        if minute == self._minute:
            return {}
        counts = self._take_counts()
        self._rows.clear()
        self._minute, self._unknown = minute, 0
        return counts

    def _take_counts(self) -> dict[int, int]:
        counts = {}
        for row in self._rows.values():
            if row.entry_id is not None and row.more:
                counts[row.entry_id], row.more = row.more, 0
        return counts

    def _add(self, entry: AuditedAction, at: datetime) -> int:
        with self._database.write() as session:
            return repository.add(session, entry, at)

    def _store(self, counts: Mapping[int, int]) -> None:
        if not counts:
            return
        try:
            with self._database.write() as session:
                for entry_id, refusals in counts.items():
                    repository.count_more(session, entry_id, refusals)
        except (SQLAlchemyError, CiphermarkError) as error:
            _log.error("counts of refusals not stored", refusals=sum(counts.values()), error=str(error))


def _key(entry: AuditedAction) -> tuple[str, ...]:
    """Return what equal refusals have in common: the address and, for known callers, the token and the action."""
    caller = entry.caller
    if caller is None:
        return ("", entry.address or "", entry.action if entry.is_declared else "")
    return (caller.role, caller.family_id or "", entry.action)
