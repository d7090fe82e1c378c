"""Announcement of the service on the local network."""

from collections.abc import Iterator
from contextlib import contextmanager

from orchestrator.cli.supervisor.ports import address_for_others
from orchestrator.service.discovery import announced, require_zeroconf
from orchestrator.service.security.binding import is_loopback
from orchestrator.shared.errors import SetupError
from orchestrator.shared.settings import ServiceSettings


def require_announcement(settings: ServiceSettings) -> None:
    """Raise SetupError, before anything starts, if the service of these settings cannot be announced."""
    require_zeroconf()
    if is_loopback(settings.host):
        raise SetupError(
            f"A service on {settings.host} cannot be announced: no other machine reaches it.",
            remedy="Add --listen ADDRESS (CIPHERMARK_HOST).",
        )


@contextmanager
def announced_service(settings: ServiceSettings) -> Iterator[None]:
    """Announce the service of these settings until the end of the block."""
    require_announcement(settings)
    with announced(settings.url_at(address_for_others(settings.host), settings.port)):
        yield
