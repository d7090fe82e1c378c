"""Programs with LeakSanitizer are recognized by their content."""

import shutil
import subprocess
from pathlib import Path

import pytest

from orchestrator.measurement.launch.leak_check import has_leak_check


def test_other_programs_and_files_have_none(tmp_path: Path) -> None:
    (tmp_path / "script").write_text("#!/bin/sh\n# LeakSanitizer\n")
    (tmp_path / "empty").touch()
    names = ["/bin/true", tmp_path / "script", tmp_path / "empty", tmp_path / "missing", tmp_path]
    assert [has_leak_check(Path(name)) for name in names] == [False] * len(names)


def test_file_that_was_replaced_is_read_again(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"\x7fELF and no more")
    assert not has_leak_check(program)
    (tmp_path / "new").write_bytes(b"\x7fELF needs libasan.so.8")
    (tmp_path / "new").replace(program)
    assert has_leak_check(program)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_program_with_address_sanitizer_has_one(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    command = ["gcc", "-fsanitize=address", "-o", str(tmp_path / "a"), str(tmp_path / "a.c")]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("gcc has no AddressSanitizer here")
    assert has_leak_check(tmp_path / "a")
