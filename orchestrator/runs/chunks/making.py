"""Making of requested chunks: one process at a time, started and observed by the ticks of the scheduler.

Two schedulers do no work twice: the second process waits for the build lock of the corpus, then finds the chunks.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import structlog

from orchestrator.database.engine import Database
from orchestrator.database.models import now
from orchestrator.runs.chunks import requests
from orchestrator.runs.chunks.requests import Batch
from orchestrator.shared.processes import module_command

_PROGRAM = module_command("corpus.making")
_READ_BYTES = 65_536
_STDERR_END_CHARACTERS = 500

_log = structlog.get_logger(__name__)


class ChunkMaker:
    """Makes the chunks that runs wait for, in a process of low priority."""

    def __init__(self, database: Database, corpus_folder: Path) -> None:
        """Use this corpus; nothing is started yet."""
        self._database = database
        self._corpus_folder = corpus_folder
        self._making: _Making | None = None

    @property
    def is_making(self) -> bool:
        """Return whether a process makes chunks, whose progress the database does not show."""
        return self._making is not None

    def step(self) -> None:
        """Start the next process, or store the progress or the outcome of the present one."""
        if self._making is None:
            self._start_next()
            return
        making = self._making
        advanced = making.read()
        exit_code = making.process.poll()
        if exit_code is not None:
            making.read()
            self._making = None
            self._settle(making, exit_code)
        elif not self._is_awaited(making.batch):
            _log.info("making of chunks ended, no run waits for them", kind=making.batch.kind)
            self.close()
        elif advanced:
            with self._database.write() as session:
                requests.note_making(session, making.batch, making.done_bytes)

    def close(self) -> None:
        """End the present process; its requests stay open, for the next scheduler."""
        making, self._making = self._making, None
        if making is not None:
            making.end()
            with self._database.write() as session:
                requests.interrupt(session, making.batch)

    def _start_next(self) -> None:
        with self._database.read() as session:
            batch = requests.next_batch(session)
        if batch is None:
            return
        self._making = _Making.start(self._corpus_folder, batch)
        _log.info("making chunks", kind=batch.kind, sizes_bytes=batch.sizes_bytes)
        with self._database.write() as session:
            requests.note_making(session, batch, 0, started_at=now())

    def _is_awaited(self, batch: Batch) -> bool:
        with self._database.read() as session:
            return requests.is_awaited(session, batch)

    def _settle(self, making: "_Making", exit_code: int) -> None:
        failure = "" if exit_code == 0 else making.failure(exit_code)
        making.end()
        with self._database.write() as session:
            requests.settle(session, making.batch, failure)
        _log.info("chunks settled", kind=making.batch.kind, failure=failure)


@dataclass
class _Making:
    """A process that makes the chunks of a batch."""

    batch: Batch
    process: subprocess.Popen[bytes]
    errors: IO[bytes]
    """Its standard error, a file: a pipe that is not read could block it."""
    done_bytes: int = 0
    reason: str = ""
    _unread: bytes = field(default=b"", repr=False)

    @classmethod
    def start(cls, corpus_folder: Path, batch: Batch) -> "_Making":
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        sizes = (str(size) for size in batch.sizes_bytes)
        process = subprocess.Popen(
            [*_PROGRAM, str(corpus_folder), batch.kind, *sizes],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        os.set_blocking(_output(process).fileno(), False)
        return cls(batch, process, errors)

    def read(self) -> bool:
        """Read the messages that have arrived; return whether they report more bytes than before."""
        before = self.done_bytes
        for message in self._messages():
            self.done_bytes = int(message.get("done_bytes", self.done_bytes))
            self.reason = str(message.get("error", self.reason))
        return self.done_bytes != before

    def failure(self, exit_code: int) -> str:
        """Return why the chunks could not be made."""
        sizes = len(self.batch.sizes_bytes)
        what = f"{sizes} chunk{'s' if sizes > 1 else ''} of {self.batch.kind} could not be made"
        if self.reason:
            return f"{what}: {self.reason}"
        self.errors.seek(0)
        last = self.errors.read().decode("utf-8", "replace").strip()[-_STDERR_END_CHARACTERS:]
        ended = f"signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"
        return f"{what}: the process ended with {ended}. {last}".strip()

    def end(self) -> None:
        """End the process if it is running, and close its files; its encoder ends with the pipe between them."""
        self.process.terminate()
        self.process.wait()
        _output(self.process).close()
        self.errors.close()

    def _messages(self) -> Iterator[dict[str, Any]]:
        while block := _arrived(_output(self.process)):
            self._unread += block
        *lines, self._unread = self._unread.split(b"\n")
        for line in lines:
            yield json.loads(line)


def _arrived(output: IO[bytes]) -> bytes:
    """Return the bytes that have arrived in a pipe; empty if there are none."""
    try:
        return os.read(output.fileno(), _READ_BYTES)
    except BlockingIOError:
        return b""


def _output(process: subprocess.Popen[bytes]) -> IO[bytes]:
    if process.stdout is None:
        raise ValueError("the process has no pipe")
    return process.stdout
