"""Declarations of languages, and the discovery of their tools."""

import io
import re
import subprocess
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from orchestrator.compilation.languages.tools import find_tools, tool_of
from orchestrator.compilation.runner_sources import language_files, language_sha256, pack, source_sha256
from orchestrator.shared.errors import BuildFailed
from orchestrator.wire.builds import CompilerName, NativeCompiler, Toolchain
from orchestrator.wire.languages.all_languages import BINDINGS, LANGUAGES, language_of_provider, language_of_tool
from orchestrator.wire.languages.base import Headers, Language, Tool
from tests.support.paths import REPOSITORY

SOURCES = REPOSITORY / "runners"


def language_with(min_version: str) -> Language:
    tool = Tool("cpython", r"python3\.\d+", ("--version",), r"Python (\d+\.\d+\.\d+)", min_version, "python3")
    return Language(provider="python", label="Python", tools=(tool,), sources=(), start=())


def test_toolchains_name_native_compilers_and_the_tools_of_all_languages() -> None:
    tools = [tool.name for language in LANGUAGES for tool in language.tools]

    assert sorted(get_args(CompilerName)) == sorted([*get_args(NativeCompiler), *tools])


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda one: one.provider)
def test_declaration_has_sources_and_valid_patterns(language: Language) -> None:
    assert any(file.path.startswith(f"{language.provider}/") for file in language_files(SOURCES, language))
    assert not any("test" in file.path.split("/")[1:] for file in language_files(SOURCES, language))
    assert "O2" in language.options
    assert language_of_provider(language.provider) is language
    for tool in language.tools:
        assert language_of_tool(tool.name) is language
        assert re.compile(tool.version).groups == 1


def test_change_of_a_language_changes_its_hash_and_not_that_of_native_runners(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.cpp").write_text("int main() {}")
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "main.py").write_text("first")
    native, python = source_sha256(tmp_path), language_sha256(tmp_path, LANGUAGES[0])

    (tmp_path / "python" / "main.py").write_text("second")

    assert source_sha256(tmp_path) == native
    assert language_sha256(tmp_path, LANGUAGES[0]) != python


@pytest.mark.parametrize("language", BINDINGS, ids=lambda one: one.provider)
def test_binding_is_the_program_of_its_language_without_its_ciphers(language: Language) -> None:
    assert language.binding is not None
    program = language.binding.program
    home = SOURCES / program.folder
    assert [pattern for pattern in language.binding.shared if not list(home.glob(pattern))] == []

    files = {
        file.path.removeprefix(f"{language.provider}/"): file.content for file in language_files(SOURCES, language)
    }

    ciphers = {"aes", "ascon", "chacha20", "simon", "speck", "tinyjambu"}
    assert not [path for path in files if ciphers & set(Path(path).with_suffix("").parts) and "vectors" not in path]
    replaced = [path for path in files if (home / path).is_file() and (SOURCES / language.folder / path).is_file()]
    assert replaced
    assert all(files[path] == (SOURCES / language.folder / path).read_bytes() for path in replaced)


def test_change_of_the_native_ciphers_changes_the_hash_of_bindings_only(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.cpp").write_text("int main() {}")
    before = {language.provider: language_sha256(tmp_path, language) for language in LANGUAGES}

    (tmp_path / "src" / "main.cpp").write_text("int main() { return 1; }")

    changed = {one.provider for one in LANGUAGES if language_sha256(tmp_path, one) != before[one.provider]}
    assert changed == {one.provider for one in BINDINGS}


def program(path: Path, statements: str) -> None:
    """Compile a program in C: scripts are not accepted as tools."""
    heads = "".join(f"#include <{name}.h>\n" for name in ("stdio", "string", "unistd"))
    text = f"{heads}int main(int count, char** words) {{ {statements} }}"
    subprocess.run(["cc", "-x", "c", "-o", str(path), "-"], input=text.encode(), check=True)


def test_rust_of_a_version_manager_is_found_as_the_version_that_it_selects(tmp_path: Path) -> None:
    manager, toolchain = tmp_path / "manager", tmp_path / "toolchains" / "stable" / "bin"
    manager.mkdir()
    toolchain.mkdir(parents=True)
    program(
        toolchain / "rustc", f'puts(count > 1 && !strcmp(words[1], "--print") ? "{toolchain.parent}" : "rustc 1.80.0");'
    )
    program(
        manager / "rustup",
        f'if (strstr(words[0], "rustup")) puts("rustup 1.28.2"); else execv("{toolchain}/rustc", words);',
    )
    (manager / "rustc").symlink_to("rustup")

    found = [tool for tool in find_tools(str(manager)) if tool.tool.name == "rustc"]

    assert [(one.program, one.version) for one in found] == [(toolchain / "rustc", "1.80.0")]


def test_sources_of_bindings_are_in_the_archive_for_agents_once() -> None:
    with tarfile.open(fileobj=io.BytesIO(pack(SOURCES).data)) as archive:
        names = archive.getnames()

    assert len(names) == len(set(names))
    for language in BINDINGS:
        assert any(name.startswith(f"runners/{language.folder}/") for name in names)


def test_interpreter_without_its_headers_is_refused_with_the_package(tmp_path: Path) -> None:
    printed = ("-c", f"print({str(tmp_path)!r})")
    headers = Headers(arguments=printed, file="Python.h", package="python3-dev")
    tool = replace(BINDINGS[0].tools[0], headers=headers)
    language = replace(BINDINGS[0], tools=(tool,))
    if not [found for found in find_tools("/usr/bin") if found.tool.name == "cpython"]:
        pytest.skip("no CPython in /usr/bin")

    with pytest.raises(BuildFailed, match=rf"cpython-binding lacks its header Python\.h, .* {tmp_path}") as caught:
        tool_of(Toolchain(compiler="cpython-binding"), language, "/usr/bin")
    assert caught.value.remedy == "apt-get install python3-dev"

    (tmp_path / "Python.h").write_text("")
    assert tool_of(Toolchain(compiler="cpython-binding"), language, "/usr/bin").headers == tmp_path


def test_script_with_the_name_of_an_interpreter_is_not_a_tool(tmp_path: Path) -> None:
    shim = tmp_path / "python3"
    shim.write_text('#!/bin/sh\nexec /usr/bin/python3 "$@"\n')
    shim.chmod(0o755)

    assert find_tools(str(tmp_path)) == []
    with pytest.raises(BuildFailed, match="cpython is not installed; found: none") as caught:
        tool_of(Toolchain(compiler="cpython"), LANGUAGES[0], str(tmp_path))
    assert caught.value.remedy == "apt-get install python3"


def test_search_leaves_nothing_in_the_users_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: `go version` made ~/.config/go/telemetry, which `daemon leave` did not remove."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    assert find_tools()
    assert list(tmp_path.rglob("*")) == []


def test_tool_older_than_its_language_requires_is_refused_with_the_version_found() -> None:
    language = language_with("99.0")
    if not [tool for tool in find_tools("/usr/bin") if tool.tool.name == "cpython"]:
        pytest.skip("no CPython in /usr/bin")

    with pytest.raises(
        BuildFailed, match=r"cpython is too old for Python: found cpython 3\..*, expected 99.0 or newer"
    ):
        tool_of(Toolchain(compiler="cpython"), language, "/usr/bin")


def test_version_that_is_not_installed_is_refused() -> None:
    with pytest.raises(BuildFailed, match=r"cpython 3\.1 is not installed"):
        tool_of(Toolchain(compiler="cpython", version="3.1"), LANGUAGES[0])


@pytest.mark.parametrize(
    "options", [{"march": "native"}, {"link": "static"}, {"optimization": "O3"}, {"mtune": "native"}, {"mcpu": "x"}]
)
def test_option_that_a_tool_lacks_is_refused(options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=f"cpython does not have the options {next(iter(options))}"):
        Toolchain.model_validate({"compiler": "cpython", **options})


def test_label_of_an_interpreter_has_no_optimization() -> None:
    assert Toolchain(compiler="cpython", version="3.11").words == "cpython 3.11"
