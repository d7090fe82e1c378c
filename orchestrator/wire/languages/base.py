"""Declaration of a language: its tools, the sources of its provider, and how they are built and started."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Headers:
    """Header files of a tool, which modules in C++ are compiled with."""

    arguments: tuple[str, ...]
    """Arguments with which the tool prints their folder."""
    file: str
    """File that the folder must contain: ``Python.h``."""
    package: str
    """Debian package that has it."""


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
    prefix_arguments: tuple[str, ...] = ()
    """Arguments with which the tool prints the folder of its version, whose ``bin`` has the tool itself.

    For a tool that a version manager may replace: rustup's rustc starts the version that it selects.
    """
    companions: tuple[str, ...] = ()
    """Other programs that are required, each available as a placeholder of its name."""
    headers: Headers | None = None
    """Header files that are required, whose folder is the placeholder ``{headers}``."""


@dataclass(frozen=True)
class Binding:
    """The program of a language with the ciphers of the library ciphermark-ffi in place of its own.

    The sources of a binding are laid over those of the program.
    """

    program: "Language"
    """Language whose program it is."""
    shared: tuple[str, ...]
    """Glob patterns of the files of the program that are used: all but its ciphers and their table."""


@dataclass(frozen=True, eq=False)
class Language:
    """A language and its provider.

    Words of commands may contain the placeholders ``{tool}`` (absolute path), ``{version}`` (of the tool), ``{folder}``
    (folder of the provider), ``{scratch}`` (temporary folder) and the names of companions; the word ``{options}`` is
    replaced by zero or more. Those of a binding may contain ``{library}`` (libciphermark-ffi.a), ``{include}`` (folder
    of its header) and ``{compiler}`` (C++ compiler that compiled it), too.
    """

    provider: str
    """Name of the provider, and of the folder of its files in a build."""
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

    binding: Binding | None = None
    """None for a language with ciphers of its own."""

    @property
    def folder(self) -> str:
        """Folder of the sources below ``runners``."""
        return f"bindings/{self.binding.program.provider}" if self.binding else self.provider

    def tool(self, name: str) -> Tool:
        """Return the tool of a name."""
        return next(tool for tool in self.tools if tool.name == name)


def module_of_library(suffix: str) -> tuple[str, ...]:
    """Return the command that compiles the module of a binding, in C++, with the library ciphermark-ffi.

    suffix: of modules that the language loads: ``so``.
    """
    module = "{folder}/ciphers/library"
    flags = ("-std=c++20", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-I{headers}", "-I{include}")
    return ("{compiler}", *flags, "-o", f"{module}.{suffix}", f"{module}.cpp", "{library}")
