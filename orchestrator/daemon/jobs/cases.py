"""Cases of a job made executable: verified program, verified chunk, and the command line."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import structlog

from orchestrator.compilation.installed import Program
from orchestrator.compilation.proved import AdmittedProgram, Damage, ProvedBuilds
from orchestrator.daemon.jobs.chunk_cache import ChunkCache, VerifiedChunk, wait_and_provide
from orchestrator.daemon.jobs.room import Room
from orchestrator.daemon.session.active_job import ActiveJob
from orchestrator.measurement.runner.command import Command
from orchestrator.measurement.runner.commands import LatencyCommand, ProcessCommand
from orchestrator.shared.errors import ChunkDamaged, CiphermarkError, NoRoom, NotFound, Unreachable
from orchestrator.shared.files.identity import FileIdentity, are_unchanged
from orchestrator.wire.jobs import JobCase, JobMessage, LatencyCase, ProcessCase
from orchestrator.wire.records import Failure

RETRY_SECONDS = 2.0
"""Pause between two attempts while the disk is full or the service is unreachable."""
_MAX_DETAIL_CHARACTERS = 4000

_BUILD_MIB = 64
"""Room for a build that is made again, besides that of new work: 31 MiB of runners, and their proofs."""

Restore = Callable[[str, Callable[[], bool]], None]
"""Makes the build of a key again unless its second argument returns that the job is stopped.

Raises NoRoom or Unreachable if it must be tried again later.
"""

_log = structlog.get_logger(__name__)


class JobStopped(Exception):
    """The job was cancelled or paused, or the daemon is shutting down."""


@dataclass(frozen=True)
class PreparedCase:
    """A case that can be executed."""

    case: JobCase
    files: tuple[AdmittedProgram | VerifiedChunk, ...]
    """The program, the launcher, and the chunk of a ``process`` case, as they were verified."""
    command: Command

    def changed_files(self) -> list[str]:
        """Return the names of the files that are no longer the ones that were hashed."""
        return [name for name, paths, known in self._watched if not are_unchanged(paths, known)]

    @cached_property
    def _watched(self) -> list[tuple[str, tuple[str, ...], tuple[FileIdentity, ...]]]:
        """Name, paths and identities of each file: texts, because a Path takes longer than the call of the kernel."""
        return [(file.path.name, *_identified(file)) for file in self.files]


def _identified(file: AdmittedProgram | VerifiedChunk) -> tuple[tuple[str, ...], tuple[FileIdentity, ...]]:
    if isinstance(file, VerifiedChunk):
        return (str(file.path),), (file.identity,)
    program = file.program
    return tuple(str(path) for path in program.read), file.identities


class CasePreparer:
    """Prepares the cases of one job; each chunk is verified once per job."""

    def __init__(
        self,
        job: JobMessage,
        active: ActiveJob,
        *,
        builds: ProvedBuilds,
        chunks: ChunkCache,
        restore: Restore,
        room: Room,
    ) -> None:
        """Prepare cases of `job`, stopping when `active` is stopped."""
        self._room = room
        self._restore = restore
        self._unrestored: set[str] = set()
        self._job = job
        self._active = active
        self._builds = builds
        self._chunks = chunks
        self._verified: dict[str, VerifiedChunk] = {}

    def prepare(self, case: JobCase) -> PreparedCase | Failure:
        """Return the case with its verified files, or why it cannot be executed. Raises JobStopped."""
        if self._active.is_stopped():
            raise JobStopped
        launcher = self._undamaged(self._builds.launcher)
        program = self._undamaged(lambda: self._builds.admit(case))
        if isinstance(program, Failure):
            return program
        if isinstance(launcher, AdmittedProgram) and not launcher.is_unchanged():
            # Making the program's build again replaced the launcher in the same folder.
            launcher = self._undamaged(self._builds.launcher)
        if isinstance(launcher, Failure):
            return launcher
        facts = _facts(self._job, case, program.program)
        if isinstance(case, LatencyCase):
            return PreparedCase(case, (program, launcher), LatencyCommand(**facts, case=case))
        chunk = self._provide(case)
        if isinstance(chunk, Failure):
            return chunk
        command = ProcessCommand(**facts, input_file=chunk.path, input_bytes=case.chunk_bytes, operation=case.operation)
        return PreparedCase(case, (program, launcher, chunk), command)

    def refresh(self, case: PreparedCase | Failure) -> PreparedCase | Failure:
        """Return the case, prepared again if its program or chunk changed on disk. Raises JobStopped."""
        if isinstance(case, Failure) or not case.changed_files():
            return case
        _log.warning("file changed since it was verified", job_id=self._job.job_id, case_id=case.case.case_id)
        return self.prepare(case.case)

    def _undamaged(self, admit: "Callable[[], AdmittedProgram | Damage | Failure]") -> AdmittedProgram | Failure:
        """Return the program, after its build was made again if it is damaged; once where that does not help."""
        admitted = admit()
        if isinstance(admitted, Damage) and admitted.build_key not in self._unrestored:
            key = admitted.build_key
            _log.warning("program damaged; its build is made again", build_key=key, damage=admitted.detail)
            self._restore_build(key)
            if self._active.is_stopped():
                raise JobStopped
            self._builds.forget(key)
            admitted = admit()
            if isinstance(admitted, Damage):
                self._unrestored.add(key)
        return Failure(error="build-missing", detail=admitted.detail) if isinstance(admitted, Damage) else admitted

    def _restore_build(self, key: str) -> None:
        """Make a build again, as soon as that is possible. Raises JobStopped."""
        while True:
            try:
                self._restore(key, self._active.is_stopped)
                return
            except NoRoom as error:
                self._wait(str(error))
                # A build that does not fit is not written again and again: SD cards wear out.
                while (lack := self._room.lack(_BUILD_MIB)) is not None:
                    self._wait(lack)
            except Unreachable as error:
                self._wait(str(error))

    def _wait(self, obstacle: str) -> None:
        """Report an obstacle and wait a moment. Raises JobStopped."""
        if not self._active.wait_out(obstacle, RETRY_SECONDS):
            raise JobStopped

    def _provide(self, case: ProcessCase) -> VerifiedChunk | Failure:
        try:
            chunk = self._verified_chunk(case.chunk_sha256)
        except Unreachable:
            raise JobStopped from None
        except (NotFound, ChunkDamaged) as error:
            name = "chunk-damaged" if isinstance(error, ChunkDamaged) else "chunk-missing"
            return Failure(error=name, detail=str(error)[:_MAX_DETAIL_CHARACTERS])
        except CiphermarkError as error:
            return Failure(error="chunk-missing", detail=str(error)[:_MAX_DETAIL_CHARACTERS])
        size_bytes = chunk.identity.size_bytes
        if size_bytes != case.chunk_bytes:
            detail = f"Chunk {chunk.sha256} has {size_bytes} bytes; the job expects {case.chunk_bytes}."
            return Failure(error="chunk-damaged", detail=detail)
        return chunk

    def _verified_chunk(self, sha256: str) -> VerifiedChunk:
        chunk = self._verified.get(sha256)
        if chunk is None or not chunk.is_unchanged():
            chunk = wait_and_provide(self._chunks, sha256, lambda why: self._active.wait_out(why, RETRY_SECONDS))
            self._verified[sha256] = chunk
        return chunk


def _facts(job: JobMessage, case: JobCase, program: Program) -> dict[str, Any]:
    """Return the fields that commands of both protocols have."""
    return {
        "program": program.path,
        "lead": program.command[1:],
        "more_files": program.read[1:],
        "provider": case.provider,
        "algorithm": case.algorithm,
        "variant": case.variant,
        "form": case.form,
        "timeout_seconds": job.timeout_seconds,
        "output_limit_bytes": job.output_limit_bytes,
    }
