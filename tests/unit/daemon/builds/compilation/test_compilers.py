"""Detection of compilers, with programs that print what real ones print."""

import os
from pathlib import Path

import pytest

from orchestrator.compilation.native.compilers import compiler_of, find_compilers
from orchestrator.shared.errors import BuildFailed
from orchestrator.wire.builds import Toolchain

GCC = "g++ (Debian {version}-14+deb12u1) {version}"
CLANG = "Debian clang version {version}"
ICPX = "Intel(R) oneAPI DPC++/C++ Compiler 2024.0.2 (2024.0.2.20231213)"


def plant(folder: Path, name: str, first_line: str, version: str) -> Path:
    """Create a program that prints what a compiler prints; GCC prints its full version only with two options."""
    program = folder / name
    folder.mkdir(exist_ok=True)
    major, _, _ = version.partition(".")
    short = f'[ "$2" ] && echo {version} || echo {major}' if "g++ (" in first_line else f"echo {version}"
    program.write_text(
        f"""#!/bin/sh
case $1 in
  --version) echo '{first_line}'; echo 'Copyright' ;;
  -dumpmachine) echo x86_64-linux-gnu ;;
  *) {short} ;;
esac
"""
    )
    program.chmod(0o755)
    return program


@pytest.fixture
def path(tmp_path: Path) -> str:
    first, second = tmp_path / "first", tmp_path / "second"
    plant(first, "g++-11", GCC.format(version="11.3.0"), "11.3.0")
    newest = plant(first, "g++-12", GCC.format(version="12.2.0"), "12.2.0")
    (first / "g++").symlink_to(newest)
    plant(first, "g++-9", GCC.format(version="9.5.0"), "9.5.0")
    plant(first, "aarch64-linux-gnu-g++", GCC.format(version="12.2.0"), "12.2.0")
    plant(first, "g++-12.orig", GCC.format(version="12.1.0"), "12.1.0")
    plant(second, "clang++-14", CLANG.format(version="14.0.6"), "14.0.6")
    plant(second, "icpx", ICPX, "17.0.0")
    (second / "g++").symlink_to(newest)
    return f"{first}{os.pathsep}{second}{os.pathsep}{tmp_path / 'missing'}"


class TestFindCompilers:
    def test_each_file_is_found_once_the_newest_of_a_kind_first(self, path: str) -> None:
        assert [found.label for found in find_compilers(path)] == [
            "gcc 12.2.0", "gcc 11.3.0", "gcc 9.5.0", "clang 14.0.6", "icpx 2024.0.2",
        ]  # fmt: skip

    def test_description_contains_the_revision_of_the_distribution(self, path: str) -> None:
        first = find_compilers(path)[0]

        assert first.described == "g++ (Debian 12.2.0-14+deb12u1) 12.2.0"
        assert first.compiler.target == "x86_64-linux-gnu"

    def test_folder_that_cannot_be_examined_is_passed_over(self, path: str) -> None:
        assert find_compilers(f"{'long' * 100}:{path}") == find_compilers(path)

    def test_a_program_that_does_not_answer_is_no_compiler(self, tmp_path: Path) -> None:
        broken = tmp_path / "clang++"
        broken.write_text("#!/bin/sh\nexit 1\n")
        broken.chmod(0o755)

        assert find_compilers(str(tmp_path)) == []


class TestCompilerOf:
    @pytest.mark.parametrize(
        ("compiler", "version", "expected"),
        [
            ("gcc", None, "12.2.0"),
            ("gcc", "11", "11.3.0"),
            ("gcc", "9.5", "9.5.0"),
            ("clang", "14.0.6", "14.0.6"),
            ("icpx", "2024", "2024.0.2"),
        ],
    )
    def test_the_version_is_a_beginning(self, path: str, compiler: str, version: str | None, expected: str) -> None:
        toolchain = Toolchain.model_validate({"compiler": compiler, "version": version})

        assert compiler_of(toolchain, path).compiler.version == expected

    def test_a_number_is_not_a_beginning_of_another_number(self, path: str) -> None:
        with pytest.raises(BuildFailed, match=r"gcc 1 is not installed"):
            compiler_of(Toolchain(version="1"), path)

    def test_missing_compiler_is_reported_with_those_found_and_the_package(self, path: str) -> None:
        with pytest.raises(BuildFailed) as caught:
            compiler_of(Toolchain(compiler="clang", version="19"), path)

        assert "clang 19 is not installed; found: gcc 12.2.0, gcc 11.3.0" in str(caught.value)
        assert str(caught.value).endswith("apt-get install clang-19")

    def test_machine_without_compilers_is_reported(self, tmp_path: Path) -> None:
        with pytest.raises(BuildFailed, match=r"found: none\. apt-get install g\+\+"):
            compiler_of(Toolchain(), str(tmp_path))
