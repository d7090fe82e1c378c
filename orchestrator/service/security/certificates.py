"""The service's own TLS certificate, checked before anything listens."""

import ipaddress
import ssl
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509

from orchestrator.shared.errors import SetupError


def check_pair(certificate: Path, key: Path, at: datetime | None = None) -> None:
    """Raise SetupError unless the files are a certificate that is valid now and its key.

    at: moment to check for, by default now.
    """
    leaf = _leaf(certificate)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except (OSError, ValueError) as error:
        raise SetupError(
            f"{key} is not the key of {certificate}: {error}.",
            remedy="Set CIPHERMARK_TLS_KEY to the PEM file with the certificate's key, without a passphrase.",
        ) from error
    moment = at or datetime.now(UTC)
    if moment >= leaf.not_valid_after_utc:
        raise SetupError(
            f"{certificate} expired at {leaf.not_valid_after_utc:%Y-%m-%d %H:%M} UTC; every client would refuse it.",
            remedy="Renew the certificate.",
        )
    if moment < leaf.not_valid_before_utc:
        raise SetupError(
            f"{certificate} is not valid before {leaf.not_valid_before_utc:%Y-%m-%d %H:%M} UTC.",
            remedy="Check this machine's clock, or use another certificate.",
        )


def check_name(certificate: Path, host: str) -> None:
    """Raise SetupError unless the certificate is for the host of the service's address (RFC 9525: alternative names).

    host: a name or an IP address without brackets.
    """
    names = _names(_leaf(certificate))
    if not any(_matches(name, host.lower()) for name in names):
        raise SetupError(
            f"{certificate} is for {', '.join(sorted(names)) or 'no name'}, and the service's address has {host}: "
            "every client would refuse it.",
            remedy="Set CIPHERMARK_PUBLIC_URL to an address that the certificate names, or use another certificate.",
        )


def _leaf(certificate: Path) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificates(certificate.read_bytes())[0]
    except (OSError, ValueError) as error:
        raise SetupError(
            f"{certificate} cannot be read as a certificate: {error}.",
            remedy="Use a PEM file with the certificate first, then those that signed it.",
        ) from error


def _names(certificate: x509.Certificate) -> set[str]:
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return set()
    addresses = {str(address) for address in found.get_values_for_type(x509.IPAddress)}
    return addresses | {name.lower() for name in found.get_values_for_type(x509.DNSName)}


def _matches(name: str, host: str) -> bool:
    try:
        return ipaddress.ip_address(name) == ipaddress.ip_address(host)
    except ValueError:
        pass
    if not name.startswith("*."):
        return name == host.rstrip(".")
    first, _, rest = host.partition(".")
    return bool(first) and rest == name.removeprefix("*.")
