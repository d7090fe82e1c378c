"""Where the service may listen: beyond loopback only with TLS, or by a setting that says what is given up."""

import ipaddress

from orchestrator.errors import SetupError
from orchestrator.settings import ServiceSettings


def is_loopback(host: str) -> bool:
    """Tell whether an address to listen on is reached from this machine alone."""
    if host == "localhost" or host.startswith("unix:"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check(settings: ServiceSettings) -> None:
    """Raise SetupError where these settings would send tokens in the clear over a network."""
    _check_certificate(settings)
    if is_loopback(settings.host) or settings.tls_certificate or settings.insecure_lan:
        return
    raise SetupError(
        f"Listening on {settings.host} without TLS would send tokens in the clear.",
        remedy="Name a certificate (CIPHERMARK_TLS_CERTIFICATE and CIPHERMARK_TLS_KEY), or, in a network you trust, "
        "say --insecure-lan (CIPHERMARK_INSECURE_LAN=true).",
        field="host",
    )


def _check_certificate(settings: ServiceSettings) -> None:
    pair = {"CIPHERMARK_TLS_CERTIFICATE": settings.tls_certificate, "CIPHERMARK_TLS_KEY": settings.tls_key}
    if all(path is None for path in pair.values()):
        return
    for variable, path in pair.items():
        if path is None:
            raise SetupError(f"{variable} is not set, but the other half of the pair is.", remedy="Set both.")
        if not path.is_file():
            raise SetupError(f"{variable} names {path}, which is no file.", remedy="Name a PEM file.")
