"""A certificate authority of the tests, and the certificates that it signs."""

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Pair:
    """PEM files of a certificate and its key."""

    certificate: Path
    key: Path


class Authority:
    """A root whose certificate is in `file`."""

    def __init__(self, folder: Path, name: str = "authority of the tests") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.file = folder / "authority.pem"
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        root = self._builder(self._name, self._key.public_key(), datetime.now(UTC) + 10 * DAY)
        root = root.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        root = root.add_extension(_usage(signs_certificates=True), critical=True)
        self.file.write_bytes(root.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM))

    def sign(self, file_name: str, *hosts: str, ends: datetime | None = None) -> Pair:
        """Return a certificate for names or addresses; ends: by default in a day."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, file_name)])
        leaf = self._builder(subject, key.public_key(), ends or datetime.now(UTC) + DAY)
        leaf = leaf.add_extension(x509.SubjectAlternativeName([_general_name(host) for host in hosts]), critical=False)
        leaf = leaf.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        pair = Pair(self.folder / f"{file_name}.pem", self.folder / f"{file_name}-key.pem")
        pair.certificate.write_bytes(leaf.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM))
        pair.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return pair

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePublicKey, ends: datetime) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(min(datetime.now(UTC), ends) - 5 * DAY)
            .not_valid_after(ends)
        )


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )
