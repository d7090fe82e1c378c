"""Trial of cross-built programs before they are offered: their lists, all known answers, and one process each."""

import os
import platform
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from orchestrator.cli.cross_builds.machines import Target
from orchestrator.compilation.folders import LAUNCHER
from orchestrator.compilation.native.compilers import command_output
from orchestrator.compilation.native.programs import describe_runner, find_programs
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.compilation.proofs import available_implementations, prove_implementation
from orchestrator.compilation.runner_output import execute_runner
from orchestrator.shared.errors import BuildFailed, SetupError
from orchestrator.shared.values.field_errors import expectation
from orchestrator.wire.builds import ProofResult, RunnerBinary
from orchestrator.wire.runners import ProcessReport

_PROCESS_SECONDS = 300
_INPUT = bytes(range(256)) * 17
"""Input of the process: 4 352 bytes, whole blocks of every block size."""


@dataclass(frozen=True)
class Emulator:
    """Command that executes the programs of a target, empty on a machine that executes them itself."""

    command: tuple[str, ...]
    description: str | None
    """First line of the emulator's ``--version``."""


@dataclass(frozen=True)
class Trial:
    """Results of the programs."""

    runners: tuple[RunnerBinary, ...]
    known_answers_passed: int
    known_answers_failed: tuple[str, ...]
    """Implementations that failed, each with the reason."""


def find_emulator(target: Target) -> Emulator:
    """Return the emulator of a target; raises SetupError with the command that installs it."""
    if platform.machine() in target.executed_by:
        return Emulator((), None)
    path = shutil.which(target.emulator)
    if path is None:
        raise SetupError(
            f"{target.emulator} is not installed; it executes the known answers of the runners for {target.machine}.",
            remedy="apt-get install qemu-user-static",
        )
    described = (command_output(path, "--version") or target.emulator).splitlines()[0]
    # A CPU with all features, so that every variant is executed.
    return Emulator((path, "-cpu", "max"), described)


def try_programs(folder: Path, emulator: Emulator, scratch: Path, observer: BuildObserver) -> Trial:
    """Execute the programs of a build folder.

    Raises BuildFailed if a program fails, or all known answers of one, and Interrupted. Single failures are returned:
    a library of a distribution can be wrong on one architecture, and a device never measures what fails there.
    """
    programs = {name: path for name, path in find_programs(folder).items() if name != LAUNCHER}
    runners = tuple(describe_runner(path, emulator.command) for path in programs.values())
    proofs = _known_answers(programs, runners, emulator, observer)
    failed = tuple(f"{p.provider} {p.algorithm} {p.variant}: {p.detail}"[:300] for p in proofs if not p.passed)
    for path, runner in zip(programs.values(), runners, strict=True):
        if not any(proof.passed for proof in proofs if proof.provider == runner.provider):
            lines = "\n".join(failed[:10])
            raise BuildFailed(f"Every implementation of {path.name} failed its known answers:\n{lines}")
        observer.report(f"process of {path.name}")
        _try_process([*emulator.command, str(path)], runner, proofs, scratch)
    return Trial(runners, len(proofs) - len(failed), failed)


def _known_answers(
    programs: dict[str, Path], runners: Sequence[RunnerBinary], emulator: Emulator, observer: BuildObserver
) -> list[ProofResult]:
    pairs = list(zip(programs.values(), runners, strict=True))
    tasks = [(path, runner.provider, *names) for path, runner in pairs for names in available_implementations(runner)]

    def prove(task: tuple[Path, str, str, str]) -> ProofResult:
        path, provider, algorithm, variant = task
        observer.check()
        return prove_implementation([*emulator.command, str(path)], provider, algorithm, variant)

    proofs: list[ProofResult] = []
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for proof in pool.map(prove, tasks):
            proofs.append(proof)
            observer.progress(f"known answers {len(proofs)}/{len(tasks)}: {proof.algorithm} by {proof.provider}")
    return proofs


def _try_process(command: Sequence[str], runner: RunnerBinary, proofs: Sequence[ProofResult], scratch: Path) -> None:
    """Execute `process` with the provider's first default implementation that passed its known answers."""
    passed = {
        (proof.algorithm, proof.variant) for proof in proofs if proof.passed and proof.provider == runner.provider
    }
    rows = [row for row in runner.listing.implementations if row.default and (row.algorithm, row.variant) in passed]
    if not rows:
        raise BuildFailed(f"No default implementation of {runner.provider} passed its known answers.")
    path = scratch / "input"
    path.write_bytes(_INPUT)
    arguments = ("process", "--algorithm", rows[0].algorithm, "--variant", str(rows[0].variant), "--in", str(path))
    done = execute_runner([*command, *arguments], _PROCESS_SECONDS)
    if done.failure:
        raise BuildFailed(f"The process of {runner.provider} {rows[0].algorithm} {done.failure}")
    try:
        verified = ProcessReport.model_validate_json(done.stdout).verified
    except ValidationError as error:
        raise BuildFailed(
            f"The process of {runner.provider} {rows[0].algorithm} failed: {expectation(error.errors()[0])}."
        ) from error
    if not verified:
        raise BuildFailed(f"The process of {runner.provider} {rows[0].algorithm} did not decrypt what it encrypted.")
