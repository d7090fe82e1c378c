"""The key with which this service signs what devices download (orchestrator/shared/values/signatures.py)."""

from pathlib import Path

from orchestrator.shared.files.private import private_secret
from orchestrator.shared.values.signatures import SignedFile, encode

FILE = "signing-key.json"
"""Name in the data folder; private like all its JSON files, and not in backups."""


class DownloadSigner:
    """The key of a data folder, made with the first use. Safe to use from several threads."""

    def __init__(self, data_folder: Path) -> None:
        """Read the key."""
        # Imported with the first invitation or download: most processes of the service need no signature.
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415

        self._key = ed25519.Ed25519PrivateKey.from_private_bytes(private_secret(data_folder / FILE))

    @property
    def public_key(self) -> str:
        """Key with which devices verify, in base64url."""
        return encode(self._key.public_key().public_bytes_raw())

    def sign(self, file: SignedFile) -> str:
        """Return the signature of a file in base64url."""
        return encode(self._key.sign(file.statement))
