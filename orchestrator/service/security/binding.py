"""Addresses that the service may listen on: loopback, or any address with TLS or with the setting insecure_lan."""

from orchestrator.shared import tls
from orchestrator.shared.errors import SetupError
from orchestrator.shared.settings import ServiceSettings


def is_loopback(host: str) -> bool:
    """Return whether only processes on this machine can reach a listen address."""
    return host.startswith("unix:") or tls.is_loopback(host.strip("[]"))


def check(settings: ServiceSettings) -> None:
    """Raise SetupError if these settings would send tokens unencrypted over a network."""
    _check_certificate(settings)
    if is_loopback(settings.host) or settings.tls_certificate or settings.insecure_lan:
        return
    raise SetupError(
        f"Listening on {settings.host} without TLS would send tokens unencrypted over the network.",
        remedy="Set CIPHERMARK_TLS_CERTIFICATE and CIPHERMARK_TLS_KEY, or, in a network you trust, pass "
        "--insecure-lan (CIPHERMARK_INSECURE_LAN=true).",
        field="host",
    )


def _check_certificate(settings: ServiceSettings) -> None:
    pair = {"CIPHERMARK_TLS_CERTIFICATE": settings.tls_certificate, "CIPHERMARK_TLS_KEY": settings.tls_key}
    if all(path is None for path in pair.values()):
        return
    for variable, path in pair.items():
        if path is None:
            raise SetupError(
                f"{variable} is not set, but the other setting of the pair is.", remedy="Set both or none."
            )
        if not path.is_file():
            raise SetupError(f"{variable} is {path}, which is not a file.", remedy="Set it to the path of a PEM file.")
    if settings.tls_certificate and settings.tls_key:
        # cryptography's parser is imported only where it is needed: most services have no certificate.
        from orchestrator.service.security import certificates  # noqa: PLC0415

        certificates.check_pair(settings.tls_certificate, settings.tls_key)
