"""Declaration of a language: its tools, the sources of its provider, and how they are built and started."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Tool:
    """Interpreter or compiler of a language, which a toolchain names as its compiler."""

    name: str
    """Value of ``compiler`` in toolchains: ``cpython``."""
    programs: str
    """Regular expression that a program's file name in the search path matches as a whole."""
    version_arguments: tuple[str, ...]
    version: str
    """Regular expression whose first group is the version in the output of these arguments."""
    min_version: str
    package: str
    """Debian package for the remedy where the tool is missing."""
    companions: tuple[str, ...] = ()
    """Other programs that are required, each available as a placeholder of its name."""


@dataclass(frozen=True, eq=False)
class Language:
    """A language and its provider.

    Words of commands may contain the placeholders ``{tool}`` (absolute path), ``{folder}`` (folder of the provider),
    ``{scratch}`` (temporary folder) and the names of companions; the word ``{options}`` is replaced by zero or more.
    """

    provider: str
    """Name of the provider, and of the folder below ``runners``."""
    label: str
    tools: tuple[Tool, ...]
    sources: tuple[str, ...]
    """Glob patterns of the files that are hashed and copied, relative to the provider's folder."""
    start: tuple[str, ...]
    """Command that executes the runner, without its arguments; the absolute path of a program first."""
    excluded: tuple[str, ...] = ()
    """Glob patterns of files that are no part of the program, such as its tests."""
    build: tuple[tuple[str, ...], ...] = ()
    """Commands that are executed in the folder of the copied sources."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables of the build commands, in addition to PATH and HOME."""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"O2": ()})
    """Words of ``{options}`` by optimization; O2 is the default of every tool, and others are refused."""
    machine_option: str | None = None
    """Word for a toolchain's ``march``, with the placeholder ``{march}``; None if the language has no such option."""

    def tool(self, name: str) -> Tool:
        """Return the tool of a name."""
        return next(tool for tool in self.tools if tool.name == name)
