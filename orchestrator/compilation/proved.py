"""Proved builds, and the admission of implementations: only those whose known answers passed are executed."""

import os
from dataclasses import dataclass
from pathlib import Path

from orchestrator.compilation.installed import InstalledBuild, Program, load_build, note_use
from orchestrator.compilation.proofs import ProofBook, load_proofs
from orchestrator.shared.files.identity import FileIdentity, are_unchanged
from orchestrator.wire.base import NOOP
from orchestrator.wire.jobs import JobCase
from orchestrator.wire.records import Failure


@dataclass(frozen=True)
class ProvedBuild:
    """A build and its known-answer proofs."""

    build: InstalledBuild
    proofs: ProofBook


@dataclass(frozen=True)
class AdmittedProgram:
    """A runner that may execute a case, identified by its hashed files."""

    program: Program
    identities: tuple[FileIdentity, ...]

    @property
    def path(self) -> Path:
        """Program that the launcher starts."""
        return self.program.path

    def is_unchanged(self) -> bool:
        """Return whether its files are still the ones that were hashed."""
        return are_unchanged(self.program.read, self.identities)


def _identities(program: Program) -> tuple[FileIdentity, ...]:
    return tuple(FileIdentity.of(path) for path in program.read)


@dataclass(frozen=True)
class Damage:
    """A program of a build that is missing, or differs from the one that was made and proved."""

    build_key: str
    detail: str


class ProvedBuilds:
    """The builds that jobs name by key, and the admission of their programs."""

    def __init__(self, cache_folder: Path, default: ProvedBuild) -> None:
        """Start with the default build; others are loaded from the cache when a job names them."""
        self._cache_folder = cache_folder
        self._found = {default.build.build_key: default}
        self._default_key = default.build.build_key
        self._hashed: dict[Program, tuple[tuple[FileIdentity, ...], str]] = {}

    def launcher(self) -> AdmittedProgram | Damage:
        """Return the launcher, which belongs to the default build."""
        found = self._find(self._default_key)
        if found is None:
            return Damage(self._default_key, f"Build {self._default_key[:12]} was removed.")
        try:
            launcher = found.build.launcher
            program = Program(launcher.name, (str(launcher),), (launcher,))
            return AdmittedProgram(program, _identities(program))
        except FileNotFoundError:
            return Damage(self._default_key, f"{found.build.launcher.name} was removed.")

    def forget(self, build_key: str) -> None:
        """Read a build and its proofs again before its next use, because it was made again."""
        self._found.pop(build_key, None)

    def admit(self, case: JobCase) -> AdmittedProgram | Damage | Failure:
        """Return the program that may execute the case, what damaged it, or why none may.

        An implementation is admitted if its known answers passed with a binary of the same hash. ``noop`` has no
        known answers; it needs only the binary of the build.
        """
        found = self._find(case.build_key)
        if found is None:
            return Damage(case.build_key, f"Build {case.build_key[:12]} is not on this agent.")
        program = found.build.runners.get(case.provider)
        if program is None:
            return Failure(
                error="build-missing", detail=f"Build {case.build_key[:12]} has no runner of {case.provider}."
            )
        try:
            identities, sha256 = self._hash(program)
        except OSError as error:
            reason = "was removed" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
            return Damage(case.build_key, f"{program.name} of build {case.build_key[:12]} {reason}.")
        if sha256 != found.build.binary_sha256(case.provider) or not os.access(program.path, os.X_OK):
            return Damage(case.build_key, f"{program.name} of build {case.build_key[:12]} was altered.")
        # noop encrypts nothing: it has no known answers.
        if case.algorithm != NOOP and not found.proofs.admits(sha256, case.provider, case.algorithm, case.variant):
            reason = found.proofs.rejection(case.provider, case.algorithm, case.variant)
            detail = f"{case.algorithm} {case.variant} by {case.provider} is not measured: {reason}"
            return Failure(error="known-answers-failed", detail=detail[:4000])
        return AdmittedProgram(program, identities)

    def _hash(self, program: Program) -> tuple[tuple[FileIdentity, ...], str]:
        """Return the identities and SHA-256 of the program; unchanged files are hashed once."""
        identities = _identities(program)
        known = self._hashed.get(program)
        if known is None or known[0] != identities:
            known = self._hashed[program] = (identities, program.sha256())
        return known

    def _find(self, build_key: str) -> ProvedBuild | None:
        if build_key in self._found and not note_use(self._cache_folder, build_key):
            self.forget(build_key)
        if build_key not in self._found:
            build = load_build(self._cache_folder, build_key)
            if build is None:
                return None
            self._found[build_key] = ProvedBuild(build, load_proofs(build))
        return self._found[build_key]
