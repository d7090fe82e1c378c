"""The agent's identity, stored in the data folder, and the lock on that folder."""

import fcntl
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, ValidationError

from orchestrator.shared.closable import Closable
from orchestrator.shared.errors import NotEnrolled, SecondSession, SetupError
from orchestrator.shared.files.private import make_private
from orchestrator.shared.tls import is_loopback
from orchestrator.wire.agents import EnrollmentResponse
from orchestrator.wire.base import Message

IDENTITY_FILE = "identity.json"
LOCK_FILE = "daemon.lock"
_IDENTITY_BYTES = 4096
"""Upper bound of an identity's size."""
_LISTED_CHARACTERS = 200


class Identity(Message):
    """Address of the service and result of the enrollment, with two secrets: stored with mode 0600."""

    service_url: str
    enrollment: Annotated[EnrollmentResponse, Field(validation_alias=AliasChoices("enrollment", "enrolment"))]
    """``enrolment`` in the files of version 0.1."""


def require_private_channel(url: str, *, insecure_lan: bool) -> None:
    """Raise SetupError if secrets would leave this machine unencrypted without explicit permission."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https", "redis", "rediss", "redis+socket") or not (parts.hostname or parts.path):
        raise SetupError(f"{url!r} is not the address of a service.", remedy="Write https://host:port.")
    if not (insecure_lan or is_private_channel(url)):
        raise SetupError(
            f"{parts.scheme}://{parts.hostname} is neither encrypted nor on this machine.",
            remedy="Use https:// and rediss://, or pass --insecure-lan if all machines on this network are trusted.",
        )


def is_private_channel(url: str) -> bool:
    """Return whether a connection to an address is encrypted or stays on this machine."""
    parts = urlsplit(url)
    return parts.scheme in ("https", "rediss", "redis+socket") or is_loopback(parts.hostname or "")


def require_no_identity(data_folder: Path) -> None:
    """Raise SetupError if the data folder belongs to an agent already."""
    path = data_folder / IDENTITY_FILE
    if path.exists():
        raise SetupError(
            f"{path} exists: this data folder belongs to an agent already.",
            remedy="Remove that file to enroll again, or set CIPHERMARK_DATA_FOLDER to another folder.",
        )


@contextmanager
def reserved_identity(data_folder: Path) -> Iterator[Callable[[Identity], Path]]:
    """Reserve the space of an identity on the disk, and yield the function that stores it there.

    Raises SetupError if there is an identity already or the disk is full: before a join code is used.
    """
    require_no_identity(data_folder)
    path = data_folder / IDENTITY_FILE
    incoming = path.with_suffix(f".{secrets.token_hex(4)}")
    try:
        make_private(data_folder)
        _write(os.open(incoming, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), " " * _IDENTITY_BYTES)

        def save(identity: Identity) -> Path:
            _write(os.open(incoming, os.O_WRONLY), identity.model_dump_json(indent=1))
            incoming.replace(path)
            return path

        yield save
    except OSError as error:
        raise SetupError(
            f"{path} cannot be written: {error.strerror}.", remedy="Free disk space or correct the permissions."
        ) from error
    finally:
        with suppress(OSError):
            incoming.unlink(missing_ok=True)


def _write(descriptor: int, text: str) -> None:
    """Replace the contents of an open file without giving up the space that it has."""
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        file.truncate()
        os.fsync(file.fileno())


def load_identity(data_folder: Path) -> Identity:
    """Return the identity; raises NotEnrolled if there is none, and SetupError if it is damaged."""
    path = data_folder / IDENTITY_FILE
    try:
        return Identity.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise NotEnrolled(
            f"{data_folder} contains no identity of an agent.",
            remedy="Type 'ciphermark agents invite' on the server and execute the command that it prints here, or "
            "'ciphermark daemon enroll --server URL' with the join code on standard input.",
        ) from None
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, found["loc"])) or found["msg"] for found in error.errors())
        raise SetupError(
            f"{path} is damaged or of another version of Ciphermark; not readable: {fields[:_LISTED_CHARACTERS]}.",
            remedy="Start the version that wrote it, or restore the file from a backup. Enroll again in another data "
            "folder only if neither exists: this makes a second agent, and the results in the journal here are lost.",
        ) from error


class DataFolderLock(Closable):
    """Excludes a second daemon from the data folder; the kernel releases the lock when the process ends."""

    def __init__(self, data_folder: Path) -> None:
        """Take the lock; raises SecondSession if a running daemon holds it."""
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
                f"Process {holder} is a daemon with the data folder {data_folder}.", remedy="Stop it first."
            ) from None
        self._file.truncate(0)
        # Only the message of a second daemon needs it, and a full disk has no room for it.
        with suppress(OSError):
            os.write(self._file.fileno(), f"{os.getpid()}\n".encode())

    def close(self) -> None:
        """Release the lock."""
        self._file.close()
