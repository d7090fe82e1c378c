"""The tuning record: original values of tuned settings, stored in the data folder before the first change."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import StringConstraints, ValidationError

from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.all_checks import is_tunable
from orchestrator.shared.errors import SetupError
from orchestrator.shared.files.complete import sync
from orchestrator.wire.base import Message

TUNING_FILE = "tuning.json"

_VALUE = r"^[A-Za-z0-9_,.+-]{1,4000}$"
KernelValue = Annotated[str, StringConstraints(pattern=_VALUE)]


class TunedSetting(Message):
    """One kernel setting that was changed, or was about to be."""

    file: str
    """Path below the roots, such as ``sys/devices/system/cpu/cpu0/cpufreq/scaling_governor``."""
    was: KernelValue
    """Value before the first tuning of this boot."""
    set_to: list[KernelValue]
    """All values written by tuning; any other value was written by another process."""


class TuningRecord(Message):
    """The tuned settings of one boot, complete even after a crash between two changes."""

    version: Literal[1] = 1
    boot_id: str
    """Boot of the changes; after a reboot the kernel has its defaults, and there is nothing to restore."""
    tuned_at: datetime
    settings: list[TunedSetting]


def can_be_kept(value: str | None) -> bool:
    """Return whether a value is one word, so that it can be recorded and restored."""
    return value is not None and re.fullmatch(_VALUE, value) is not None


def boot_id(roots: Roots) -> str:
    """Return the kernel's id of this boot; ``unknown`` if there is none."""
    return read_text(roots.proc / "sys/kernel/random/boot_id") or "unknown"


def load_record(data_folder: Path) -> TuningRecord | None:
    """Return the record, or None if nothing is tuned.

    Raises SetupError if the record is damaged, or if it names a file that tuning never writes: ``untune`` is executed
    by root, while the folder may belong to another user.
    """
    path = data_folder / TUNING_FILE
    try:
        record = TuningRecord.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise SetupError(
            f"{path} is damaged: {error.error_count()} invalid fields.", remedy="Restart the machine, then remove it."
        ) from error
    unexpected = next((one.file for one in record.settings if not is_tunable(one.file)), None)
    if unexpected is not None:
        raise SetupError(f"{path} names {unexpected[:100]!r}, which tuning never writes.", remedy="Remove that file.")
    return record


def save_record(data_folder: Path, record: TuningRecord) -> None:
    """Write the record atomically; it survives a power failure after the return."""
    path = data_folder / TUNING_FILE
    incoming = data_folder / f"{TUNING_FILE}.incoming"
    with suppress(FileNotFoundError):
        incoming.unlink()  # left by a crash
    # Root writes into a folder that may belong to another user, so an existing link must not be followed.
    descriptor = os.open(incoming, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(record.model_dump_json(indent=1))
        file.flush()
        os.fsync(file.fileno())
    incoming.replace(path)
    sync(data_folder)


def remove_record(data_folder: Path) -> None:
    """Remove the record: nothing is tuned."""
    (data_folder / TUNING_FILE).unlink(missing_ok=True)
    sync(data_folder)


@contextmanager
def exclusive(data_folder: Path) -> Iterator[None]:
    """Exclude other processes that tune or restore from this folder; the kernel releases the lock with the process."""
    descriptor = os.open(data_folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
