"""Receivers of reports: an HTTP server and a mail server (RFC 5321) on free ports of this machine."""

import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast

from tests.support.forwarding_proxy import QuietHandler, serving


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

        class Handler(QuietHandler):
            def answer(self, body: bytes) -> None:
                opened.requests.append(Received(self.path, dict(self.headers), body))
                self.send_response(opened.status)
                if opened.location:
                    self.send_header("Location", opened.location)
                self.send_header("Content-Length", "0")
                self.end_headers()

        with serving(Handler) as url:
            opened = cls(url)
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

        with serving(Handler, socketserver.ThreadingTCPServer) as url:
            opened = cls(int(url.rpartition(":")[2]))
            yield opened
