import json
from pathlib import Path

from orchestrator.compilation.native.compile_commands import compile_commands


def plant(target: Path, flags_of: dict[str, str]) -> Path:
    """Write the compile_commands.json of CMake for these own ciphers and for one other file."""
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
    def test_file_with_different_flags_has_its_own_command_line(self, tmp_path: Path) -> None:
        source = plant(tmp_path / "build", {"aes.cpp": "-O2", "aes.vaes.cpp": "-O2 -mvaes"})

        first, second = compile_commands(tmp_path / "build", [], {"<build>": tmp_path / "build", "<source>": source})[
            "ciphers"
        ].splitlines()
        assert "-mvaes" not in first
        assert "-O2 -mvaes -o <file>.o" in second

    def test_folder_without_compile_commands_gives_no_command_lines(self, tmp_path: Path) -> None:
        assert compile_commands(tmp_path, ["ciphermark-own"], {}) == {}
