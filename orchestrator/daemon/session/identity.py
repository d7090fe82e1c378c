"""Who this agent is: the answer to its enrollment, kept in the data folder, and the lock on that folder."""

import fcntl
import os
import secrets
from ipaddress import ip_address
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from pydantic import ValidationError

from orchestrator.errors import NotEnrolled, SecondSession, SetupError
from orchestrator.wire.agents import EnrollmentResponse
from orchestrator.wire.base import Message

IDENTITY_FILE = "identity.json"
LOCK_FILE = "daemon.lock"


class Identity(Message):
    """What the daemon needs to be its agent. Holds two secrets: readable by its owner alone."""

    service_url: str
    enrollment: EnrollmentResponse


def require_private_channel(url: str, *, insecure_lan: bool) -> None:
    """Raise SetupError when secrets would travel in the clear beyond this machine without an explicit permission."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https", "redis", "rediss", "redis+socket") or not (parts.hostname or parts.path):
        raise SetupError(f"No address of a service can be read from {url!r}.", remedy="Write https://host:port.")
    encrypted = parts.scheme in ("https", "rediss", "redis+socket")
    if not (encrypted or insecure_lan or is_loopback(parts.hostname or "")):
        raise SetupError(
            f"{parts.scheme}://{parts.hostname} is neither encrypted nor on this machine.",
            remedy="Use https:// and rediss://, or pass --insecure-lan if everybody on this network may listen.",
        )


def is_loopback(host: str) -> bool:
    """Tell whether the host is this machine, whatever resolver is asked."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def require_no_identity(data_folder: Path) -> None:
    """Raise SetupError when the data folder belongs to an agent already."""
    path = data_folder / IDENTITY_FILE
    if path.exists():
        raise SetupError(
            f"{path} exists: this data folder belongs to an agent already.",
            remedy="Remove that file to enroll anew, or set CIPHERMARK_DATA_FOLDER to another folder.",
        )


def save_identity(data_folder: Path, identity: Identity) -> Path:
    """Write the identity with mode 0600, whole or not at all; a folder that has one already is refused."""
    require_no_identity(data_folder)
    path = data_folder / IDENTITY_FILE
    data_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    incoming = path.with_suffix(f".{secrets.token_hex(4)}")
    descriptor = os.open(incoming, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(identity.model_dump_json(indent=1))
        file.flush()
        os.fsync(file.fileno())
    incoming.replace(path)
    return path


def load_identity(data_folder: Path) -> Identity:
    """Read the identity; raises NotEnrolled where there is none and SetupError where it is damaged."""
    path = data_folder / IDENTITY_FILE
    try:
        return Identity.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise NotEnrolled(
            f"{data_folder} holds no identity of an agent.",
            remedy="Get a join token with 'ciphermark token create --role agent' on the server, then execute "
            "'ciphermark daemon enroll --server URL --token TOKEN' here.",
        ) from None
    except ValidationError as error:
        raise SetupError(
            f"{path} is damaged: {error.error_count()} fields are wrong.", remedy="Remove it and enroll anew."
        ) from error


class DataFolderLock:
    """Keeps a second daemon out of the same data folder on this machine; the kernel frees it with the process."""

    def __init__(self, data_folder: Path) -> None:
        """Take the lock; raises SecondSession when a daemon that lives holds it."""
        path = data_folder / LOCK_FILE
        data_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            holder = self._file.read(20).strip() or "unknown"
            self._file.close()
            raise SecondSession(
                f"Process {holder} is a daemon in {data_folder} already.", remedy="Stop it first."
            ) from None
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def close(self) -> None:
        """Free the lock."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
