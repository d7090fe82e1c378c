"""A proxy that cuts one download of a service in the middle, as a network that fails does."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx


@contextmanager
def cutting_proxy(url: str, cut_path: str) -> Iterator[str]:
    """Yield the address of a proxy for the service at `url` that sends half of the file at `cut_path`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            headers = {"authorization": self.headers.get("authorization", "")}
            answer = httpx.get(url + self.path, headers=headers, timeout=30)
            self.send_response(answer.status_code)
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            size = len(answer.content) // 2 if self.path == cut_path else len(answer.content)
            self.wfile.write(answer.content[:size])
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
