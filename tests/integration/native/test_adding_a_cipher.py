"""``docs/adding-a-cipher.md`` is followed to the letter: its two files, in a copy of the sources, are a cipher."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.runner_programs import REPOSITORY, Runner, build

DOCUMENT = REPOSITORY / "docs" / "adding-a-cipher.md"
# A heading that names a file in backquotes, and the first block of code below it.
FILE_IN_DOCUMENT = re.compile(r"^## [^\n]*`(runners/[^`]+)`\n.*?^```[a-z]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _files_of_the_document() -> dict[str, str]:
    """Return what the document says a contributor writes, by path."""
    return dict(FILE_IN_DOCUMENT.findall(DOCUMENT.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the runners' sources with no cipher but that of the document, which compiles in seconds."""
    copy = tmp_path_factory.mktemp("contributor") / "runners"
    shutil.copytree(REPOSITORY / "runners", copy)
    for source in [*copy.glob("src/ciphers/*/*/*.cpp"), *copy.glob("vectors/*.vec")]:
        source.unlink()
    for path, text in _files_of_the_document().items():
        (copy.parent / path).parent.mkdir(parents=True, exist_ok=True)
        (copy.parent / path).write_text(text, encoding="utf-8")
    return copy


@pytest.fixture(scope="module")
def programs_with_it(sources: Path) -> Path:
    """Return the folder of the own runner and its native tests, compiled without optimization."""
    folder = sources.parent / "build"
    for target in ("ciphermark-own", "kat_test_own", "prop_test_own"):
        build(folder, "CIPHERMARK_OPTIMISATION=O0", target=target, sources=sources)
    return folder


def test_the_document_names_one_source_and_one_file_of_known_answers() -> None:
    assert [Path(path).suffix for path in _files_of_the_document()] == [".vec", ".cpp"]


@pytest.mark.slow
def test_the_two_files_are_a_cipher_and_no_list_was_edited(programs_with_it: Path) -> None:
    runner = Runner(programs_with_it / "ciphermark-own")
    rows = runner.list()["implementations"]
    assert [(row["algorithm"], row["available"], row["default"]) for row in rows] == [("rc4-128", True, True)]
    printed = runner.call("kat", "--algorithm", "rc4-128")
    assert printed.returncode == 0, printed.stderr
    assert printed.stdout.count(b"Count = ") == 6


@pytest.mark.slow
@pytest.mark.parametrize("test", ["kat_test_own", "prop_test_own"])
def test_the_native_tests_found_it(programs_with_it: Path, test: str) -> None:
    command = [str(programs_with_it / test), "--gtest_filter=*/rc4_128_ref"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stdout[-3000:]
    assert ended.stdout.count("[       OK ]") >= 4


@pytest.mark.slow
def test_without_its_known_answers_the_build_fails(programs_with_it: Path, sources: Path) -> None:
    (sources / "vectors" / "rc4-128.vec").rename(sources / "rc4-128.set-aside")
    try:
        with pytest.raises(AssertionError, match=r"rc4-128\.vec is\s+missing"):
            build(programs_with_it, target="ciphermark-own", sources=sources)
    finally:
        (sources / "rc4-128.set-aside").rename(sources / "vectors" / "rc4-128.vec")
