from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from orchestrator.builds.join_script import own_authority
from orchestrator.shared.errors import SetupError


def certificate(folder: Path, subject: str, issuer: str) -> Path:
    """Write a PEM file with a certificate and its key, as some servers have it."""
    key = ec.generate_private_key(ec.SECP256R1())
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    names = [x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]) for name in (subject, issuer)]
    made = (x509.CertificateBuilder(names[1], names[0], key.public_key(), 1, begin, begin + timedelta(days=1))).sign(
        key, hashes.SHA256()
    )
    path = folder / "service.pem"
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(secret + made.public_bytes(Encoding.PEM))
    return path


class TestOwnAuthority:
    def test_own_root_is_returned_without_its_key(self, tmp_path: Path) -> None:
        text = own_authority(certificate(tmp_path, "bench", "bench"))
        assert text.startswith("-----BEGIN CERTIFICATE-----")
        assert "PRIVATE" not in text

    def test_certificate_of_another_authority_is_left_to_the_system(self, tmp_path: Path) -> None:
        assert own_authority(certificate(tmp_path, "bench", "Public Root")) == ""

    def test_damaged_file_is_reported(self, tmp_path: Path) -> None:
        (tmp_path / "x.pem").write_text("no certificate")
        with pytest.raises(SetupError, match=r"x\.pem cannot be read as a certificate"):
            own_authority(tmp_path / "x.pem")
