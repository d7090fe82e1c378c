"""One attempt of a webhook: a signed POST to a checked address, within a bounded time."""

import http.client
import socket
import threading
import time
from contextlib import closing, suppress

from orchestrator import __version__
from orchestrator.shared.errors import Unreachable
from orchestrator.shared.tls import client_context
from orchestrator.watches.reports.outlets import WebhookAddress, split_webhook
from orchestrator.watches.reports.signing import HEADER, signature

TIMEOUT_SECONDS = 10.0
"""Time of one attempt, from the connection to the status line."""


def post(url: str, body: bytes, key: str, allowed: str | None, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
    """Send a report; return if the receiver answers with 200 to 299.

    allowed: the operator's setting. The connection uses an address that was checked, redirections are not followed, and
    nothing but the status is read. Raises InvalidRequest for an address that may not be reached, and Unreachable.
    """
    address = split_webhook(url, allowed)
    end = time.monotonic() + timeout_seconds
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"Ciphermark/{__version__}",
        HEADER: signature(key, body, int(time.time())),
    }
    try:
        with closing(_connect(address, timeout_seconds)) as raw:
            # A receiver that sends its answer byte by byte never runs into the timeout of a single read.
            timer = threading.Timer(max(0.0, end - time.monotonic()), _shut_down, (raw,))
            timer.start()
            try:
                status = _status(raw, address, body, headers)
            finally:
                timer.cancel()
    except (OSError, http.client.HTTPException) as error:
        late = f"no answer within {timeout_seconds:.0f} s" if time.monotonic() >= end else ""
        raise Unreachable(
            f"The webhook {url[:120]} failed: {late or str(error) or type(error).__name__}.",
            remedy="Check that its receiver runs, and that the service's machine reaches it.",
        ) from error
    if not 200 <= status < 300:
        raise Unreachable(
            f"The webhook {url[:120]} answered {status}; expected is 200 to 299.",
            remedy="Look at the log of its receiver; redirections are not followed.",
        )


def _connect(to: WebhookAddress, timeout_seconds: float) -> socket.socket:
    """Return a connection to the first address that accepts one."""
    refused: OSError = OSError("no address")
    for address in to.addresses:
        try:
            return socket.create_connection((address, to.port), timeout=timeout_seconds)
        except OSError as error:
            refused = error
    raise refused


def _status(raw: socket.socket, to: WebhookAddress, body: bytes, headers: dict[str, str]) -> int:
    connection = http.client.HTTPConnection(to.host, to.port)
    connection.sock = client_context().wrap_socket(raw, server_hostname=to.host) if to.scheme == "https" else raw
    with closing(connection):
        connection.request("POST", to.path, body, headers)
        return connection.getresponse().status


def _shut_down(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
