"""The list of prefixes that the operator of this device registered, in a file that only the operator writes."""

from pathlib import Path

import structlog
from pydantic import TypeAdapter, ValidationError

from orchestrator.shared.errors import SetupError
from orchestrator.shared.files.private import write_private
from orchestrator.shared.values.field_errors import expectation
from orchestrator.shared.values.library_versions import LibraryVersion
from orchestrator.wire.base import ProviderName, Report

LIBRARIES_FILE = "libraries.json"
"""Name of the list in the data folder of an agent."""


class RegisteredLibrary(Report):
    """A library in a version, and the folder that contains its ``include`` and ``lib``."""

    provider: ProviderName
    version: LibraryVersion
    prefix: str


_LIST = TypeAdapter(list[RegisteredLibrary])
_log = structlog.get_logger(__name__)


def read_registered(file: Path) -> list[RegisteredLibrary]:
    """Return the registered libraries, sorted; none if there is no file. Raises SetupError for a damaged one."""
    try:
        return _LIST.validate_json(file.read_bytes())
    except FileNotFoundError:
        return []
    except ValidationError as error:
        raise SetupError(
            f"{file} is damaged: {expectation(error.errors()[0])}.",
            remedy="Remove it and register the libraries again: ciphermark daemon libraries add.",
        ) from None


def usable_registered(file: Path) -> list[RegisteredLibrary]:
    """Return the registered libraries as the daemon sees them: none if the file cannot be read, which is logged."""
    try:
        return read_registered(file)
    except (SetupError, OSError) as error:
        _log.error("registered libraries not read", error=str(error))
        return []


def register(file: Path, library: RegisteredLibrary, distribution: str | None) -> list[RegisteredLibrary]:
    """Add a library to the list and return it; the same prefix under the same name again changes nothing.

    distribution: version of the library in the distribution. Raises SetupError if the name is taken.
    """
    known = read_registered(file)
    if library in known:
        return known
    taken = next((one.prefix for one in known if _name(one) == _name(library)), None)
    if taken is None and library.version == distribution:
        taken = "the distribution"
    if taken is not None:
        raise SetupError(
            f"{library.provider} {library.version} is registered already: {taken}.",
            remedy="Add --label NAME as the name of this build, or remove the other one: daemon libraries remove.",
        )
    return _write(file, [*known, library])


def unregister(file: Path, provider: str, version: str) -> RegisteredLibrary:
    """Remove a library from the list and return it; raises SetupError if it is not registered."""
    known = read_registered(file)
    found = next((one for one in known if _name(one) == (provider, version)), None)
    if found is None:
        listed = ", ".join(" ".join(_name(one)) for one in known) or "none"
        raise SetupError(f"{provider} {version} is not registered.", remedy=f"Registered: {listed}.")
    _write(file, [one for one in known if one != found])
    return found


def _name(library: RegisteredLibrary) -> tuple[str, str]:
    return library.provider, library.version


def _write(file: Path, libraries: list[RegisteredLibrary]) -> list[RegisteredLibrary]:
    ordered = sorted(libraries, key=_name)
    write_private(file, _LIST.dump_json(ordered, indent=1).decode())
    return ordered
