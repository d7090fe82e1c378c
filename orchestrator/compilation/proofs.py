"""Known-answer proofs: an implementation is measured only if its known answers passed with the same binary."""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from orchestrator.compilation.installed import InstalledBuild
from orchestrator.compilation.runner_output import execute_runner
from orchestrator.shared.files.stored import StoredDocument
from orchestrator.wire.base import Message, Sha256
from orchestrator.wire.builds import ProofResult, RunnerBinary

PROOFS_FILE = "proofs.json"
_KAT_SECONDS = 300
_ANSWERS = re.compile(rb"^CT = ([0-9A-Fa-f]*)$", re.MULTILINE)


class _StoredProof(Message):
    """A proof, and the hash of the binary that was tested."""

    binary_sha256: Sha256
    proof: ProofResult


_STORED = StoredDocument[list[_StoredProof]](list[_StoredProof])


@dataclass(frozen=True)
class ProofBook:
    """The proofs of all implementations of a build."""

    proofs: tuple[ProofResult, ...]
    _passed: frozenset[tuple[str, str, str, str]]

    @classmethod
    def of(cls, stored: Iterable[_StoredProof]) -> "ProofBook":
        """Return the book of these proofs."""
        entries = list(stored)
        passed = frozenset(
            (e.binary_sha256, e.proof.provider, e.proof.algorithm, e.proof.variant) for e in entries if e.proof.passed
        )
        return cls(tuple(entry.proof for entry in entries), passed)

    def admits(self, binary_sha256: str, provider: str, algorithm: str, variant: str) -> bool:
        """Return whether the known answers of this implementation passed with the binary of this hash."""
        return (binary_sha256, provider, algorithm, variant) in self._passed

    def rejection(self, provider: str, algorithm: str, variant: str) -> str:
        """Return why an implementation is not admitted."""
        for proof in self.proofs:
            if (proof.provider, proof.algorithm, proof.variant) == (provider, algorithm, variant) and not proof.passed:
                return proof.detail or "its known answers failed"
        return "its known answers were not tested with this binary"


def prove(build: InstalledBuild, progress: Callable[[str], None]) -> ProofBook:
    """Return the proofs of a build, executing `kat` for each available implementation without a proof of its binary."""
    path = build.folder / PROOFS_FILE
    earlier = _STORED.read(path) or ()
    known = {(e.binary_sha256, e.proof.provider, e.proof.algorithm, e.proof.variant): e for e in earlier}
    stored: list[_StoredProof] = []
    untested: list[tuple[RunnerBinary, str, str]] = []
    for runner in build.report.runners:
        for algorithm, variant in available_implementations(runner):
            entry = known.get((runner.sha256, runner.provider, algorithm, variant))
            if entry is None:
                untested.append((runner, algorithm, variant))
            else:
                stored.append(entry)
    at_once = len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(at_once) as pool:
        for first in range(0, len(untested), at_once):
            part = untested[first : first + at_once]
            runner, algorithm, variant = part[0]
            # Returns after a pause, during which nothing may be executed.
            progress(f"known answers {first + 1} of {len(untested)}: {algorithm} {variant} by {runner.provider}")
            stored += pool.map(lambda one: _prove(build, *one), part)
    _STORED.write(path, stored)
    return ProofBook.of(stored)


def _prove(build: InstalledBuild, runner: RunnerBinary, algorithm: str, variant: str) -> _StoredProof:
    command = build.runners[runner.provider].command
    row = next(i for i in runner.listing.implementations if (i.algorithm, i.variant) == (algorithm, variant))
    lengths = [one.output_bytes for one in row.operations]
    # Where an operation's outputs follow its inputs, every length may occur.
    fixed = frozenset(length for length in lengths if length is not None) if None not in lengths else frozenset()
    proof = prove_implementation(command, runner.provider, algorithm, variant, fixed)
    return _StoredProof(binary_sha256=runner.sha256, proof=proof)


def load_proofs(build: InstalledBuild) -> ProofBook:
    """Return the stored proofs of a build; an empty book if it was never proved."""
    return ProofBook.of(_STORED.read(build.folder / PROOFS_FILE) or ())


def available_implementations(runner: RunnerBinary) -> list[tuple[str, str]]:
    """Return algorithm and variant of each implementation that the CPU of the runner's `list` can execute."""
    return [(i.algorithm, i.variant) for i in runner.listing.implementations if i.available and i.variant]


def prove_implementation(
    runner: Sequence[str],
    provider: str,
    algorithm: str,
    variant: str,
    output_bytes: frozenset[int] = frozenset(),
) -> ProofResult:
    """Return the result of `kat` for one implementation.

    runner: path of the program, with the command of an emulator before it if the program is for another machine.
    output_bytes: the only lengths of answers, if all its operations declare one.
    """
    command = [*runner, "kat", "--algorithm", algorithm, "--variant", variant]
    done = execute_runner(command, _KAT_SECONDS)
    answers = _ANSWERS.findall(done.stdout)
    others = {len(answer) // 2 for answer in answers} - output_bytes if output_bytes else set()
    detail = f"kat {done.failure}" if done.failure else ""
    if not detail and not answers:
        detail = "kat printed no answer"
    elif not detail and others:
        declared = " or ".join(map(str, sorted(output_bytes)))
        detail = f"an answer has {min(others)} bytes; its operations declare {declared}"
    return ProofResult(
        provider=provider,
        algorithm=algorithm,
        variant=variant,
        passed=not detail,
        output_sha256=hashlib.sha256(done.stdout).hexdigest() if done.stdout else None,
        detail=detail[:2000],
    )
