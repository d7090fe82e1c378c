"""``ciphermark daemon tune`` and ``untune``: change kernel settings, and restore their original values.

Nothing is changed before all permissions were verified and the original values are on disk. Each value is read back.
"""

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from orchestrator.daemon.tune.record import (
    TunedSetting,
    TuningRecord,
    boot_id,
    can_be_kept,
    exclusive,
    load_record,
    remove_record,
    save_record,
)
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.all_checks import all_settings
from orchestrator.measurement.preflight.base import KernelSetting, PreflightContext, path_of, present_value
from orchestrator.shared.errors import SetupError
from orchestrator.shared.values.text import some

OutcomeName = Literal[
    "would change",
    "changed",
    "already set",
    "refused",
    "kept by the kernel",
    "restored",
    "as before",
    "left alone",
    "gone",
]


@dataclass(frozen=True)
class SettingOutcome:
    """Outcome of one kernel setting."""

    path: Path
    found: str | None
    """Value before."""
    target: str
    """Value to be set."""
    outcome: OutcomeName
    detail: str = ""

    @property
    def failed(self) -> bool:
        """True if the setting does not have its target value."""
        return self.outcome in ("refused", "left alone", "gone")


Report = Callable[[SettingOutcome], None]


@dataclass(frozen=True)
class Untuned:
    """Result of ``untune``."""

    outcomes: Sequence[SettingOutcome]
    remark: str = ""
    """Why there was nothing to restore; otherwise empty."""


def tune(
    roots: Roots, context: PreflightContext, report: Report = lambda _: None, *, dry_run: bool = False
) -> list[SettingOutcome]:
    """Set everything that a preflight check recommends and root may change; return the outcome of each setting.

    report: receives each change immediately.
    Raises SetupError, before any change, if a permission is missing; its remedy is the complete command.
    """
    folder = context.data_folder
    files = [(setting, path_of(setting.file, roots)) for setting in all_settings(roots, context)]
    plan = [_PlannedChange(setting, path, present_value(path)) for setting, path in files]
    changes = [change for change in plan if change.found != change.setting.value and can_be_kept(change.found)]
    kept = [_unchanged(change) for change in plan if change not in changes]
    if dry_run:
        return kept + [
            SettingOutcome(change.path, change.found, change.setting.value, "would change") for change in changes
        ]
    if not changes:
        return kept
    _require_permissions(
        [change.path for change in changes], [change.path for change in changes if change.setting.optional], folder
    )
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with exclusive(folder):
        save_record(folder, _record_of(roots, load_record(folder), changes))
        for change in changes:
            outcome = _set(change.path, change.found, change.setting.value)
            if outcome.outcome == "refused" and change.setting.optional:
                outcome = replace(outcome, outcome="kept by the kernel")
            kept.append(outcome)
            report(outcome)
    return kept


def untune(roots: Roots, data_folder: Path, report: Report = lambda _: None, *, force: bool = False) -> Untuned:
    """Restore the values from before the first tuning of this boot.

    A value that is neither the original one nor set by tuning was written by another process: it is reported and kept
    unless `force` is set. Raises SetupError, before any change, if a permission is missing.
    """
    if not data_folder.is_dir():
        return Untuned([], f"Nothing is tuned: there is no folder {data_folder}")
    record = load_record(data_folder)
    if record is None:
        return Untuned([], f"Nothing is tuned: {data_folder} contains no tuning record")
    rebooted = record.boot_id != boot_id(roots)
    paths = {one.file: path_of(one.file, roots) for one in record.settings}
    # Files of an offline core do not exist now and appear with the core; their permissions are those of the others.
    needed = [] if rebooted else [path for path in paths.values() if path.exists()]
    _require_permissions(needed, [], data_folder, command="untune")
    with exclusive(data_folder):
        if rebooted:
            remove_record(data_folder)
            return Untuned([], "The machine was restarted since then: the kernel has its defaults")
        outcomes = {}
        for one in sorted(record.settings, key=lambda one: not one.file.endswith("/online")):
            outcomes[one.file] = outcome = _restore(one, paths[one.file], force)
            report(outcome)
        _drop_restored(data_folder, record, {file for file, outcome in outcomes.items() if not outcome.failed})
    return Untuned(list(outcomes.values()))


@dataclass(frozen=True)
class _PlannedChange:
    """A setting with its file and present value."""

    setting: KernelSetting
    path: Path
    found: str | None


def _unchanged(change: _PlannedChange) -> SettingOutcome:
    found, target = change.found, change.setting.value
    if found == target:
        return SettingOutcome(change.path, found, target, "already set")
    return SettingOutcome(change.path, found, target, "refused", "the present value could not be restored later")


def _record_of(roots: Roots, earlier: TuningRecord | None, changes: Iterable[_PlannedChange]) -> TuningRecord:
    """Return the record that includes these changes; original values of this boot that are known already are kept."""
    boot = boot_id(roots)
    known = {one.file: one for one in earlier.settings} if earlier is not None and earlier.boot_id == boot else {}
    for change in changes:
        file, target = change.setting.file, change.setting.value
        before = known.get(file)
        if before is None:
            known[file] = TunedSetting(file=file, was=change.found or "", set_to=[target])
        else:
            known[file] = before.model_copy(update={"set_to": sorted({*before.set_to, target})})
    return TuningRecord(boot_id=boot, tuned_at=datetime.now(UTC), settings=list(known.values()))


def _restore(one: TunedSetting, path: Path, force: bool) -> SettingOutcome:
    found = present_value(path)
    if found is None:
        return SettingOutcome(path, None, one.was, "gone", "the file cannot be read")
    if found == one.was:
        return SettingOutcome(path, found, one.was, "as before")
    if found not in one.set_to and not force:
        return SettingOutcome(
            path, found, one.was, "left alone", "another process has changed it since; --force overrides it"
        )
    outcome = _set(path, found, one.was)
    return replace(outcome, outcome="restored") if outcome.outcome == "changed" else outcome


def _drop_restored(data_folder: Path, record: TuningRecord, done: set[str]) -> None:
    """Keep only the settings in the record that could not be restored."""
    left = [one for one in record.settings if one.file not in done]
    if left:
        save_record(data_folder, record.model_copy(update={"settings": left}))
    else:
        remove_record(data_folder)


def _set(path: Path, found: str | None, target: str) -> SettingOutcome:
    """Write a value and read it back."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
        try:
            os.write(descriptor, target.encode())
        finally:
            os.close(descriptor)
    except OSError as error:
        return SettingOutcome(path, found, target, "refused", f"cannot be written: {error.strerror}")
    present = present_value(path)
    if present != target:
        return SettingOutcome(path, found, target, "refused", f"reads {present!r} after the write")
    return SettingOutcome(path, found, target, "changed")


def _require_permissions(paths: Sequence[Path], optional: Sequence[Path], folder: Path, command: str = "tune") -> None:
    """Raise SetupError unless every file is writable; for root, optional ones need not be."""
    is_root = os.geteuid() == 0
    needed = [path for path in paths if not (is_root and path in optional)]
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    missing = [path for path in (*needed, existing) if not os.access(path, os.W_OK, effective_ids=True)]
    if not missing:
        return
    seen = some(list(map(str, missing)), 1)
    raise SetupError(
        f"Nothing was changed: {seen} cannot be written {'even by root' if is_root else 'by this user'}.",
        remedy="The files are read-only, as in a container: execute this on the host."
        if is_root
        else f"Type: {whole_command(folder, command)}",
    )


def whole_command(folder: Path, command: str) -> str:
    """Return the complete command for root; sudo keeps neither the environment nor the search path."""
    kept = {name: os.environ[name] for name in ("CIPHERMARK_MEASURED_CORE",) if name in os.environ}
    variables = {"CIPHERMARK_DATA_FOLDER": str(folder), **kept}
    program = Path(sys.argv[0]).absolute() if Path(sys.argv[0]).name == "ciphermark" else Path("ciphermark")
    words = ["sudo", "env", *(f"{name}={value}" for name, value in variables.items()), str(program), "daemon", command]
    return shlex.join(words)
