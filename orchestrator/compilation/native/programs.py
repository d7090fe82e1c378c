"""The programs of a build, described by their own ``list`` command and by the loader."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from orchestrator.compilation.folders import LAUNCHER, PROGRAM_PREFIX
from orchestrator.compilation.native.compilers import command_output
from orchestrator.compilation.native.libraries import runner_libraries
from orchestrator.compilation.runner_output import execute_runner
from orchestrator.shared.errors import BuildFailed
from orchestrator.shared.files.identity import file_sha256
from orchestrator.shared.resources import shipped
from orchestrator.shared.values.field_errors import field_errors
from orchestrator.wire.builds import RunnerBinary
from orchestrator.wire.runners import ListReport

_LIST_SECONDS = 30


def find_programs(folder: Path) -> dict[str, Path]:
    """Return the runners and the launcher in a folder by name.

    Raises BuildFailed if the launcher or all runners are missing.
    """
    programs = {
        path.name: path
        for path in sorted(folder.glob(f"{PROGRAM_PREFIX}*"))
        if path.is_file() and path.stat().st_mode & 0o100 and "." not in path.name
    }
    if LAUNCHER not in programs or len(programs) < 2:
        raise BuildFailed(
            f"{folder} contains {sorted(programs) or 'no programs'}; expected {LAUNCHER} and at least one runner.",
            remedy="Build them with 'ciphermark runners build'.",
        )
    return programs


def describe_runner(program: Path, emulator: Sequence[str] = ()) -> RunnerBinary:
    """Return the hash of a runner, the library it loads, and its list; raises BuildFailed if `list` fails.

    emulator: command that executes a program for another machine.
    """
    listing = read_listing(program.name, [*emulator, str(program)])
    library = _library_of(program, listing.provider)
    return RunnerBinary(
        provider=listing.provider,
        sha256=file_sha256(program),
        size_bytes=program.stat().st_size,
        library_path=str(library) if library else None,
        library_sha256=file_sha256(library) if library else None,
        listing=listing,
    )


def read_listing(name: str, command: Sequence[str]) -> ListReport:
    """Return the output of ``list`` of a runner; raises BuildFailed if it fails.

    name: expected name of the program. command: its path, with an emulator or interpreter before it.
    """
    done = execute_runner([*command, "list"], _LIST_SECONDS)
    try:
        listing = ListReport.model_validate_json(done.stdout)
    except ValidationError as error:
        first = field_errors(error.errors(include_url=False))[0]
        raise BuildFailed(
            f"{name} list {done.failure or 'ended with 0'} without a list in protocol version 2 "
            f"({first.field}: {first.allowed}); it printed {done.stdout[:200]!r}."
        ) from error
    if f"{PROGRAM_PREFIX}{listing.provider}" != name:
        raise BuildFailed(f"{name} reports the provider {listing.provider!r}; expected the one in its name.")
    return listing


def _library_of(program: Path, provider: str) -> Path | None:
    """Return the cryptographic library that the loader maps, or None if it is linked statically."""
    libraries = (one for one in runner_libraries(shipped("runners")) if one.provider == provider)
    names = tuple(f"lib{name}." for one in libraries for name in one.link_names)
    for line in (command_output("ldd", str(program)) or "").splitlines():
        name, _, place = line.strip().partition(" => ")
        path = Path(place.split(" ")[0])
        if name.startswith(names) and path.is_file():
            return path.resolve()
    return None
