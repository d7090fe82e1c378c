"""The client against a real HTTP server on this machine: what it sends, and what it makes of the answers."""

import json
import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from orchestrator import __version__
from orchestrator.cli.client import APIClient, problem, shaped
from orchestrator.cli.supervisor.access import ServiceAccess
from orchestrator.results.schemas import Interval
from orchestrator.shared import errors
from tests.support.forwarding_proxy import QuietHandler, serving

PROBLEM = {
    "type": "/problems/plan-refused",
    "title": "The plan cannot be executed; nothing was stored.",
    "status": 422,
    "detail": "The plan is wrong.",
    "remedy": "Mend it.",
    "field": "matrix",
    "errors": [{"field": "matrix[0].sizes[1]", "seen": "-1", "allowed": "1 byte to 1 GiB"}],
}


class Handler(QuietHandler):
    version = __version__

    def answer(self, body: bytes) -> None:
        parts = urlsplit(self.path)
        query = parse_qs(parts.query)
        if parts.path == "/api/v1/health":
            self.respond(200, {"status": "ok", "version": self.version})
        elif parts.path == "/api/v1/pages":
            first = int(query.get("cursor", ["0"])[0])
            items = [{"n": n} for n in range(first, min(first + int(query["limit"][0]), 450))]
            following = str(first + len(items)) if first + len(items) < 450 else None
            self.respond(200, {"items": items, "next_cursor": following})
        elif parts.path == "/api/v1/who":
            self.respond(200, {"authorization": self.headers["authorization"], "query": query})
        elif parts.path == "/api/v1/refused":
            self.respond(422, PROBLEM)
        elif parts.path == "/api/v1/page-of-a-proxy":
            self.respond(503, "<html>")
        else:
            self.respond(404, {"type": "about:blank", "detail": "no such thing"})

    def respond(self, status: int, body: object) -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())


@pytest.fixture
def version() -> str:
    """Return the version that the service reports."""
    return __version__


@pytest.fixture
def client(version: str) -> Iterator[APIClient]:
    handler = type("Versioned", (Handler,), {"version": version})
    with serving(handler) as url, APIClient(ServiceAccess(url=url, token="secret")) as client:
        yield client


class TestRequests:
    def test_pages_are_followed_to_the_end(self, client: APIClient) -> None:
        assert [item["n"] for item in client.items("/pages")] == list(range(450))

    @pytest.mark.parametrize("name", ["../runs", "..", "", "a?b=c", "a#b", "a/", "%2e%2e", "a b"])
    def test_argument_that_leads_to_another_resource_is_refused(self, client: APIClient, name: str) -> None:
        """Regression: `watch remove ../runs/ID` deleted a run."""
        for request in (client.get, client.delete, client.post, lambda path: client.patch(path, {})):
            with pytest.raises(errors.InvalidRequest, match="is neither a name nor an id"):
                request(f"/watches/{name}")
        with (
            pytest.raises(errors.InvalidRequest, match="is neither a name nor an id"),
            client.stream(f"/runs/{name}/events"),
        ):
            pass


MAJOR, MINOR, _ = __version__.split(".")


class TestVersion:
    """Commands that read a field of a newer service ended with the traceback of a KeyError."""

    @pytest.mark.parametrize("version", ["0.1.0", f"{MAJOR}.{int(MINOR) + 1}.0", f"{int(MAJOR) + 1}.{MINOR}.0"])
    def test_service_of_another_version_is_refused_before_any_request(self, client: APIClient, version: str) -> None:
        with pytest.raises(errors.UpgradeRequired, match=f"is Ciphermark {version}, this client is {__version__}"):
            client.post("/who")
        with pytest.raises(errors.UpgradeRequired), client.stream("/who"):
            pass

    @pytest.mark.parametrize("version", [f"{MAJOR}.{MINOR}.17"])
    def test_service_of_another_patch_version_is_used(self, client: APIClient) -> None:
        assert client.get("/who")["query"] == {}

    def test_missing_field_names_the_field_and_the_remedy(self, client: APIClient) -> None:
        with pytest.raises(errors.UpgradeRequired, match=r"response: low: a value is required.*Install the same"):
            shaped(Interval, client.get("/who"))

    @pytest.mark.parametrize("version", [None])
    def test_address_of_another_program_is_refused(self, client: APIClient) -> None:
        with pytest.raises(errors.SetupError, match="is not a Ciphermark service"):
            client.get("/who")


class TestProblems:
    def test_response_without_problem_detail_is_reported(self, client: APIClient) -> None:
        with pytest.raises(errors.Unavailable, match="503"):
            client.get("/page-of-a-proxy")

    def test_error_of_a_plan_is_printed_once_with_its_line(self) -> None:
        """Regression: the sentence was printed twice, once without its line."""
        fault, other = ({"field": name, "allowed": "no such key", "seen": "2", "line": 8} for name in ("a", "b"))
        document = {"detail": "a: no such key (seen: 2). The plan has 1 more error.", "errors": [fault, other]}
        found = problem(httpx.Response(422, json=document))
        assert found.detail == (
            "line 8, a: no such key (seen: 2). The plan has 1 more error.\n  line 8, b: no such key (seen: 2)"
        )

    def test_unreachable_service_is_reported(self) -> None:
        with (
            APIClient(ServiceAccess(url="http://127.0.0.1:1")) as client,
            pytest.raises(errors.Unreachable, match="does not answer"),
        ):
            client.get("/runs")


class TestFind:
    @pytest.fixture(autouse=True)
    def _clear(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.delenv("CIPHERMARK_URL", raising=False)
        monkeypatch.delenv("CIPHERMARK_TOKEN", raising=False)
        monkeypatch.setenv("CIPHERMARK_DATA_FOLDER", str(tmp_path))

    @pytest.fixture
    def _up(self, tmp_path: Path) -> None:
        (tmp_path / "cli.json").write_text(json.dumps({"url": "http://127.0.0.1:1", "token": "local"}))

    @pytest.mark.usefixtures("_up")
    def test_starting_service_is_waited_for(self, tmp_path: Path) -> None:
        """Regression: a command typed right after `up` ended with 8, or with 3 if this `up` was the first one."""
        lock = tmp_path / "up.json"
        lock.write_text(json.dumps({"pid": os.getpid(), "url": None}))
        with ThreadPoolExecutor() as pool:
            found = pool.submit(ServiceAccess.find)
            with pytest.raises(TimeoutError):
                found.result(0.2)
            access = {"url": "http://127.0.0.1:2", "token": "new"}
            (tmp_path / "cli.json").write_text(json.dumps(access))
            lock.write_text(json.dumps({"pid": os.getpid(), "url": access["url"]}))
            assert found.result() == ServiceAccess(url=access["url"], token=access["token"])

    @pytest.mark.usefixtures("_up")
    def test_killed_start_is_not_waited_for(self, tmp_path: Path) -> None:
        with subprocess.Popen(["true"]) as ended:
            pass
        (tmp_path / "up.json").write_text(json.dumps({"pid": ended.pid, "url": None}))
        assert ServiceAccess.find().token == "local"

    @pytest.mark.usefixtures("_up")
    def test_local_token_is_not_sent_to_another_service(self) -> None:
        assert ServiceAccess.find("https://elsewhere").token is None

    @pytest.mark.usefixtures("_up")
    def test_command_line_overrides_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CIPHERMARK_URL", "http://environment")
        monkeypatch.setenv("CIPHERMARK_TOKEN", "environment")
        assert ServiceAccess.find() == ServiceAccess(url="http://environment", token="environment")
        assert ServiceAccess.find("http://said", "said") == ServiceAccess(url="http://said", token="said")
