"""The programs in compiled languages compute every known answer, and print it as the native runner does."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import REPOSITORY
from tests.support.runner_programs import Runner

# Compiler, and its arguments in the folder of the sources; OUT is the program.
COMPILED = {
    "go": ("go", "build", "-trimpath", "-o", "OUT", "."),
    "rust": ("rustc", "--edition", "2021", "-Copt-level=2", "-o", "OUT", "src/main.rs"),
}


@pytest.fixture(scope="session", params=COMPILED)
def runner(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """Return the program of one language after the other, next to the known answers."""
    compiler, *arguments = COMPILED[request.param]
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed here")
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "vectors").symlink_to(REPOSITORY / "runners" / "vectors")
    program = folder / request.param / f"ciphermark-{request.param}"
    program.parent.mkdir()
    command = [compiler, *(str(program) if word == "OUT" else word for word in arguments)]
    subprocess.run(command, cwd=REPOSITORY / "runners" / request.param, check=True, timeout=300)
    return Runner(program)


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
