"""A proxy that cuts a response of a service in the middle, as a network that fails does."""

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

from tests.support.waiting import GENEROUS_SECONDS

_HEADERS = ("authorization", "content-type", "ciphermark-device", "ciphermark-wire-version")


@contextmanager
def serving(handler: Callable[..., BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serve requests on a free port of this machine; yield the address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def cutting_proxy(url: str, cut_path: str, times: int = 1000) -> Iterator[str]:
    """Yield the address of a proxy for the service at `url`.

    It sends half of the first `times` responses for `cut_path`, which the service has completed.
    """
    cuts = itertools.count()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.forward("GET", b"")

        def do_POST(self) -> None:
            self.forward("POST", self.rfile.read(int(self.headers["content-length"])))

        def forward(self, method: str, body: bytes) -> None:
            headers = {name: self.headers[name] for name in _HEADERS if name in self.headers}
            answer = httpx.request(method, url + self.path, headers=headers, content=body, timeout=GENEROUS_SECONDS)
            self.send_response(answer.status_code)
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            cut = self.path == cut_path and next(cuts) < times
            self.wfile.write(answer.content[: len(answer.content) // (2 if cut else 1)])
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    with serving(Handler) as address:
        yield address
