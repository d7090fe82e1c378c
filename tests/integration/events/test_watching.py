"""``ciphermark runs watch`` follows a run to its end over the real event stream."""

import io
import threading

import pytest
from rich.console import Console

from orchestrator.cli.client import APIClient
from orchestrator.cli.supervisor.access import ServiceAccess
from orchestrator.cli.watching import watch
from orchestrator.shared.errors import NotFound
from tests.support.fleet import Fleet
from tests.support.waiting import GENEROUS_SECONDS


@pytest.fixture
def client(fleet: Fleet) -> APIClient:
    token = fleet.submitter.headers["Authorization"].removeprefix("Bearer ")
    return APIClient(ServiceAccess(url=fleet.served.url, token=token))


def test_watch_returns_the_run_when_an_event_reports_its_end(fleet: Fleet, client: APIClient) -> None:
    run_id = fleet.lay_out()
    first_event = threading.Event()

    def cancel() -> None:
        assert first_event.wait(GENEROUS_SECONDS), "the first event of the stream"
        fleet.submitter.post(f"/api/v1/runs/{run_id}/cancel").raise_for_status()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    output = io.StringIO()
    with client:
        run = watch(client, run_id, Console(file=output), on_event=first_event.set)
    canceller.join()
    assert (run.id, run.state) == (run_id, "cancelled")
    assert "cancelled" in output.getvalue()


def test_interrupted_watch_reports_that_the_run_continues(fleet: Fleet, client: APIClient) -> None:
    """Regression: Ctrl-C printed nothing, and the run stayed in the queue unnoticed."""
    run_id = fleet.lay_out()

    def interrupt() -> None:
        raise KeyboardInterrupt

    output = io.StringIO()
    with client, pytest.raises(KeyboardInterrupt):
        watch(client, run_id, Console(file=output), on_event=interrupt)
    assert f"Run {run_id} continues. Cancel it: ciphermark runs cancel {run_id}" in " ".join(output.getvalue().split())


def test_watch_refuses_an_unknown_run(client: APIClient) -> None:
    with client, pytest.raises(NotFound):
        watch(client, "nosuchrun000", Console(file=io.StringIO()))
