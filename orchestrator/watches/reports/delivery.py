"""The scheduler's step for reports: attempts that are due, in a thread of their own, with bounded repetitions."""

from datetime import datetime, timedelta

import structlog

from orchestrator.database.engine import Database
from orchestrator.database.models import Watch, WatchDelivery, WatchLook, now
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.service.trust.repository import distrusted_agents
from orchestrator.shared.errors import CiphermarkError, InvalidRequest
from orchestrator.shared.settings import ServiceSettings
from orchestrator.shared.values.text import visible_line
from orchestrator.watches import repository
from orchestrator.watches.cases import change_summaries
from orchestrator.watches.differences import look_differences
from orchestrator.watches.reports import files, mail, webhook
from orchestrator.watches.reports.documents import LookReport, report_body, report_document, report_text
from orchestrator.watches.reports.signing import webhook_key
from orchestrator.watches.sentences import withdrawn_words

PAUSES = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30), timedelta(hours=2))
"""Pauses after failed attempts; the attempt after the last pause is the last one."""
_MAX_ERROR = 500
_MAX_CHANGES = 1000

_log = structlog.get_logger(__name__)


def is_delivery_due(database: Database, at: datetime) -> bool:
    """Return whether an attempt is due."""
    with database.read() as session:
        return repository.due_delivery(session, at, at + PAUSES[-1]) is not None


def deliver_next(database: Database, settings: ServiceSettings, cache: ReadingsCache, at: datetime) -> bool:
    """Make the attempt that has been due longest; return whether there was one."""
    with database.read() as session:
        delivery = repository.due_delivery(session, at, at + PAUSES[-1])
        if delivery is None:
            return False
        look = session.get_one(WatchLook, delivery.look_id)
        watch = session.get_one(Watch, look.watch_id)
        rows = repository.changes_of(session, watch.id, _MAX_CHANGES, look.id)
        run_ids = repository.runs_of_looks(session, [look.id]).get(look.id, [])
        changes, withdrawn = change_summaries(rows, distrusted_agents(session))
    reason = " ".join(filter(None, [look.reason, withdrawn_words([one.case.agent_name for one in withdrawn])]))
    url = f"{settings.resolved_url.rstrip('/')}/watches/{watch.name}"
    try:
        differences = look_differences(database, cache, watch, look)
        compared = look.cases or 0, run_ids, look.measure
        decided = look.detectable is not None
        report = LookReport(watch.name, url, look.number, *compared, changes, differences, reason, decided)
        if delivery.kind == "webhook":
            key = webhook_key(settings.data_folder, watch.id)
            webhook.post(delivery.target, report_body(report_document(report)), key, settings.webhook_hosts)
        elif delivery.kind == "email":
            url_of_mail = settings.mail_url.get_secret_value() if settings.mail_url else ""
            mail.send(mail.MailServer.parse(url_of_mail), delivery.target, *report_text(report))
        else:
            files.append(settings.data_folder, watch.name, report_body(report_document(report)))
    except (CiphermarkError, OSError) as error:
        _note_failure(database, delivery, error, at)
    else:
        with database.write() as session:
            repository.move_delivery(
                session, delivery, "delivered", tries=delivery.tries + 1, last_error="", delivered_at=now()
            )
        _log.info("report delivered", watch=watch.name, look=look.number, kind=delivery.kind)
    return True


def _note_failure(database: Database, delivery: WatchDelivery, error: Exception, at: datetime) -> None:
    """Note a failed attempt, and when the next one is due; an outlet that may not be used now or later is given up."""
    refused = isinstance(error, InvalidRequest) and not isinstance(error.__cause__, OSError)
    final = refused or delivery.tries >= len(PAUSES)
    due_at = at if final else at + PAUSES[delivery.tries]
    words = visible_line(str(error))[:_MAX_ERROR]
    values = {"tries": delivery.tries + 1, "due_at": due_at, "last_error": words}
    with database.write() as session:
        repository.move_delivery(session, delivery, "failed" if final else "waiting", **values)
    _log.warning("report failed", kind=delivery.kind, tries=delivery.tries + 1, error=words)
