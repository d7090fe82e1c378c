"""Reports of changes: signed webhooks to a real HTTP server, email to a real mail server, lines of a file."""

import hashlib
import hmac
import json
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from http.client import BadStatusLine, HTTPConnection
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from orchestrator.database.models import now
from orchestrator.results.answers.agents import WITHDRAWN
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.service.trust import service as trust
from orchestrator.service.trust.kinds import Finding
from orchestrator.shared.errors import InvalidRequest, Unreachable
from orchestrator.watches.reports import webhook
from orchestrator.watches.reports.delivery import PAUSES, deliver_next
from orchestrator.watches.reports.files import report_file
from tests.support.fleet import Fleet, plan
from tests.support.prepared_fleets import FORMER, Prepared
from tests.support.receivers import HTTPReceiver, MailReceiver
from tests.support.watched_fleet import DAY, WatchedFleet

SLOWER = 1.3
KEY = "0" * 64


@pytest.fixture
def receiver() -> Iterator[HTTPReceiver]:
    with HTTPReceiver.open() as opened:
        yield opened


@pytest.fixture
def watched(tagged: tuple[Fleet, list[str]]) -> WatchedFleet:
    return WatchedFleet.of(tagged[0])


def changed(watched: WatchedFleet, *outlets: dict[str, str]) -> dict[str, Any]:
    """Add a watch with these outlets, and let it find a change; return the watch as it was added."""
    added = watched.add(outlets=list(outlets), baseline_tag="main")
    assert watched.look({"botan": SLOWER})["changes"] == 4
    return added


def deliver_now(watched: WatchedFleet) -> bool:
    """Make the attempt that is due; return whether there was one."""
    fleet = watched.fleet
    return deliver_next(fleet.database, fleet.served.settings, ReadingsCache(), watched.at)


def deliver(watched: WatchedFleet) -> dict[str, Any]:
    """Make the attempt that is due; return the report as the API shows it."""
    assert deliver_now(watched)
    return dict(watched.show()["latest_deliveries"][0])


def test_webhook_receives_a_signed_report(watched: WatchedFleet, receiver: HTTPReceiver) -> None:
    added = changed(watched, {"kind": "webhook", "target": f"{receiver.url}/hook?from=ciphermark"})
    delivered = deliver(watched)
    assert (delivered["state"], delivered["tries"], delivered["last_error"]) == ("delivered", 1, "")
    (request,) = receiver.requests
    assert request.path == "/hook?from=ciphermark"
    document = json.loads(request.body)
    assert (document["watch"], document["look"], document["changes_total"]) == ("nightly", 1, 4)
    assert (document["measure"], document["unit"]) == ("encrypt", "bytes/s")
    assert document["url"].endswith("/watches/nightly")
    assert document["changes"][0]["interval"]["high"] < 1
    assert (document["differences"]["changed"], document["differences"]["reason"]) == ([], "")
    assert len(document["differences"]["former_run_ids"]) == FORMER
    stamp, signed = (part.partition("=")[2] for part in request.headers["Ciphermark-Signature"].split(","))
    expected = hmac.new(bytes.fromhex(added["webhook_key"]), f"{stamp}.".encode() + request.body, hashlib.sha256)
    assert hmac.compare_digest(signed, expected.hexdigest())
    assert abs(time.time() - int(stamp)) < 600
    assert not deliver_now(watched)


@pytest.mark.long
def test_unresponsive_webhook_is_given_up_after_bounded_attempts(watched: WatchedFleet, receiver: HTTPReceiver) -> None:
    receiver.status = 503
    changed(watched, {"kind": "webhook", "target": receiver.url})
    for number, pause in enumerate((*PAUSES, timedelta(days=9)), start=1):
        report = deliver(watched)
        assert report["tries"] == number
        assert "answered 503; expected is 200 to 299. Look at the log of its receiver" in report["last_error"]
        assert not deliver_now(watched)
        watched.at += pause
    assert report["state"] == "failed"
    assert len(receiver.requests) == len(PAUSES) + 1


def test_host_that_is_not_resolved_is_tried_again(watched: WatchedFleet, receiver: HTTPReceiver) -> None:
    """Regression: a name server that failed for a moment ended the report after its first attempt."""
    changed(watched, {"kind": "webhook", "target": receiver.url})
    with patch("socket.getaddrinfo", side_effect=socket.gaierror(socket.EAI_AGAIN, "try again")):
        assert deliver_now(watched)
    assert watched.show()["latest_deliveries"][0]["state"] == "waiting"
    watched.at += PAUSES[0]
    assert deliver(watched)["state"] == "delivered"


def test_receiver_that_never_answers_ends_at_the_deadline() -> None:
    with (
        closing(socket.create_server(("127.0.0.1", 0))) as silent,
        pytest.raises(Unreachable, match=r"no answer within 0 s"),
    ):
        webhook.post(f"http://127.0.0.1:{silent.getsockname()[1]}/", b"{}", KEY, "127.0.0.1", timeout_seconds=0.4)


def test_redirection_is_not_followed(receiver: HTTPReceiver) -> None:
    receiver.status, receiver.location = 302, f"{receiver.url}/elsewhere"
    with pytest.raises(Unreachable, match="answered 302"):
        webhook.post(receiver.url, b"{}", KEY, "127.0.0.1")
    assert [request.path for request in receiver.requests] == ["/"]


def test_private_address_is_refused_at_each_attempt(receiver: HTTPReceiver) -> None:
    # The name may have had another address when the watch was added.
    with pytest.raises(InvalidRequest, match="which is not public"):
        webhook.post("https://127.0.0.1/", b"{}", KEY, "")
    assert receiver.requests == []


def test_file_gets_a_line_that_only_its_owner_may_read(watched: WatchedFleet) -> None:
    watched.add(outlets=[{"kind": "file"}], baseline_tag="main")
    watched.pass_days(1)
    watched.look(failing=["botan"])
    assert deliver(watched)["state"] == "delivered"
    path = report_file(watched.fleet.served.settings.data_folder, "nightly")
    (line,) = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["sentence"] == "None of 4 cases changed."
    assert path.stat().st_mode & 0o777 == 0o600


def test_words_of_a_receiver_do_not_reach_a_terminal_as_commands(watched: WatchedFleet, receiver: HTTPReceiver) -> None:
    changed(watched, {"kind": "webhook", "target": f"{receiver.url}/hook"})
    with patch.object(HTTPConnection, "getresponse", side_effect=BadStatusLine("\x1b[2Jhello\r\n")):
        assert deliver(watched)["last_error"].partition(" failed: ")[2].startswith("␛[2Jhello␍␊. Check")


def test_report_of_an_undecided_look_does_not_state_that_nothing_changed(watched: WatchedFleet) -> None:
    watched.add(outlets=[{"kind": "file"}])
    watched.pass_days(1)
    watched.look(failing=["botan"])
    assert deliver(watched)["state"] == "delivered"
    document = json.loads(report_file(watched.fleet.served.settings.data_folder, "nightly").read_text(encoding="utf-8"))
    assert document["sentence"] == "Undecided for 4 cases."
    assert document["reason"].startswith("Undecided: 1 former run, and 5 are needed")


def test_email_reaches_the_mail_server(prepared_runs: Prepared[list[str]], tmp_path: Path) -> None:
    with MailReceiver.open() as mail:
        url = f"smtp+plain://127.0.0.1:{mail.port}?from=bench@example.org"
        with prepared_runs.opened(tmp_path / "data", mail_url=url) as (fleet, _):
            watched = WatchedFleet.of(fleet)
            body = {"name": "nightly", "plan": plan(), "every_seconds": 86_400, "baseline_tag": "main",
                    "outlets": [{"kind": "email", "target": "dev@example.org"}]}  # fmt: skip
            assert fleet.served.admin.post("/api/v1/watches", json=body).status_code == 201
            watched.at = now()
            watched.look({"botan": SLOWER})
            assert deliver(watched)["state"] == "delivered"
        (message,) = mail.messages
        assert (message["To"], message["From"]) == ("dev@example.org", "bench@example.org")
        assert message["Subject"] == "Ciphermark: nightly: 4 worse"
        assert (abs(message["Date"].datetime - now()) < DAY, message["Message-ID"][-11:]) == (True, "@127.0.0.1>")
        assert "Of 8 cases, 4 worse. Measure: encrypt in bytes/s." in message.get_content()
        assert "botan aes-192-cbc ref" in message.get_content()
        assert "Compiler, flags, libraries, kernel and settings are the same as before." in message.get_content()


@pytest.mark.long
def test_cases_that_fail_are_reported_once(watched: WatchedFleet, receiver: HTTPReceiver) -> None:
    outlets = [{"kind": "webhook", "target": f"{receiver.url}/hook"}, {"kind": "file"}]
    watched.add(outlets=outlets, baseline_tag="main")
    watched.pass_days(1)
    for _ in range(2):
        watched.look(failing=["botan"])
        watched.at += DAY
    while deliver_now(watched):
        pass
    (request,) = receiver.requests
    document = json.loads(request.body)
    assert (document["changes"], document["sentence"]) == ([], "None of 4 cases changed.")
    assert document["reason"].startswith("4 cases have no verified result, unlike in former runs: botan ")


@pytest.mark.long
def test_report_has_no_figures_of_an_agent_that_is_not_trusted_any_more(watched: WatchedFleet) -> None:
    changed(watched, {"kind": "file"})
    with watched.fleet.database.write() as session:
        trust.note(session, watched.fleet.agent_id, [Finding("impossible-time", "for a test")])
    assert deliver(watched)["state"] == "delivered"
    document = json.loads(report_file(watched.fleet.served.settings.data_folder, "nightly").read_text(encoding="utf-8"))
    assert (document["changes"], document["changes_total"]) == ([], 0)
    assert document["reason"].startswith("4 cases of ")
    assert document["reason"].endswith(f" are left out: their results are {WITHDRAWN}.")


@pytest.mark.long
def test_clock_that_was_in_the_future_delays_no_report(watched: WatchedFleet, receiver: HTTPReceiver) -> None:
    receiver.status = 503
    changed(watched, {"kind": "webhook", "target": receiver.url})
    present = watched.at
    watched.at += 400 * DAY
    assert deliver(watched)["tries"] == 1
    watched.at = present
    assert deliver(watched)["tries"] == 2
    assert not deliver_now(watched)
