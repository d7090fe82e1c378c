"""A proxy between a service and its clients that changes responses, as a failing or hostile network does."""

import itertools
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

from orchestrator.shared.values.signatures import SIGNATURE_HEADER
from tests.support.waiting import GENEROUS_SECONDS

_HEADERS = ("authorization", "content-type", "ciphermark-device", "ciphermark-wire-version")


@dataclass
class Response:
    """A response of the service on its way."""

    body: bytes
    signature: str | None
    announced_bytes: int | None = None
    """Content-Length; default: that of the body."""


class QuietHandler(BaseHTTPRequestHandler):
    """Answers each GET and POST by `answer`, without a log."""

    def do_GET(self) -> None:
        self.answer(b"")

    def do_POST(self) -> None:
        self.answer(self.rfile.read(int(self.headers["Content-Length"] or 0)))

    def answer(self, body: bytes) -> None:
        """Answer the request at `path`, which has this body."""
        raise NotImplementedError

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def serving(
    handler: Callable[..., socketserver.BaseRequestHandler],
    server_class: type[socketserver.TCPServer] = ThreadingHTTPServer,
) -> Iterator[str]:
    """Serve requests on a free port of this machine; yield the address."""
    with server_class(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def forwarding_proxy(url: str, change: Callable[[str, Response], None]) -> Iterator[str]:
    """Yield the address of a proxy for the service at `url`.

    change: is called with the path and the response of each request, which the service has completed.
    """

    class Handler(QuietHandler):
        def answer(self, body: bytes) -> None:
            headers = {name: self.headers[name].strip() for name in _HEADERS if name in self.headers}
            answer = httpx.request(
                self.command, url + self.path, headers=headers, content=body, timeout=GENEROUS_SECONDS, verify=False
            )
            response = Response(answer.content, answer.headers.get(SIGNATURE_HEADER))
            change(self.path, response)
            self.send_response(answer.status_code)
            self.send_header("Content-Length", str(response.announced_bytes or len(response.body)))
            if response.signature is not None:
                self.send_header(SIGNATURE_HEADER, response.signature)
            self.end_headers()
            self.wfile.write(response.body)
            self.close_connection = True

    with serving(Handler) as address:
        yield address


@contextmanager
def cutting_proxy(url: str, cut_path: str, times: int = 1000) -> Iterator[str]:
    """Yield the address of a proxy that sends half of the first `times` responses for `cut_path`."""
    cuts = itertools.count()

    def cut(path: str, response: Response) -> None:
        if path == cut_path and next(cuts) < times:
            response.announced_bytes = len(response.body)
            response.body = response.body[: len(response.body) // 2]

    with forwarding_proxy(url, cut) as address:
        yield address
