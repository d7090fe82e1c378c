"""Collection of the evidence: the leakage programs of a build folder of the runners, one on each processor."""

import json
import os
import subprocess
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

from orchestrator.compilation.evidence.report import Evidence
from orchestrator.compilation.native.cmake import require_tools, source_of
from orchestrator.compilation.runner_sources import source_sha256
from orchestrator.shared.errors import BuildFailed

_TARGET = "evidence"
_NOT_VERIFIED = 6
"""Exit code of a check that has printed its report, of which a result has not passed."""
_FIELDS = {"gadgets": "gadgets", "controls": "controls", "traces": "traces", "object-code": "object_code"}

_TESTED_SHARES = (2, 3, 4)
"""Numbers of shares that the words that leak are compiled with (CiphermarkEvidence.cmake)."""
_WATCHED_SHARES = (2, 3)
"""Numbers of shares of which the object code is watched: one instruction at a time is slow."""

Notify = Callable[[str], None]


def collect(folder: Path, traces: int, notify: Notify, algorithm: str | None = None) -> Evidence:
    """Bring the evidence programs of a CMake build folder up to date, and execute all checks.

    traces: executions of each form and seed. algorithm: only this one. notify: takes the options of a finished check.
    Raises BuildFailed if the folder is no build of the runners, a program fails, or the sources change in between.
    """
    began = monotonic()
    source = _source_of(folder)
    examined = source_sha256(source)
    require_tools()
    _execute(["cmake", "--build", str(folder), "--target", _TARGET])
    program = folder / "ciphermark-own"
    tasks = _tasks(json.loads(_execute([str(program), "list"])), traces, algorithm)

    def check(options: tuple[str, ...]) -> dict[str, Any]:
        printed: dict[str, Any] = json.loads(_execute([str(program), "leakage", *options], (0, _NOT_VERIFIED)))
        notify(" ".join(options))
        return printed

    with ThreadPoolExecutor(os.cpu_count()) as workers:
        printed = list(workers.map(check, tasks))
    if source_sha256(source) != examined:
        raise BuildFailed("The sources of the runners changed while the evidence was collected.", remedy="Repeat it.")
    return Evidence.model_validate(
        {
            "source_sha256": examined,
            "collected_at": datetime.now(UTC),
            "wall_seconds": monotonic() - began,
            # Gadgets and traces examine the sources; the compiler matters for the object code.
            "compilation": next(one["build"] for one in reversed(printed)),
            **_results(printed),
        }
    )


def _results(printed: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {field: [] for field in _FIELDS.values()}
    controls: set[str] = set()
    for one in printed:
        for result in one["results"]:
            # Each watch of object code repeats its controls: one of each is stored, and every one that has not passed.
            control = result.get("control") if one["check"] == "object-code" else None
            if control and result["passed"]:
                if control in controls:
                    continue
                controls.add(control)
            found[_FIELDS[one["check"]]].append(result)
    return found


def _tasks(listing: dict[str, Any], traces: int, algorithm: str | None) -> list[tuple[str, ...]]:
    """Return the options of every check. t-tests have the variants with words that leak (CiphermarkVariants.cmake)."""
    only = () if algorithm is None else ("--algorithm", algorithm)
    tasks: list[tuple[str, ...]] = [
        ("--check", "gadgets"),
        ("--check", "controls", "--traces", str(traces), *only),
        *(("--check", "traces", "--traces", str(traces), "--shares", str(shares), *only) for shares in _TESTED_SHARES),
    ]
    masked = {one["algorithm"] for one in listing["implementations"] if one.get("masking") and one["available"]}
    for name in sorted(masked if algorithm is None else masked & {algorithm}):
        watch = ("--check", "object-code", "--algorithm", name)
        tasks += [(*watch, "--shares", str(shares)) for shares in _WATCHED_SHARES]
    return tasks


def _source_of(folder: Path) -> Path:
    """Return the source folder that CMake made this build folder from."""
    try:
        return source_of(folder)
    except OSError:
        raise BuildFailed(
            f"{folder} is no build folder of CMake.", remedy="cmake --preset release -S runners -B build/evidence"
        ) from None


def _execute(command: list[str], accepted: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in accepted or (len(accepted) > 1 and not done.stdout):
        output = "\n".join((done.stderr or done.stdout).strip().splitlines()[-20:])
        raise BuildFailed(f"{' '.join(command)} ended with exit code {done.returncode}: {output}")
    return done.stdout
