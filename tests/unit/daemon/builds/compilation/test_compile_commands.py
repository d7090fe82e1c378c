import json
from pathlib import Path

from orchestrator.daemon.builds.compilation.compile_commands import compile_commands


def plant(target: Path, flags_of: dict[str, str]) -> Path:
    """Write what CMake writes for these files of our own ciphers, and for one that is none."""
    source = target.parent / "source"
    entries = [
        {
            "directory": str(target),
            "command": f"/usr/bin/g++ -I{source}/include {flags} -o X.dir/{name}.o -c {source}/{name}",
            "file": f"{source}/{name}",
        }
        for name, flags in flags_of.items()
    ]
    text = json.dumps(entries).replace("X.dir", "CMakeFiles/ciphermark_own_ciphers.dir")
    target.mkdir()
    (target / "compile_commands.json").write_text(text)
    return source


class TestCompileCommands:
    def test_one_line_stands_for_all_cipher_files(self, tmp_path: Path) -> None:
        source = plant(tmp_path / "build", {"aes.cpp": "-O2", "speck.cpp": "-O2"})

        commands = compile_commands(source, tmp_path / "build", [])
        assert commands == {"ciphers": "/usr/bin/g++ -I<source>/include -O2 -o <file>.o -c <file>"}

    def test_a_file_with_flags_of_its_own_is_told(self, tmp_path: Path) -> None:
        source = plant(tmp_path / "build", {"aes.cpp": "-O2", "aes.vaes.cpp": "-O2 -mvaes"})

        first, second = compile_commands(source, tmp_path / "build", [])["ciphers"].splitlines()
        assert "-mvaes" not in first
        assert "-O2 -mvaes -o <file>.o" in second

    def test_a_folder_that_tells_nothing_gives_nothing(self, tmp_path: Path) -> None:
        assert compile_commands(tmp_path, tmp_path, ["ciphermark-own"]) == {}
