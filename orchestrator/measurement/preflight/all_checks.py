"""Discovery and execution of all preflight checks: a new module with a function ``check`` is a new check."""

import importlib
import pkgutil
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from orchestrator.measurement import preflight
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import KernelSetting, PreflightContext, Requirement
from orchestrator.wire.health import PreflightResult


@dataclass(frozen=True)
class Check:
    """A check, as its module declares it."""

    name: str
    """Name of the module, with dashes; the name in its results."""
    check: Callable[[Roots, PreflightContext], PreflightResult]
    settings: Callable[[Roots, PreflightContext], list[KernelSetting]] | None
    """Settings that ``daemon tune`` writes for this check; None if there are none."""
    tunable_files: tuple[str, ...]
    """Regular expressions that match every file that the settings can name."""


@cache
def all_checks() -> tuple[Check, ...]:
    """Return the checks of this package, sorted by name."""
    checks = []
    for info in pkgutil.iter_modules(preflight.__path__):
        module = importlib.import_module(f"{preflight.__name__}.{info.name}")
        if hasattr(module, "check"):
            name = info.name.replace("_", "-")
            files = tuple(getattr(module, "TUNABLE_FILES", ()))
            checks.append(Check(name, module.check, getattr(module, "settings", None), files))
    return tuple(sorted(checks, key=lambda each: each.name))


def run_checks(roots: Roots, context: PreflightContext) -> list[PreflightResult]:
    """Return the results of all checks, poor ones first.

    A check that fails on an unreadable or unexpected file has the result ``unknown``.
    """
    return poor_first([_run(each, roots, context) for each in all_checks()])


def poor_first(results: Sequence[PreflightResult]) -> list[PreflightResult]:
    """Return the results sorted by state (poor, unknown, good), then by name."""
    order = ("poor", "unknown", "good")
    return sorted(results, key=lambda result: (order.index(result.state), result.name))


def all_settings(roots: Roots, context: PreflightContext) -> list[KernelSetting]:
    """Return the settings of all checks; those that take a core offline come last."""
    settings = [setting for each in all_checks() if each.settings for setting in each.settings(roots, context)]
    # The files of a core disappear with it: other settings of the core are made before, and restored after.
    return sorted(settings, key=lambda setting: (setting.file.endswith("/online"), setting.check, setting.file))


def is_tunable(file: str) -> bool:
    """Return whether tuning may write this file."""
    return any(re.fullmatch(pattern, file) for each in all_checks() for pattern in each.tunable_files)


def _run(each: Check, roots: Roots, context: PreflightContext) -> PreflightResult:
    try:
        return each.check(roots, context)
    except (OSError, ValueError) as error:
        return Requirement(each.name, "").unknown(f"{type(error).__name__}: {error}")
