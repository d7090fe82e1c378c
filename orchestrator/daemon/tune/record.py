"""The values that tuning found, in the data folder: written durably before the first of them is changed."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import StringConstraints, ValidationError

from orchestrator.errors import SetupError
from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.all_checks import is_tunable
from orchestrator.wire.base import Message

TUNING_FILE = "tuning.json"

_VALUE = r"^[A-Za-z0-9_,.+-]{1,4000}$"
KernelValue = Annotated[str, StringConstraints(pattern=_VALUE)]


class TunedSetting(Message):
    """One file of the kernel that was changed, or was about to be."""

    file: str
    """Under the roots: ``sys/devices/system/cpu/cpu0/cpufreq/scaling_governor``."""
    was: KernelValue
    """What stood there before the first tuning of this boot."""
    set_to: list[KernelValue]
    """Everything that tuning has written there since: another value is somebody else's."""


class TuningRecord(Message):
    """What ``untune`` needs, also after a crash between two changes."""

    version: Literal[1] = 1
    boot_id: str
    """The kernel forgets settings with a reboot: those of another boot have nothing to restore."""
    tuned_at: datetime
    settings: list[TunedSetting]


def can_be_kept(value: str | None) -> bool:
    """Tell whether a value is one word, so that it can be recorded and written back."""
    return value is not None and re.fullmatch(_VALUE, value) is not None


def boot_id(roots: Roots) -> str:
    """Return the name that the kernel gave this boot; ``unknown`` where it gives none."""
    return read_text(roots.proc / "sys/kernel/random/boot_id") or "unknown"


def load_record(data_folder: Path) -> TuningRecord | None:
    """Return the record, or None where nothing is tuned.

    Raises SetupError for a damaged one, and for one that names a file that tuning never writes: ``untune`` is executed
    by root, and the folder may belong to somebody else.
    """
    path = data_folder / TUNING_FILE
    try:
        record = TuningRecord.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise SetupError(
            f"{path} is damaged: {error.error_count()} fields are wrong.", remedy="Restart the machine, then remove it."
        ) from error
    strange = next((one.file for one in record.settings if not is_tunable(one.file)), None)
    if strange is not None:
        raise SetupError(f"{path} names {strange[:100]!r}, which tuning never writes.", remedy="Remove that file.")
    return record


def save_record(data_folder: Path, record: TuningRecord) -> None:
    """Write the record, whole or not at all; when this returns, a loss of power cannot take it away any more."""
    path = data_folder / TUNING_FILE
    incoming = data_folder / f"{TUNING_FILE}.incoming"
    with suppress(FileNotFoundError):
        incoming.unlink()  # of a crash
    # Root writes into a folder that may be somebody else's: never through a link that lies there already.
    descriptor = os.open(incoming, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(record.model_dump_json(indent=1))
        file.flush()
        os.fsync(file.fileno())
    incoming.replace(path)
    _sync_folder(data_folder)


def remove_record(data_folder: Path) -> None:
    """Remove the record for good: nothing is tuned any more."""
    (data_folder / TUNING_FILE).unlink(missing_ok=True)
    _sync_folder(data_folder)


@contextmanager
def alone(data_folder: Path) -> Iterator[None]:
    """Let nobody else tune or restore from this folder meanwhile; the kernel frees the lock with the process."""
    descriptor = os.open(data_folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
