"""``ciphermark daemon tune`` and ``untune``: set what root may set, and give back exactly what was found.

Nothing is changed before the rights for everything are there and the old values are on disk. Each value is read back.
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
    alone,
    boot_id,
    can_be_kept,
    load_record,
    remove_record,
    save_record,
)
from orchestrator.errors import SetupError
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.all_checks import all_settings
from orchestrator.measurement.preflight.base import PreflightContext, Setting, path_of, present_value

OutcomeName = Literal["would change", "changed", "as wanted", "refused", "kept by the kernel", "restored", "as before",
                      "left alone", "gone"]  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What became of one file of the kernel."""

    path: Path
    found: str | None
    """Its value before."""
    wanted: str
    outcome: OutcomeName
    detail: str = ""

    @property
    def failed(self) -> bool:
        """It is not as it was meant to be."""
        return self.outcome in ("refused", "left alone", "gone")


Tell = Callable[[Outcome], None]


@dataclass(frozen=True)
class Untuned:
    """What ``untune`` did."""

    outcomes: Sequence[Outcome]
    remark: str = ""
    """Why there was nothing to restore; else empty."""


def tune(
    roots: Roots, context: PreflightContext, tell: Tell = lambda _: None, *, dry_run: bool = False
) -> list[Outcome]:
    """Set everything that a check wants and root may set; return what became of each file.

    tell: hears of each change as soon as it is made.
    Raises SetupError, with nothing changed, where a right is missing; its remedy is the whole command.
    """
    folder = context.data_folder
    plan = [(setting, path_of(setting.file, roots)) for setting in all_settings(roots, context)]
    wishes = [_PlannedChange(setting, path, present_value(path)) for setting, path in plan]
    changes = [wish for wish in wishes if wish.found != wish.setting.value and can_be_kept(wish.found)]
    kept = [_unchanged(wish) for wish in wishes if wish not in changes]
    if dry_run:
        return kept + [Outcome(wish.path, wish.found, wish.setting.value, "would change") for wish in changes]
    if not changes:
        return kept
    _require_rights([wish.path for wish in changes], [wish.path for wish in changes if wish.setting.optional], folder)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with alone(folder):
        save_record(folder, _record_of(roots, load_record(folder), changes))
        for wish in changes:
            outcome = _set(wish.path, wish.found, wish.setting.value)
            if outcome.outcome == "refused" and wish.setting.optional:
                outcome = replace(outcome, outcome="kept by the kernel")
            kept.append(outcome)
            tell(outcome)
    return kept


def untune(roots: Roots, data_folder: Path, tell: Tell = lambda _: None, *, force: bool = False) -> Untuned:
    """Give every file back the value it had before the first tuning of this boot.

    A value that neither was there before nor comes from tuning is somebody else's: told, and left alone unless forced.
    Raises SetupError, with nothing changed, where a right is missing.
    """
    if not data_folder.is_dir():
        return Untuned([], f"Nothing is tuned: there is no folder {data_folder}")
    record = load_record(data_folder)
    if record is None:
        return Untuned([], f"Nothing is tuned, as far as {data_folder} tells")
    rebooted = record.boot_id != boot_id(roots)
    paths = {one.file: path_of(one.file, roots) for one in record.settings}
    # What does not exist now may come back with its core; who may write the others may write that.
    needed = [] if rebooted else [path for path in paths.values() if path.exists()]
    _require_rights(needed, [], data_folder, command="untune")
    with alone(data_folder):
        if rebooted:
            remove_record(data_folder)
            return Untuned([], "The machine was restarted since: the kernel has its defaults again")
        outcomes = {}
        for one in sorted(record.settings, key=lambda one: not one.file.endswith("/online")):
            outcomes[one.file] = outcome = _restore(one, paths[one.file], force)
            tell(outcome)
        _forget(data_folder, record, {file for file, outcome in outcomes.items() if not outcome.failed})
    return Untuned(list(outcomes.values()))


@dataclass(frozen=True)
class _PlannedChange:
    """A setting beside what stands there now."""

    setting: Setting
    path: Path
    found: str | None


def _unchanged(wish: _PlannedChange) -> Outcome:
    found, wanted = wish.found, wish.setting.value
    if found == wanted:
        return Outcome(wish.path, found, wanted, "as wanted")
    return Outcome(wish.path, found, wanted, "refused", "what stands there could not be given back")


def _record_of(roots: Roots, earlier: TuningRecord | None, changes: Iterable[_PlannedChange]) -> TuningRecord:
    """Return the record that covers these changes; originals of this boot that are known already stay."""
    boot = boot_id(roots)
    known = {one.file: one for one in earlier.settings} if earlier is not None and earlier.boot_id == boot else {}
    for wish in changes:
        file, wanted = wish.setting.file, wish.setting.value
        before = known.get(file)
        if before is None:
            known[file] = TunedSetting(file=file, was=wish.found or "", set_to=[wanted])
        else:
            known[file] = before.model_copy(update={"set_to": sorted({*before.set_to, wanted})})
    return TuningRecord(boot_id=boot, tuned_at=datetime.now(UTC), settings=list(known.values()))


def _restore(one: TunedSetting, path: Path, force: bool) -> Outcome:
    found = present_value(path)
    if found is None:
        return Outcome(path, None, one.was, "gone", "the file cannot be read any more")
    if found == one.was:
        return Outcome(path, found, one.was, "as before")
    if found not in one.set_to and not force:
        return Outcome(path, found, one.was, "left alone", "somebody else has set this since; --force overrides it")
    outcome = _set(path, found, one.was)
    return replace(outcome, outcome="restored") if outcome.outcome == "changed" else outcome


def _forget(data_folder: Path, record: TuningRecord, done: set[str]) -> None:
    """Keep of the record what could not be given back."""
    left = [one for one in record.settings if one.file not in done]
    if left:
        save_record(data_folder, record.model_copy(update={"settings": left}))
    else:
        remove_record(data_folder)


def _set(path: Path, found: str | None, wanted: str) -> Outcome:
    """Write a value and read it back."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
        try:
            os.write(descriptor, wanted.encode())
        finally:
            os.close(descriptor)
    except OSError as error:
        return Outcome(path, found, wanted, "refused", f"writing it: {error.strerror}")
    present = present_value(path)
    if present != wanted:
        return Outcome(path, found, wanted, "refused", f"it reads {present!r} afterwards")
    return Outcome(path, found, wanted, "changed")


def _require_rights(paths: Sequence[Path], optional: Sequence[Path], folder: Path, command: str = "tune") -> None:
    """Raise SetupError unless every file can be written; of optional ones root may lack some."""
    is_root = os.geteuid() == 0
    needed = [path for path in paths if not (is_root and path in optional)]
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    missing = [path for path in (*needed, existing) if not os.access(path, os.W_OK, effective_ids=True)]
    if not missing:
        return
    seen = f"{missing[0]}{f' and {len(missing) - 1} more' if len(missing) > 1 else ''}"
    raise SetupError(
        f"Nothing was changed: {seen} cannot be written {'even by root' if is_root else 'by this user'}.",
        remedy="They are read-only here: is this a container?"
        if is_root
        else f"Type: {whole_command(folder, command)}",
    )


def whole_command(folder: Path, command: str) -> str:
    """Return what to type for this with all rights: sudo keeps neither the environment nor the search path."""
    kept = {name: os.environ[name] for name in ("CIPHERMARK_MEASURED_CORE",) if name in os.environ}
    variables = {"CIPHERMARK_DATA_FOLDER": str(folder), **kept}
    program = Path(sys.argv[0]).absolute() if Path(sys.argv[0]).name == "ciphermark" else Path("ciphermark")
    words = ["sudo", "env", *(f"{name}={value}" for name, value in variables.items()), str(program), "daemon", command]
    return shlex.join(words)
