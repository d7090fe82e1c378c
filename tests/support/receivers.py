"""Receivers of reports: an HTTP server and a mail server (RFC 5321) on free ports of this machine."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast


@dataclass(frozen=True)
class Received:
    """A request."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class HTTPReceiver:
    """Answers every POST with the same status."""

    url: str
    status: int = 204
    location: str = ""
    requests: list[Received] = field(default_factory=list)

    @classmethod
    @contextmanager
    def open(cls) -> Iterator["HTTPReceiver"]:
        """Serve until the end of the block."""

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                opened.requests.append(Received(self.path, dict(self.headers), body))
                self.send_response(opened.status)
                if opened.location:
                    self.send_header("Location", opened.location)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Print nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        opened = cls(f"http://127.0.0.1:{server.server_address[1]}")
        with _serving(server):
            yield opened


@dataclass
class MailReceiver:
    """Accepts every message."""

    port: int
    messages: list[EmailMessage] = field(default_factory=list)

    @classmethod
    @contextmanager
    def open(cls) -> Iterator["MailReceiver"]:
        """Serve until the end of the block."""

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self._say("220 localhost")
                while line := self.rfile.readline():
                    command = line.strip().upper()
                    if command == b"DATA":
                        self._say("354 go on")
                        lines = list(iter(self.rfile.readline, b".\r\n"))
                        message = message_from_bytes(b"".join(lines), policy=policy.default)
                        opened.messages.append(cast(EmailMessage, message))
                    if command == b"QUIT":
                        self._say("221 bye")
                        return
                    self._say("250 ok")

            def _say(self, text: str) -> None:
                self.wfile.write(f"{text}\r\n".encode())

        server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        opened = cls(server.server_address[1])
        with _serving(server):
            yield opened


@contextmanager
def _serving(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
