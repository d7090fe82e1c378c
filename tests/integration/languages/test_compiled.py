"""The programs in compiled languages compute every known answer, and print it as the native runner does."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import REPOSITORY
from tests.support.runner_programs import Runner

pytestmark = pytest.mark.long  # make test executes a compiled language by its contract

# Compiler, and its arguments in the folder of the sources; OUT is the folder of the program.
COMPILED = {
    "go": ("go", "build", "-trimpath", "-o", "OUT/ciphermark-go", "."),
    "rust": ("rustc", "--edition", "2021", "-Copt-level=2", "-o", "OUT/ciphermark-rust", "src/main.rs"),
    "java": (
        *("javac", "-encoding", "UTF-8", "-Xlint:all", "-Werror", "-XDstringConcat=inline", "-d", "OUT/classes"),
        *("-sourcepath", "src", "src/ciphermark/Main.java"),
    ),
}
# The words before the arguments of the runner.
STARTED = {
    "go": ("OUT/ciphermark-go",),
    "rust": ("OUT/ciphermark-rust",),
    "java": ("java", "-XX:+UseSerialGC", "-Dciphermark.folder=OUT", "-cp", "OUT/classes", "ciphermark.Main"),
}


@pytest.fixture(scope="session", params=COMPILED)
def runner(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """Return the program of one language after the other, next to the known answers."""
    found = shutil.which(COMPILED[request.param][0])
    if found is None:
        pytest.skip(f"{COMPILED[request.param][0]} is not installed here")
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "vectors").symlink_to(REPOSITORY / "runners" / "vectors")
    out = folder / request.param
    out.mkdir()
    command = [word.replace("OUT", str(out)) for word in COMPILED[request.param]]
    subprocess.run(command, cwd=REPOSITORY / "runners" / request.param, check=True, timeout=300)
    first, *words = (word.replace("OUT", str(out)) for word in STARTED[request.param])
    *before, last = shutil.which(first) or first, *words
    return Runner(Path(last), tuple(before))


@pytest.fixture(scope="session")
def own() -> Runner:
    return Runner(REPOSITORY / "build" / "runners" / "ciphermark-own")


def test_known_answers_are_printed_byte_for_byte_as_by_the_native_runner(runner: Runner, own: Runner) -> None:
    rows = runner.list()["implementations"]
    assert len(rows) == 59

    for row in rows:
        ended = runner.call("kat", "--algorithm", row["algorithm"], "--variant", row["variant"])
        assert (ended.returncode, ended.stderr) == (0, b""), row
        assert ended.stdout == own.call("kat", "--algorithm", row["algorithm"]).stdout, row
