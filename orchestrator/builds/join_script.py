"""Script with which a device joins: ``deploy/join.sh``, filled in with the hashes of what it downloads.

The SHA-256 of the script is part of the command that an operator copies, so it covers the wheel and the packages, and
the key with which the device verifies every program that it downloads later.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from orchestrator.shared.errors import SetupError


@dataclass(frozen=True)
class Contents:
    """Downloads and trust of a device."""

    wheel_name: str
    wheel_sha256: str
    requirements_sha256: str
    service_key: str
    """Public key of the service's signatures."""
    certificate: str
    """Certificates of the service's own authority in PEM format; empty if the system's authorities suffice."""


def render(template: str, contents: Contents) -> bytes:
    """Return the script with its placeholders filled in."""
    values = {
        "@WHEEL@": contents.wheel_name,
        "@WHEEL_SHA256@": contents.wheel_sha256,
        "@REQUIREMENTS_SHA256@": contents.requirements_sha256,
        "@SERVICE_KEY@": contents.service_key,
        "@CERTIFICATE@": contents.certificate.strip(),
    }
    for placeholder, value in values.items():
        template = template.replace(placeholder, value)
    return template.encode()


def script_sha256(script: bytes) -> str:
    """Return the SHA-256 that the command compares."""
    return sha256(script).hexdigest()


def own_authority(certificate: Path | None) -> str:
    """Return the certificates of a PEM file that contains its own root, without a key; empty for all other files.

    A chain without its root was signed by an authority that the systems know. Raises SetupError for a damaged file.
    """
    if certificate is None:
        return ""
    from cryptography import x509  # noqa: PLC0415 - a service without a certificate does not need it
    from cryptography.hazmat.primitives.serialization import Encoding  # noqa: PLC0415 - as above

    try:
        chain = x509.load_pem_x509_certificates(certificate.read_bytes())
    except (OSError, ValueError) as error:
        raise SetupError(
            f"{certificate} cannot be read as a certificate: {error}.", remedy="Use a PEM file with the chain."
        ) from error
    if not any(link.issuer == link.subject for link in chain):
        return ""
    return "".join(link.public_bytes(Encoding.PEM).decode("ascii") for link in chain)
