"""Interpreters and compilers of languages on the device, with their versions."""

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import BuildFailed
from orchestrator.languages.all_languages import LANGUAGES
from orchestrator.languages.base import Language, Tool
from orchestrator.wire.agents import Compiler
from orchestrator.wire.builds import Toolchain

_SECONDS = 20
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

    @property
    def label(self) -> str:
        """Name and version for messages."""
        return f"{self.tool.name} {self.version}"

    @property
    def is_recent(self) -> bool:
        """Return whether the version is the minimum of the language or newer."""
        return _numbers(self.version) >= _numbers(self.tool.min_version)

    @property
    def compiler(self) -> Compiler:
        """The tool in the inventory."""
        target = f"{platform.machine()}-{platform.system().lower()}"
        return Compiler.model_validate(
            {"name": self.tool.name, "command": str(self.program), "version": self.version, "target": target}
        )


def find_tools(search_path: str | None = None) -> list[FoundTool]:
    """Return the tools of all languages in the search path, each once, the newest version of a tool first.

    search_path: folders as in PATH, which is the default.
    """
    return [found for language in LANGUAGES for tool in language.tools for found in _find(language, tool, search_path)]


def tool_of(toolchain: Toolchain, language: Language, search_path: str | None = None) -> FoundTool:
    """Return the newest tool that matches the toolchain; raises BuildFailed with the versions found instead."""
    tool = language.tool(toolchain.compiler)
    found = _find(language, tool, search_path)
    for one in found:
        if one.is_recent and _matches(one.version, toolchain.version):
            return one
    versions = ", ".join(one.label for one in found) or "none"
    required = f"{tool.name} {toolchain.version}" if toolchain.version else tool.name
    if any(_matches(one.version, toolchain.version) for one in found):
        raise BuildFailed(
            f"{required} is too old for {language.label}: found {versions}, expected {tool.min_version} or newer.",
            remedy=f"apt-get install {tool.package}",
        )
    raise BuildFailed(f"{required} is not installed; found: {versions}.", remedy=f"apt-get install {tool.package}")


def _find(language: Language, tool: Tool, search_path: str | None) -> list[FoundTool]:
    found = [
        one for program in _programs(tool, search_path) if (one := _described(language, tool, program)) is not None
    ]
    return sorted(found, key=lambda one: _numbers(one.version), reverse=True)


def _programs(tool: Tool, search_path: str | None) -> list[Path]:
    folders = (os.environ.get("PATH", os.defpath) if search_path is None else search_path).split(os.pathsep)
    name = re.compile(tool.programs)
    files = dict.fromkeys(path for folder in filter(None, folders) for path in _executables(Path(folder), name))
    return list(files)


def _executables(folder: Path, name: re.Pattern[str]) -> Iterator[Path]:
    """Yield the executables with this name, with links resolved.

    Scripts are passed over, such as those of version managers: the measured process would be a shell.
    """
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for path in entries:
        if name.fullmatch(path.name) and os.access(path, os.X_OK) and path.is_file() and _is_binary(path):
            yield path.resolve()


def _is_binary(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_ELF)) == _ELF
    except OSError:
        return False


def _described(language: Language, tool: Tool, program: Path) -> FoundTool | None:
    # Without a home `go version` leaves no telemetry in the folders of the daemon's user.
    homeless = {name: value for name, value in os.environ.items() if name not in {"HOME", "XDG_CONFIG_HOME"}}
    command = [str(program), *tool.version_arguments]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False, env=homeless)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(tool.version, result.stdout + result.stderr, re.MULTILINE)
    companions = {name: _companion(program, name) for name in tool.companions}
    if result.returncode != 0 or match is None or not all(companions.values()):
        return None
    return FoundTool(language, tool, program, match[1], {name: str(path) for name, path in companions.items()})


def _companion(program: Path, name: str) -> Path | None:
    beside = program.with_name(name)
    if beside.is_file():
        return beside
    found = shutil.which(name)
    return Path(found).resolve() if found else None


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def _matches(version: str, required: str | None) -> bool:
    return required is None or _numbers(version)[: len(_numbers(required))] == _numbers(required)
