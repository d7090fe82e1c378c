"""The standard output of a program as a stream that the reader may close early."""

import io
import shlex
import subprocess
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import IO

from corpus.material import MaterialMissing
from corpus.store import BLOCK_BYTES

_STDERR_END_BYTES = 2000


@contextmanager
def output_of(command: Sequence[str], standard_input: IO[bytes] | None = None) -> Generator[Iterator[bytes]]:
    """Execute the command and yield its output in blocks; the process is killed when the context ends.

    Raises MaterialMissing with the end of stderr if the program fails.
    """
    # Standard error goes to a file: a pipe that is not read would block a program that writes much to it.
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, stdin=standard_input or subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
        )
        try:
            yield _blocks(process, errors, shlex.join(command))
        finally:
            process.kill()
            if process.stdout is not None:
                process.stdout.close()
            process.wait()


def _blocks(process: subprocess.Popen[bytes], errors: IO[bytes], command_line: str) -> Iterator[bytes]:
    if not isinstance(process.stdout, io.BufferedReader):
        return
    # `read` would wait for a whole block, of which a small chunk needs only the beginning.
    while block := process.stdout.read1(BLOCK_BYTES):
        yield block
    exit_code = process.wait()
    if exit_code == 0:
        return
    errors.seek(0)
    complaint = errors.read()[-_STDERR_END_BYTES:].decode("utf-8", "replace").strip()
    raise MaterialMissing(
        f"`{command_line}` ended with exit code {exit_code} ({complaint or 'no message'}); execute it to see why"
    )
