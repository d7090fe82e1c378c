"""Requests for chunks: opened by a submission or a layout, settled when the chunk was made or could not be made.

A request belongs to a kind and a length, not to a run: several runs can wait for one chunk, which is made once. A later
submission opens a failed request again, for example after a package was installed.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy.orm import Session

from orchestrator.database.models import AwaitedChunk, ChunkRequest, now
from orchestrator.runs.chunks import repository
from orchestrator.service.events import repository as events

OPEN, READY, FAILED = "open", "ready", "failed"


@dataclass(frozen=True)
class Batch:
    """Requests of one run for chunks of one kind, which are cut from one material."""

    kind: str
    request_ids: tuple[int, ...]
    sizes_bytes: tuple[int, ...]


def request_chunks(session: Session, run_id: str, chunks: Iterable[tuple[str, int]]) -> None:
    """Make a run wait for chunks, given as kind and length, in the caller's write transaction."""
    linked = repository.list_awaited_request_ids(session, run_id)
    known = repository.get_requests(session)
    requests = []
    for kind, length_bytes in chunks:
        request = known.get((kind, length_bytes))
        if request is None:
            request = ChunkRequest(kind=kind, length_bytes=length_bytes, state=OPEN)
            session.add(request)
        elif request.state != OPEN:
            request.state, request.reason, request.requested_at = OPEN, "", now()
            request.done_bytes = request.started_at = request.settled_at = None
        requests.append(request)
    session.flush()
    session.add_all(AwaitedChunk(run_id=run_id, request_id=one.id) for one in requests if one.id not in linked)


def get_failure(session: Session, run_id: str) -> str | None:
    """Return why chunks of a run could not be made; None where no request of it failed."""
    return " ".join(repository.list_failures(session, run_id)) or None


def next_batch(session: Session) -> Batch | None:
    """Return the requests to settle next: those of one kind, of the run that comes first."""
    run_id = repository.find_first_waiting_run(session)
    if run_id is None:
        return None
    requests = repository.awaited_chunks(session, [run_id])[run_id]
    kind = requests[0].kind
    chosen = [request for request in requests if request.kind == kind]
    return Batch(kind, tuple(one.id for one in chosen), tuple(one.length_bytes for one in chosen))


def is_awaited(session: Session, batch: Batch) -> bool:
    """Return whether a run still waits for one of these requests."""
    return bool(repository.list_waiting_runs(session, batch.request_ids))


def note_making(session: Session, batch: Batch, done_bytes: int, **values: object) -> None:
    """Store the progress of a batch, and notify the clients that watch its runs."""
    repository.change_open_requests(session, batch.request_ids, done_bytes=done_bytes, **values)
    _notify(session, batch)


def settle(session: Session, batch: Batch, failure: str = "") -> None:
    """Settle the requests of a batch that are still open.

    failure: why the chunks could not be made; empty if they were made.
    """
    state = FAILED if failure else READY
    values = {"state": state, "reason": failure, "done_bytes": None, "settled_at": now()}
    repository.change_open_requests(session, batch.request_ids, **values)
    _notify(session, batch)


def interrupt(session: Session, batch: Batch) -> None:
    """Reset the progress of a batch whose making was ended before it was complete."""
    repository.change_open_requests(session, batch.request_ids, done_bytes=None, started_at=None)


def _notify(session: Session, batch: Batch) -> None:
    for run_id in repository.list_waiting_runs(session, batch.request_ids):
        events.note_progress(session, run_id, now())
