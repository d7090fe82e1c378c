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


def test_facts_of_each_algorithm_are_those_of_the_native_runner(runner: Runner, own: Runner) -> None:
    native = own.available()

    for algorithm, row in runner.available().items():
        for name in ("kind", "key_bytes", "nonce_bytes", "tag_bytes", "block_bytes", "vectors_sha256", "source"):
            assert row[name] == native[algorithm][name], (algorithm, name)


def test_forged_tag_is_rejected_without_an_output(runner: Runner, tmp_path: Path) -> None:
    (tmp_path / "forged").write_bytes(bytes(17))
    key, out = bytes(16).hex(), tmp_path / "out"
    options = ["--algorithm", "ascon-aead128", "--operation", "decrypt", "--key", key, "--nonce", key]

    refused = runner.refusal("crypt", *options, "--in", tmp_path / "forged", "--out", out)

    assert refused == (
        5,
        "authentication-failed",
        "decrypt rejected the tag: it does not match key, nonce, associated data and ciphertext",
    )
    assert not out.exists()
