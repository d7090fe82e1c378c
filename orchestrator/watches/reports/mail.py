"""One attempt of an email, and the mail server that the operator set."""

import smtplib
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import localtime, make_msgid
from urllib.parse import parse_qs, unquote, urlsplit

from orchestrator.shared.errors import InvalidRequest, Unreachable
from orchestrator.shared.tls import client_context

TIMEOUT_SECONDS = 20.0
SETTING = "CIPHERMARK_MAIL_URL"
_PORTS = {"smtp": 587, "smtps": 465, "smtp+plain": 25}
"""Usual port by scheme: STARTTLS is required, TLS from the beginning, no encryption (for a server on this machine)."""


@dataclass(frozen=True)
class MailServer:
    """Mail server with the access to it."""

    scheme: str
    host: str
    port: int
    user: str
    password: str
    sender: str

    @classmethod
    def parse(cls, url: str) -> "MailServer":
        """Return the mail server in a setting; raise InvalidRequest without repeating the setting, which is secret."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        senders = parse_qs(parts.query).get("from", [])
        # smtplib sends no other characters, and its error would contain them.
        if parts.scheme not in _PORTS or not parts.hostname or len(senders) > 1 or not unquote(url).isascii():
            raise InvalidRequest(
                f"{SETTING} names no mail server.",
                remedy="Write smtp://USER:PASSWORD@HOST:587?from=ADDRESS, or smtps:// or smtp+plain://, in ASCII.",
            )
        return cls(
            parts.scheme,
            parts.hostname,
            port or _PORTS[parts.scheme],
            unquote(parts.username or ""),
            unquote(parts.password or ""),
            senders[0] if senders else f"ciphermark@{parts.hostname}",
        )


def send(server: MailServer, address: str, subject: str, text: str) -> None:
    """Send an email; raise Unreachable if the mail server does not accept it."""
    message = EmailMessage()
    message["Subject"] = subject
    message["From"] = server.sender
    message["To"] = address
    message["Date"] = localtime()
    message["Message-ID"] = make_msgid(domain=server.host)
    message.set_content(text)
    try:
        with _connection(server) as connection:
            if server.user:
                connection.login(server.user, server.password)
            connection.send_message(message)
    except (OSError, smtplib.SMTPException) as error:
        raise Unreachable(
            f"The mail server {server.host}:{server.port} did not accept the email: {error}.",
            remedy=f"Check {SETTING}, and that the service's machine reaches the server.",
        ) from error


def _connection(server: MailServer) -> smtplib.SMTP:
    if server.scheme == "smtps":
        return smtplib.SMTP_SSL(server.host, server.port, timeout=TIMEOUT_SECONDS, context=client_context())
    connection = smtplib.SMTP(server.host, server.port, timeout=TIMEOUT_SECONDS)
    if server.scheme == "smtp":
        connection.starttls(context=client_context())
    return connection
