"""Refusals are counted: clients without credentials cannot make the service write without a limit."""

from datetime import timedelta

import pytest
from sqlalchemy import select, text

from orchestrator.database.engine import Database
from orchestrator.database.models import AuditEntry, now
from orchestrator.scheduler.prune import KEPT_DONE_FOR, KEPT_REFUSALS_FOR, prune_audit_entries
from orchestrator.service.audit import recorder, repository
from orchestrator.service.audit.entries import AuditedAction
from orchestrator.service.audit.recorder import MAX_UNKNOWN_PER_MINUTE, AuditRecorder
from orchestrator.service.audit.repository import DONE, REFUSED
from orchestrator.service.security.callers import Caller

AT = now().replace(second=30)


@pytest.fixture(autouse=True)
def _one_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "now", lambda: AT)


def refusal(address: str = "192.0.2.1", action: str = "list-runs", caller: Caller | None = None) -> AuditedAction:
    return AuditedAction(action, caller=caller, reason="This requires a token.", address=address, is_declared=False)


def rows(database: Database) -> list[tuple[str | None, str, int]]:
    with database.read() as session:
        found = session.scalars(select(AuditEntry).order_by(AuditEntry.id)).all()
        return [(row.address, row.action, row.count) for row in found]


def test_refusals_of_an_address_are_one_row_per_minute(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    log = AuditRecorder(database)
    for action in ("list-runs", "get-run", "list-runs"):
        log.record(refusal(action=action))
    assert rows(database) == [("192.0.2.1", "list-runs", 1)]
    log.flush()
    assert rows(database) == [("192.0.2.1", "list-runs", 3)]
    monkeypatch.setattr(recorder, "now", lambda: AT + timedelta(minutes=1))
    log.record(refusal())
    assert rows(database) == [("192.0.2.1", "list-runs", 3), ("192.0.2.1", "list-runs", 1)]


def test_further_addresses_of_a_minute_share_a_row(database: Database) -> None:
    log = AuditRecorder(database)
    for number in range(MAX_UNKNOWN_PER_MINUTE + 50):
        log.record(refusal(f"192.0.2.{number}"))
    log.record(refusal("192.0.2.0"))
    log.flush()
    found = rows(database)
    assert len(found) == MAX_UNKNOWN_PER_MINUTE + 1
    assert (found[0], found[-1]) == (("192.0.2.0", "list-runs", 2), (None, "list-runs", 50))


def test_declared_actions_and_known_callers_have_rows_of_their_own(database: Database) -> None:
    log = AuditRecorder(database)
    log.record(refusal())
    log.record(AuditedAction("log-in", reason="This login code is unknown.", address="192.0.2.1"))
    for action in ("delete-run", "list-tokens"):
        log.record(refusal(action=action, caller=Caller("viewer", "", family_id="f")))
    assert [action for _, action, _ in rows(database)] == ["list-runs", "log-in", "delete-run", "list-tokens"]


def test_completed_actions_are_never_counted_together(database: Database) -> None:
    log = AuditRecorder(database)
    for _ in range(2):
        log.record(AuditedAction("create-token", "t", caller=Caller("admin", "")))
    assert [count for _, _, count in rows(database)] == [1, 1]


def test_database_that_refuses_writes_fails_no_request(database: Database) -> None:
    log = AuditRecorder(database)
    log.record(refusal())
    log.record(refusal())
    with database.write() as session:
        session.execute(text("DROP TABLE audit_entries"))
    log.record(AuditedAction("create-token", "t", caller=Caller("admin", "")))
    log.flush()


def test_outdated_entries_are_pruned_by_outcome(database: Database) -> None:
    ages = {"done": KEPT_DONE_FOR, "refused": KEPT_REFUSALS_FOR}
    with database.write() as session:
        for outcome, age in ages.items():
            for made_at in (AT - age - timedelta(days=1), AT, AT, AT):
                repository.add(session, AuditedAction("x", reason=None if outcome == DONE else "no"), made_at)
    assert prune_audit_entries(database, AT, kept_done=10, kept_refusals=10) == 2
    assert prune_audit_entries(database, AT, kept_done=10, kept_refusals=1) == 2
    assert prune_audit_entries(database, AT, kept_done=10, kept_refusals=1) == 0
    with database.read() as session:
        assert session.scalars(select(AuditEntry.outcome).order_by(AuditEntry.id)).all() == [DONE, DONE, DONE, REFUSED]
