"""`runners evidence` executes the programs of a CMake build folder, and stores what they print with its origin.

The build is a small project of its own, whose program prints reports: one of the ciphers takes minutes (make evidence).
"""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from orchestrator.compilation.evidence.storage import read_evidence
from orchestrator.compilation.runner_sources import source_sha256
from tests.support.commands import executed
from tests.support.masking_evidence import COMPILATION, control, gadget, object_code, traces

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(Runners NONE)
configure_file(${CMAKE_SOURCE_DIR}/src/program.py ${CMAKE_BINARY_DIR}/ciphermark-own COPYONLY)
add_custom_target(evidence)
"""
PROGRAM = """#!{python}
import json, pathlib, sys
printed = json.loads(pathlib.Path({reports!r}).read_text())
name = sys.argv[1] if sys.argv[1] == "list" else sys.argv[sys.argv.index("--check") + 1]
print(json.dumps(printed[name]))
sys.exit(0 if name == "list" or all(one["passed"] for one in printed[name]["results"]) else 6)
"""
LISTING = {
    "implementations": [
        {"algorithm": "ascon-128", "variant": "opt64", "masking": None, "available": True},
        {"algorithm": "ascon-128", "variant": "masked64", "masking": {"shares": [2]}, "available": True},
        {"algorithm": "ascon-128", "variant": "masked-avx512", "masking": {"shares": [2]}, "available": True},
        {"algorithm": "gift-cofb", "variant": "masked-neon", "masking": {"shares": [2]}, "available": False},
    ]
}


class Build:
    """A build folder whose program prints these reports."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "build"
        self.source = folder / "runners"
        self.cache = folder / "cache"
        self.reports = folder / "reports.json"
        (self.source / "src").mkdir(parents=True)
        (self.source / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
        program = self.source / "src" / "program.py"
        program.write_text(PROGRAM.format(python=sys.executable, reports=str(self.reports)), encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        subprocess.run(["cmake", "-G", "Ninja", "-S", self.source, "-B", self.folder], check=True, capture_output=True)

    def prints(self, **changed: list[dict[str, Any]]) -> None:
        results = {
            "gadgets": [gadget(), gadget(faulty=True)],
            "controls": [control()],
            "traces": [traces(1, 4.0)],
            "object-code": [object_code(control="no fault", algorithm=None), object_code()],
            **changed,
        }
        reports = {name: {"check": name, "build": COMPILATION, "results": found} for name, found in results.items()}
        self.reports.write_text(json.dumps({"list": LISTING, **reports}), encoding="utf-8")

    def command(self, *options: str, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
        environment = {**os.environ, "CIPHERMARK_CACHE_FOLDER": str(self.cache)}
        return executed(environment, "runners", "evidence", str(folder or self.folder), *options)


@pytest.fixture
def build(tmp_path: Path) -> Build:
    made = Build(tmp_path)
    made.prints()
    return made


def test_report_is_stored_with_the_sources_that_it_examined(build: Build, tmp_path: Path) -> None:
    ended = build.command("--json", "--into", str(tmp_path / "copy.json"))
    assert ended.returncode == 0, ended.stderr
    stored = read_evidence(build.cache, source_sha256(build.source))
    assert stored is not None
    assert json.loads(ended.stdout) == json.loads((tmp_path / "copy.json").read_text(encoding="utf-8"))
    assert stored.compilation.model_dump() == COMPILATION
    # t-tests with 2, 3 and 4 shares; object code of the algorithm with 2 and 3 shares, and its control once.
    counts = [len(one) for one in (stored.gadgets, stored.controls, stored.traces, stored.object_code)]
    assert (counts, stored.failed) == ([2, 1, 3, 3], 0)


def test_result_that_has_not_passed_is_printed_stored_and_an_exit_code(build: Build) -> None:
    build.prints(traces=[traces(1, 4.0), traces(2, 9.0)], controls=[control(found=False)])
    ended = build.command()
    assert ended.returncode == 11, ended.stderr
    for text in ("swapped share", "9.00 / 6.00", "FAILED", "4 not passed", "no claim about the power"):
        assert text in " ".join(ended.stdout.split())
    stored = read_evidence(build.cache, source_sha256(build.source))
    assert stored is not None
    assert stored.failed == 4


@pytest.mark.long
def test_evidence_of_one_algorithm_is_not_stored(build: Build) -> None:
    assert build.command("--algorithm", "ascon-128").returncode == 0
    assert read_evidence(build.cache, source_sha256(build.source)) is None


def test_folder_that_is_no_build_is_refused_with_the_remedy(build: Build, tmp_path: Path) -> None:
    ended = build.command(folder=tmp_path / "cache")
    assert ended.returncode == 12
    assert "is no build folder of CMake" in ended.stderr
    assert "cmake --preset" in ended.stderr


def test_program_that_fails_ends_the_collection_with_its_output(build: Build) -> None:
    build.reports.unlink()
    ended = build.command()
    assert ended.returncode == 12
    assert "FileNotFoundError" in ended.stderr
    assert read_evidence(build.cache, source_sha256(build.source)) is None
