"""Input and output of the measured programs: files, the caller's streams, the null device, or a pipe."""

import os
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.measurement.launch.launcher import Streams
from orchestrator.shared.errors import InvalidRequest, NotFound

NULL, PIPE, INHERIT = "null", "pipe", "inherit"
"""Places of ``--input`` and ``--output`` other than a file."""


@dataclass(frozen=True)
class ProgramStreams:
    """Streams of one program, whose files are open during the series."""

    streams: Streams = field(default_factory=Streams)
    input_file: Path | None = None
    output_file: int | None = None
    """Descriptor of a file that is emptied before each execution."""

    def rewind(self) -> None:
        """Prepare the files for the next execution: the input from its start, the output file empty."""
        if self.input_file is not None and self.streams.stdin is not None:
            os.lseek(self.streams.stdin, 0, os.SEEK_SET)
        if self.output_file is not None:
            os.ftruncate(self.output_file, 0)
            os.lseek(self.output_file, 0, os.SEEK_SET)

    @property
    def piped(self) -> int:
        """Number of outputs that the launcher reads."""
        return (self.streams.stdout is None) + (self.streams.stderr is None)


@dataclass(frozen=True)
class Places:
    """Input and output of one program, as given."""

    input: str = NULL
    """``null`` or a file."""
    output: str = PIPE
    """``pipe``, ``null``, ``inherit`` or a file."""


@contextmanager
def open_streams(programs: Sequence[Places], *, shown: bool) -> Iterator[list[ProgramStreams]]:
    """Yield the streams of each program, and close them afterwards.

    shown: pass standard error on, too. Raises InvalidRequest or NotFound for a file that cannot be used.
    """
    with ExitStack() as stack:

        def kept(descriptor: int) -> int:
            stack.callback(os.close, descriptor)
            return descriptor

        stderr = kept(os.dup(2)) if shown else None
        inputs: dict[str, int | None] = {NULL: None}
        outputs: dict[str, int | None] = {PIPE: None}
        for program in programs:
            if program.input not in inputs:
                inputs[program.input] = kept(_opened(Path(program.input), os.O_RDONLY, "--input"))
            if program.output not in outputs:
                outputs[program.output] = kept(_output(program.output, inputs.keys() - {NULL}))
        yield [_streams(one, inputs[one.input], outputs[one.output], stderr) for one in programs]


def _streams(places: Places, stdin: int | None, stdout: int | None, stderr: int | None) -> ProgramStreams:
    return ProgramStreams(
        Streams(stdin, stdout, stderr),
        input_file=Path(places.input) if _is_file(stdin) else None,
        output_file=stdout if places.output not in (PIPE, NULL, INHERIT) and _is_file(stdout) else None,
    )


def descriptors_of(programs: Sequence[ProgramStreams]) -> tuple[int, ...]:
    """Return the descriptors that the launcher has to inherit."""
    found = {number for program in programs for number in vars(program.streams).values() if number is not None}
    return tuple(sorted(found))


def _output(output: str, inputs: Collection[str]) -> int:
    if output == INHERIT:
        return os.dup(1)
    if output == NULL:
        return os.open(os.devnull, os.O_WRONLY)
    path = Path(output)
    if path.exists() and any(path.samefile(one) for one in inputs):
        raise InvalidRequest(f"--output {output} is the file of --input.", remedy="Write to another file.")
    return _opened(path, os.O_WRONLY | os.O_CREAT, "--output")


def _is_file(descriptor: int | None) -> bool:
    return descriptor is not None and stat.S_ISREG(os.fstat(descriptor).st_mode)


def _opened(path: Path, flags: int, option: str) -> int:
    """Return the descriptor of a file or a device; a named pipe would wait for its other end."""
    try:
        descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY, 0o666)
    except FileNotFoundError:
        raise NotFound(f"{option} {path}: the file or its folder does not exist.") from None
    except OSError as error:
        raise InvalidRequest(f"{option} {path}: {error.strerror}.", remedy="Give a file that can be opened.") from None
    mode = os.fstat(descriptor).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISCHR(mode)):
        os.close(descriptor)
        raise InvalidRequest(f"{option} {path} is neither a file nor a device.", remedy="Give a file.")
    os.set_blocking(descriptor, True)
    return descriptor
