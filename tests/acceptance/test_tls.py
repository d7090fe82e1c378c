"""`up --listen` with a certificate: daemon, command line and browser accept it, and refuse wrong ones."""

import json
import os
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
import redis
from playwright.sync_api import Error, sync_playwright

from tests.acceptance.conftest import EVERYWHERE
from tests.support.authority import Authority, Pair
from tests.support.browser import CHROMIUM, FLAGS
from tests.support.commands import executed
from tests.support.forwarding_proxy import QuietHandler
from tests.support.seldom import seldom
from tests.support.system import System, assert_exactly_once


@dataclass(frozen=True)
class Fault:
    """A certificate that clients refuse, and the messages of command line and browser."""

    host: str
    ends: datetime | None
    reason: str
    browser_error: str


FAULTS = (
    Fault("other.example", None, "IP address mismatch", "ERR_CERT_COMMON_NAME_INVALID"),
    Fault("127.0.0.1", datetime.now(UTC) - timedelta(hours=1), "certificate has expired", "ERR_CERT_DATE_INVALID"),
)


def url_of(system: System) -> str:
    return str(json.loads((system.folder / "cli.json").read_text())["url"])


def ciphermark(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Execute the command line of another machine: without the files of the service's."""
    environment = os.environ | {"CIPHERMARK_DATA_FOLDER": str(folder / "elsewhere"), "NO_COLOR": "1"} | variables
    return executed({name: value for name, value in environment.items() if value}, *arguments)


class Refusing(QuietHandler):
    """Counts the requests that reach it; none may, behind a certificate that clients refuse."""

    requests: list[str]

    def answer(self, body: bytes) -> None:
        self.requests.append(self.path)
        self.send_error(404)


@contextmanager
def server_with(pair: Pair) -> Iterator[tuple[int, list[str]]]:
    """Serve HTTPS with a certificate on this machine; yield the port and the requests that arrive."""

    class Handler(Refusing):
        requests: list[str] = []

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair.certificate, pair.key)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield server.server_port, Handler.requests
        server.shutdown()
        thread.join()


class TestAccepted:
    def test_local_daemon_measures_and_delivers_over_tls(self, system: System, run_id: str) -> None:
        assert url_of(system).startswith("https://")
        assert_exactly_once(system, run_id, 36)

    def test_command_line_of_another_machine_trusts_the_authority(
        self, system: System, authority: Authority, tmp_path: Path
    ) -> None:
        token = system.client.headers["Authorization"].removeprefix("Bearer ")
        access = {"CIPHERMARK_TOKEN": token, "SSL_CERT_FILE": str(authority.file)}
        done = ciphermark(tmp_path, "--url", url_of(system), "agents", "list", "--json", **access)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)

    @pytest.mark.long
    def test_redis_has_the_same_certificate(self, system: System, authority: Authority) -> None:
        port = httpx.URL(url_of(system)).port
        assert port is not None
        host = httpx.URL(url_of(system)).host
        connect = partial(redis.Redis, port=port + 1, ssl=True, ssl_ca_certs=str(authority.file))
        with connect(host) as client, pytest.raises(redis.AuthenticationError):
            client.ping()
        with connect("localhost") as client, pytest.raises(redis.ConnectionError, match="match"):
            client.ping()

    def test_browser_that_knows_the_authority_logs_in(
        self, system: System, authority: Authority, tmp_path: Path
    ) -> None:
        with browsing(tmp_path, authority) as visit:
            assert visit(f"{url_of(system)}/login") == "200"


class TestRefused:
    def test_unknown_authority(self, system: System, tmp_path: Path) -> None:
        done = ciphermark(tmp_path, "--url", url_of(system), "agents", "list", CIPHERMARK_TOKEN="cm_viewer_x")
        assert done.returncode != 0
        assert "The certificate of" in done.stderr
        assert "SSL_CERT_FILE" in done.stderr
        with browsing(tmp_path, None) as visit:
            assert "ERR_CERT_AUTHORITY_INVALID" in visit(f"{url_of(system)}/login")

    def test_plain_http(self, system: System, tmp_path: Path) -> None:
        plain = url_of(system).replace("https:", "http:")
        with pytest.raises(httpx.TransportError):
            httpx.get(f"{plain}/api/v1/health", timeout=5)
        done = ciphermark(tmp_path, "--url", plain, "agents", "list")
        assert done.returncode != 0
        assert "does not answer" in done.stderr
        enrolled = enroll(tmp_path, plain)
        assert enrolled.returncode != 0

    @pytest.mark.parametrize("fault", [FAULTS[0], *seldom(FAULTS[1])], ids=lambda fault: str(fault.reason))
    def test_wrong_name_and_expired_certificate(self, authority: Authority, tmp_path: Path, fault: Fault) -> None:
        with server_with(authority.sign("refused", fault.host, ends=fault.ends)) as (port, requests):
            url = f"https://127.0.0.1:{port}"
            for done in (
                ciphermark(tmp_path, "--url", url, "agents", "list", SSL_CERT_FILE=str(authority.file)),
                enroll(tmp_path, url, SSL_CERT_FILE=str(authority.file)),
            ):
                assert done.returncode != 0
                assert fault.reason in " ".join(done.stderr.split())
            with browsing(tmp_path, authority) as visit:
                assert fault.browser_error in visit(f"{url}/login")
            assert requests == []

    def test_up_refuses_an_expired_certificate_and_one_for_another_name(
        self, authority: Authority, tmp_path: Path
    ) -> None:
        expired = authority.sign("expired", "127.0.0.1", ends=datetime.now(UTC) - timedelta(hours=1))
        foreign = authority.sign("foreign", "other.example")
        for pair, reason in ((expired, "expired at"), (foreign, "is for other.example")):
            files = ("--tls-certificate", str(pair.certificate), "--tls-key", str(pair.key))
            done = ciphermark(tmp_path, "up", "--listen", EVERYWHERE, "--port", "0", "--no-agent", *files)
            assert done.returncode != 0
            assert reason in " ".join(done.stderr.split())


def enroll(folder: Path, url: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Enroll a device as a user would, with a code that no service knows."""
    code = {"CIPHERMARK_JOIN_TOKEN": "cm_join_" + "x" * 43}
    return ciphermark(folder, "daemon", "enroll", "--server", url, "--name", "device", **code, **variables)


@contextmanager
def browsing(folder: Path, authority: Authority | None) -> Iterator[Callable[[str], str]]:
    """Yield a function that opens an address in Chromium and returns its status or the browser's error.

    Chromium reads the authorities of the user from an NSS database in the home folder.
    """
    if not CHROMIUM.exists():
        pytest.skip("Chromium is not installed: apt-get install chromium")
    home = folder / "home"
    store = home / ".pki" / "nssdb"
    store.mkdir(parents=True, exist_ok=True)
    database = ("-d", f"sql:{store}")
    subprocess.run(["certutil", *database, "-N", "--empty-password"], check=True, capture_output=True)
    if authority is not None:
        trusted = ["-A", "-n", "tests", "-t", "C,,", "-i", str(authority.file)]
        subprocess.run(["certutil", *database, *trusted], check=True, capture_output=True)
    with sync_playwright() as playwright:
        environment: dict[str, str | float | bool] = {**os.environ, "HOME": str(home)}
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS, env=environment)
        page = browser.new_page()

        def visit(url: str) -> str:
            try:
                response = page.goto(url)
            except Error as error:
                return str(error)
            return str(response.status) if response else "no response"

        yield visit
        browser.close()
