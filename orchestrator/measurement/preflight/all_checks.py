"""Every check of this package, found by its function: a new file is a new check, and no list is edited."""

import importlib
import pkgutil
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from orchestrator.measurement import preflight
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import Condition, PreflightContext, Setting
from orchestrator.wire.health import PreflightResult


@dataclass(frozen=True)
class Check:
    """One file of the package."""

    name: str
    """The file's name, with dashes; the name of its results."""
    check: Callable[[Roots, PreflightContext], PreflightResult]
    settings: Callable[[Roots, PreflightContext], list[Setting]] | None
    """What ``daemon tune`` sets; None where it sets nothing."""
    tunable_files: tuple[str, ...]
    """Patterns (regular expressions) of every file that its settings can name."""


@cache
def all_checks() -> tuple[Check, ...]:
    """Return the checks of this package by name."""
    found = []
    for info in pkgutil.iter_modules(preflight.__path__):
        module = importlib.import_module(f"{preflight.__name__}.{info.name}")
        if hasattr(module, "check"):
            name = info.name.replace("_", "-")
            files = tuple(getattr(module, "TUNABLE_FILES", ()))
            found.append(Check(name, module.check, getattr(module, "settings", None), files))
    return tuple(sorted(found, key=lambda one: one.name))


def look(roots: Roots, context: PreflightContext) -> list[PreflightResult]:
    """Return what every check finds, poor ones first. A file that reads like nothing known is ``unknown``, no error."""
    return poor_first([_look(one, roots, context) for one in all_checks()])


def poor_first(results: Sequence[PreflightResult]) -> list[PreflightResult]:
    """Return the results in the order in which they matter."""
    order = ("poor", "unknown", "good")
    return sorted(results, key=lambda result: (order.index(result.state), result.name))


def all_settings(roots: Roots, context: PreflightContext) -> list[Setting]:
    """Return everything that ``daemon tune`` wants to be set, cores that go offline last."""
    settings = [setting for one in all_checks() if one.settings for setting in one.settings(roots, context)]
    # The files of a core go away with it: whatever else is set on it has to be set before, and restored after.
    return sorted(settings, key=lambda setting: (setting.file.endswith("/online"), setting.check, setting.file))


def is_tunable(file: str) -> bool:
    """Tell whether a file is one that tuning may ever write."""
    return any(re.fullmatch(pattern, file) for one in all_checks() for pattern in one.tunable_files)


def _look(one: Check, roots: Roots, context: PreflightContext) -> PreflightResult:
    try:
        return one.check(roots, context)
    except (OSError, ValueError) as error:
        return Condition(one.name, "").unknown(f"{type(error).__name__}: {error}")
