"""``ciphermark daemon libraries``: the library versions that this device can be measured with."""

import re
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.output import JSONOption, notes, print_json, print_table
from orchestrator.cli.settings import read_settings
from orchestrator.cli.supervisor.layout import Layout
from orchestrator.compilation.libraries.prefixes import find_library, named_version
from orchestrator.compilation.libraries.registered import (
    LIBRARIES_FILE,
    RegisteredLibrary,
    read_registered,
    register,
    unregister,
)
from orchestrator.compilation.libraries.versions import buildable_versions, known_library
from orchestrator.compilation.native.compilers import library_versions
from orchestrator.daemon.session.identity import IDENTITY_FILE, load_identity
from orchestrator.shared.errors import SetupError
from orchestrator.shared.settings import DaemonSettings
from orchestrator.shared.tables import Column

app = typer.Typer(no_args_is_help=True, help="Library versions that plans can compare on this device.")

LibraryArgument = Annotated[str, typer.Argument(metavar="LIBRARY", help="Its provider: botan, openssl, libsodium …")]
VersionArgument = Annotated[str, typer.Argument(metavar="VERSION", help="As 'libraries list' shows it.")]
PrefixOption = typer.Option(help="Folder with its include and lib, as in configure --prefix.")
VersionOption = typer.Option("--version", help="Version of a library without a pkg-config file; the build verifies it.")
LabelOption = typer.Option(help="Name of one of several builds of a version: lto.")

_LABEL = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_MAX_LABEL = 16


@app.command()
def add(
    library: LibraryArgument,
    prefix: Annotated[Path, PrefixOption],
    version: Annotated[str | None, VersionOption] = None,
    label: Annotated[str | None, LabelOption] = None,
    as_json: JSONOption = False,
) -> None:
    """Register a version of a library that is installed in a folder of its own; a running daemon notices it.

    Plans select it by its version: 'libraries: {botan: ["2.19", "3.*"]}'. They never contain the folder.
    """
    if label is not None and (_LABEL.fullmatch(label) is None or len(label) > _MAX_LABEL):
        raise SetupError(
            f"The label {label!r} is not valid.",
            remedy=f"Use at most {_MAX_LABEL} lower-case letters, digits and hyphens.",
        )
    row, folder = known_library(library), prefix.expanduser()
    name = named_version(row, find_library(row, folder), version, label)
    added = RegisteredLibrary(provider=library, version=name, prefix=str(folder))
    distribution = library_versions().get(library)
    for file in (files := _lists()):
        register(file, added, distribution)
    if as_json:
        print_json(added.model_dump())
    else:
        notes().print(f"Registered {library} {name} in {', '.join(map(str, files))}.", markup=False)


@app.command("list")
def list_versions(as_json: JSONOption = False) -> None:
    """Show the versions of each library that plans can select on this device."""
    registered = list(dict.fromkeys(one for file in _lists() for one in read_registered(file)))
    folders = {(one.provider, one.version): one.prefix for one in registered}
    rows = [
        {"library": provider, "version": version, "prefix": folders.get((provider, version))}
        for provider, versions in buildable_versions(library_versions(), registered).items()
        for version in versions
    ]
    if as_json:
        print_json(rows)
        return
    columns = (Column("library"), Column("version", keeps_width=True), Column("prefix"))
    print_table(columns, [(one["library"], one["version"], one["prefix"] or "distribution") for one in rows])


@app.command()
def remove(library: LibraryArgument, version: VersionArgument) -> None:
    """Remove a registered version from the list; its folder and its results stay."""
    for file in _lists():
        removed = unregister(file, library, version)
        notes().print(f"Removed {library} {version} ({removed.prefix}) from {file}.", markup=False)


def _lists() -> list[Path]:
    """Return the lists of this device's agents: that of the data folder, and that of the agent of ``up`` in it.

    Raises NotEnrolled if there is none: no daemon would read what is registered.
    """
    data_folder = read_settings(DaemonSettings).data_folder
    folders = (data_folder, Layout(data_folder).agent_folder)
    agents = [folder for folder in folders if (folder / IDENTITY_FILE).is_file()]
    if not agents:
        load_identity(data_folder)
    return [folder / LIBRARIES_FILE for folder in agents]
