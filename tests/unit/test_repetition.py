"""The check for repeated logic finds a copy under other names, and lets descriptors be alike."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import REPOSITORY

SCRIPT = REPOSITORY / "scripts" / "repetition.py"
CIPHERS = REPOSITORY / "runners" / "src" / "ciphers"


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)


@pytest.fixture
def families(tmp_path: Path) -> Path:
    """A folder with a few families."""
    for name in ("gimli", "xoodyak"):
        shutil.copytree(CIPHERS / "aead" / name, tmp_path / name)
    return tmp_path


def test_units_that_differ_in_their_descriptors_alone_are_no_repetition(families: Path) -> None:
    ended = check(families)
    assert (ended.returncode, ended.stdout) == (0, "")


def test_logic_in_a_second_family_is_found_under_other_names(families: Path) -> None:
    text = (families / "xoodyak" / "permutation.h").read_text()
    text = re.sub(r"\b(theta_and_iota|parity|near|far|b0|b1|b2)\b", r"other_\1", text)
    (families / "copied").mkdir()
    (families / "copied" / "permutation.h").write_text(text)

    ended = check(families)

    assert ended.returncode == 1
    assert "copied/permutation.h" in ended.stdout
    assert "xoodyak/permutation.h" in ended.stdout


def test_a_folder_without_ciphers_is_no_clean_result(tmp_path: Path) -> None:
    assert check(tmp_path / "nothing").returncode != 0
