"""Builds of a language's provider: its sources copied, prepared by the language's tool, and described by ``list``."""

import os
import shutil
from pathlib import Path

from orchestrator.compilation.installed import InstalledBuild, language_program, load_build
from orchestrator.compilation.languages.native_parts import DRIVER, NativeParts, native_compiler
from orchestrator.compilation.languages.tools import FoundTool, tool_of
from orchestrator.compilation.native.compilers import FoundCompiler
from orchestrator.compilation.native.installation import complete, scratch_folder
from orchestrator.compilation.native.programs import read_listing
from orchestrator.compilation.native.steps import BuildObserver, execute
from orchestrator.compilation.runner_sources import language_files, language_sha256
from orchestrator.shared.files.identity import file_sha256, json_sha256
from orchestrator.wire.builds import BuildReport, RunnerBinary, Toolchain
from orchestrator.wire.languages.base import Language

_KEY_VERSION = 2
"""Incremented when the build procedure changes."""


def build_language(
    source: Path, language: Language, toolchain: Toolchain, cache_folder: Path, observer: BuildObserver
) -> InstalledBuild:
    """Return the build of a language's provider with one of its tools, from the cache or made now.

    source: folder with the sources of all runners.
    Raises BuildFailed with the reason or the last lines of the tool's output, and Interrupted.
    """
    found = tool_of(toolchain, language)
    compiler = native_compiler()
    with scratch_folder(cache_folder, observer) as scratch:
        sha256 = language_sha256(source, language)
        key = _build_key(sha256, toolchain, found, compiler)
        installed = load_build(cache_folder, key)
        if installed is not None:
            return installed
        began = observer.clock()
        parts = NativeParts(source, compiler, cache_folder, scratch, observer)
        target = scratch / "build"
        for file in language_files(source, language):
            path = target / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content)
        shutil.copy(parts.driver(), target / language.provider / DRIVER)
        start = _prepare(found, toolchain, target, parts)
        wall_ns = round((observer.clock() - began) * 1e9)
        runner = _describe_runner(found, target, start)
        report = BuildReport(
            build_key=key,
            source_sha256=sha256,
            toolchain=toolchain,
            compiler_version=str(runner.listing.build.get("language_version") or found.label),
            build_wall_ns=wall_ns,
            runners=[runner],
        )
        return complete(report, target, cache_folder)


def _build_key(source_sha256: str, toolchain: Toolchain, found: FoundTool, compiler: FoundCompiler) -> str:
    document = {
        "version": _KEY_VERSION,
        "source": source_sha256,
        "toolchain": toolchain.model_dump(mode="json"),
        "tool": [found.label, file_sha256(found.program)],
        "companions": {name: file_sha256(Path(path)) for name, path in sorted(found.companions.items())},
        "compiler": [compiler.described, compiler.compiler.target],
    }
    return json_sha256(document)


def _prepare(found: FoundTool, toolchain: Toolchain, target: Path, parts: NativeParts) -> tuple[str, ...]:
    """Execute the build commands of the language; return the command that starts the runner."""
    language = found.language
    folder = target / language.provider
    home = parts.scratch / "home"
    home.mkdir(exist_ok=True)
    places = {"tool": str(found.program), "version": found.version, "scratch": str(home), **found.companions}
    if found.headers is not None:
        places["headers"] = str(found.headers)
    if language.binding:
        places |= parts.library_places()
    options = _options(language, toolchain)
    variables = {
        name: _filled(value, {**places, "folder": str(folder)}) for name, value in language.environment.items()
    }
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home), **variables}
    for command in language.build:
        words = _words(command, {**places, "folder": str(folder)}, options)
        execute(words, parts.observer, folder=folder, environment=environment)
    return (f"{{folder}}/{DRIVER}", *_words(language.start, places, options), "--")


def _options(language: Language, toolchain: Toolchain) -> tuple[str, ...]:
    words = language.options[toolchain.optimization]
    if toolchain.march is not None and language.machine_option is not None:
        words = (*words, language.machine_option.replace("{march}", toolchain.march))
    return words


def _words(command: tuple[str, ...], places: dict[str, str], options: tuple[str, ...]) -> tuple[str, ...]:
    words: list[str] = []
    for word in command:
        words += options if word == "{options}" else [_filled(word, places)]
    return tuple(words)


def _filled(word: str, places: dict[str, str]) -> str:
    for name, value in places.items():
        word = word.replace(f"{{{name}}}", value)
    return word


def _describe_runner(found: FoundTool, target: Path, start: tuple[str, ...]) -> RunnerBinary:
    """Return the hash of a runner and its list; raises BuildFailed if ``list`` fails."""
    provider = found.language.provider
    program = language_program(provider, start, target)
    listing = read_listing(program.name, program.command)
    return RunnerBinary(
        provider=provider,
        sha256=program.sha256(),
        size_bytes=sum(path.stat().st_size for path in program.files),
        library_path=str(program.interpreter) if program.interpreter else None,
        library_sha256=file_sha256(program.interpreter) if program.interpreter else None,
        start=list(start),
        listing=listing,
    )
