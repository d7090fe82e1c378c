"""Keys and signatures of webhooks: HMAC-SHA256 over time and body, with a key for each watch.

The keys are derived from one secret file of the service, so that the database and its backups contain none of them.
"""

import hashlib
import hmac
from pathlib import Path

from orchestrator.shared.files.private import private_secret

HEADER = "Ciphermark-Signature"
FILE = "webhook-secret.json"
"""Name in the data folder; private like all its JSON files."""


def webhook_key(data_folder: Path, watch_id: str) -> str:
    """Return the key of a watch's signatures, 64 hexadecimal digits; the secret is made with the first one."""
    secret = private_secret(data_folder / FILE)
    return hmac.new(secret, f"webhook {watch_id}".encode(), hashlib.sha256).hexdigest()


def signature(key: str, body: bytes, seconds: int) -> str:
    """Return the value of the header: ``t=1763900000,v1=<HMAC-SHA256 of "1763900000." and the body>``.

    seconds: Unix time of the attempt; a receiver refuses old ones, so that a copy cannot be sent again.
    """
    signed = hmac.new(bytes.fromhex(key), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={signed}"
