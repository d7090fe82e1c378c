"""Interpreters and compilers of languages on the device, with their versions."""

import os
import platform
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator.compilation.native.compilers import command_output, matches_version, version_numbers
from orchestrator.shared.errors import BuildFailed
from orchestrator.wire.agents import Compiler
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.languages.all_languages import LANGUAGES
from orchestrator.wire.languages.base import Language, Tool

_ELF = b"\x7fELF"


@dataclass(frozen=True)
class FoundTool:
    """A tool in the search path."""

    language: Language
    tool: Tool
    program: Path
    """Its file, with links resolved: ``/usr/bin/python3.11``."""
    version: str
    companions: dict[str, str]
    """Paths of the other programs that it requires, by name."""
    headers: Path | None = None
    """Folder of its header files, if its language needs them."""

    @property
    def is_complete(self) -> bool:
        """Return whether it has the header files that its language needs."""
        return self.tool.headers is None or (
            self.headers is not None and (self.headers / self.tool.headers.file).is_file()
        )

    @property
    def label(self) -> str:
        """Name and version for messages."""
        return f"{self.tool.name} {self.version}"

    @property
    def is_recent(self) -> bool:
        """Return whether the version is the minimum of the language or newer."""
        return version_numbers(self.version) >= version_numbers(self.tool.min_version)

    @property
    def compiler(self) -> Compiler:
        """The tool in the inventory."""
        target = f"{platform.machine()}-{platform.system().lower()}"
        return Compiler.model_validate(
            {"name": self.tool.name, "command": str(self.program), "version": self.version, "target": target}
        )


def find_tools(search_path: str | None = None) -> list[FoundTool]:
    """Return the complete tools of all languages in the search path, each once, the newest version of a tool first.

    search_path: folders as in PATH, which is the default.
    """
    every = [found for language in LANGUAGES for tool in language.tools for found in _find(language, tool, search_path)]
    return [found for found in every if found.is_complete]


def tool_of(toolchain: Toolchain, language: Language, search_path: str | None = None) -> FoundTool:
    """Return the newest tool that matches the toolchain; raises BuildFailed with the versions found instead."""
    tool = language.tool(toolchain.compiler)
    found = _find(language, tool, search_path)
    for one in found:
        if one.is_recent and one.is_complete and matches_version(one.version, toolchain.version):
            return one
    versions = ", ".join(one.label for one in found) or "none"
    required = f"{tool.name} {toolchain.version}" if toolchain.version else tool.name
    matching = [one for one in found if matches_version(one.version, toolchain.version)]
    if tool.headers is not None and any(one.is_recent for one in matching):
        raise BuildFailed(
            f"{required} lacks its header {tool.headers.file}, which modules in C++ need; expected it in "
            f"{' or '.join(str(one.headers) for one in matching)}.",
            remedy=f"apt-get install {tool.headers.package}",
        )
    if matching:
        raise BuildFailed(
            f"{required} is too old for {language.label}: found {versions}, expected {tool.min_version} or newer.",
            remedy=f"apt-get install {tool.package}",
        )
    raise BuildFailed(f"{required} is not installed; found: {versions}.", remedy=f"apt-get install {tool.package}")


def _find(language: Language, tool: Tool, search_path: str | None) -> list[FoundTool]:
    found = [
        one for program in _programs(tool, search_path) if (one := _described(language, tool, program)) is not None
    ]
    return sorted(found, key=lambda one: version_numbers(one.version), reverse=True)


def _programs(tool: Tool, search_path: str | None) -> list[Path]:
    folders = (os.environ.get("PATH", os.defpath) if search_path is None else search_path).split(os.pathsep)
    name = re.compile(tool.programs)
    files = (path for folder in filter(None, folders) for path in _executables(Path(folder), name))
    return list(dict.fromkeys(_tool_itself(tool, path) for path in files))


def _tool_itself(tool: Tool, path: Path) -> Path:
    """Return the file with links resolved, and that of the selected version if it belongs to a version manager."""
    if tool.prefix_arguments and (prefix := _output_of(path, tool.prefix_arguments)) is not None:
        itself = Path(prefix.strip()) / "bin" / path.name
        if _is_binary(itself):
            return itself.resolve()
    return path.resolve()


def _executables(folder: Path, name: re.Pattern[str]) -> Iterator[Path]:
    """Yield the executables with this name.

    Scripts are passed over, such as those of version managers: the measured process would be a shell.
    """
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for path in entries:
        if name.fullmatch(path.name) and os.access(path, os.X_OK) and path.is_file() and _is_binary(path):
            yield path


def _is_binary(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_ELF)) == _ELF
    except OSError:
        return False


def _described(language: Language, tool: Tool, program: Path) -> FoundTool | None:
    output = _output_of(program, tool.version_arguments)
    match = re.search(tool.version, output, re.MULTILINE) if output is not None else None
    companions = {name: _companion(program, name) for name in tool.companions}
    if match is None or not all(companions.values()):
        return None
    folder = _output_of(program, tool.headers.arguments) if tool.headers is not None else None
    headers = Path(folder.strip()) if folder is not None else None
    paths = {name: str(path) for name, path in companions.items()}
    return FoundTool(language, tool, program, match[1], paths, headers)


def _output_of(program: Path, arguments: tuple[str, ...]) -> str | None:
    # Without a home `go version` leaves no telemetry in the folders of the daemon's user.
    homeless = {name: value for name, value in os.environ.items() if name not in {"HOME", "XDG_CONFIG_HOME"}}
    return command_output(str(program), *arguments, environment=homeless, with_errors=True)


def _companion(program: Path, name: str) -> Path | None:
    beside = program.with_name(name)
    if beside.is_file():
        return beside
    found = shutil.which(name)
    return Path(found).resolve() if found else None
