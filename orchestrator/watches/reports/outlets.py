"""Refusal of outlets that cannot or may not be used, when a watch is added."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from orchestrator.service.security.callers import Caller
from orchestrator.shared.errors import Forbidden, InvalidRequest
from orchestrator.shared.settings import ServiceSettings
from orchestrator.watches.reports.addresses import SETTING, allowed_hosts, reachable_addresses
from orchestrator.watches.reports.mail import SETTING as MAIL_SETTING
from orchestrator.watches.reports.mail import MailServer
from orchestrator.watches.schemas import Outlet

_ADDRESS = re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
_URL_CHARACTERS = re.compile(r"[!-~]*")
"""Printable ASCII without the space: others end each attempt before the request is sent."""


def check_outlets(settings: ServiceSettings, caller: Caller, outlets: Sequence[Outlet]) -> None:
    """Raise InvalidRequest for an outlet that cannot be used, and Forbidden for one that the caller may not use."""
    for place, outlet in enumerate(outlets):
        field = f"outlets.{place}.target"
        if outlet.kind == "webhook":
            split_webhook(outlet.target, settings.webhook_hosts, field)
        elif outlet.kind == "email":
            _check_email(settings, caller, outlet.target, field)
        elif outlet.target:
            raise InvalidRequest(
                f"An outlet of the kind file has no target, got {outlet.target[:80]!r}.",
                remedy="Leave it out: the service writes watch-reports/NAME.jsonl in its data folder.",
                field=field,
            )


@dataclass(frozen=True)
class WebhookAddress:
    """Parts of a webhook's URL, and the addresses that a connection may use."""

    scheme: str
    host: str
    port: int
    path: str
    """With the query."""
    addresses: list[str]


def split_webhook(url: str, setting: str | None, field: str = "") -> WebhookAddress:
    """Return the parts of a webhook's URL with its checked addresses; raise InvalidRequest."""
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        parts, port = urlsplit(""), 0
    host = (parts.hostname or "").lower()
    plain = parts.scheme == "http" and host in allowed_hosts(setting)
    is_form = (parts.scheme == "https" or plain) and host and not ("@" in parts.netloc or parts.fragment)
    if not is_form or not _URL_CHARACTERS.fullmatch(url):
        raise InvalidRequest(
            f"{url[:120]!r} cannot be a webhook; expected is https://host/path without a user name and a fragment.",
            remedy=f"Use HTTPS, or let the operator allow plain HTTP to this host: {SETTING}.",
            field=field,
        )
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebhookAddress(parts.scheme, host, port, path, reachable_addresses(host, port, allowed_hosts(setting)))


def _check_email(settings: ServiceSettings, caller: Caller, address: str, field: str) -> None:
    if not caller.may("admin"):
        raise Forbidden(
            "Only an admin may add a watch that sends email.",
            remedy="Use a webhook or a file, or let an admin add the watch.",
            field=field,
        )
    if settings.mail_url is None:
        raise InvalidRequest(
            "The service has no mail server, so that it cannot send email.",
            remedy=f"Set {MAIL_SETTING}, then restart the service.",
            field=field,
        )
    MailServer.parse(settings.mail_url.get_secret_value())
    if not _ADDRESS.fullmatch(address):
        raise InvalidRequest(
            f"{address[:120]!r} is not an email address.", remedy="Write name@host, in ASCII.", field=field
        )
