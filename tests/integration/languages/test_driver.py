"""The driver of other languages notices programs that compute wrongly, answer nonsense or end."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.support.paths import REPOSITORY
from tests.support.runner_programs import BUILD_FOLDER, Runner, build

# Speaks the protocol for one algorithm; FAULT is how it fails.
PROGRAM = """
import os, sys
fault = sys.argv[1]
buffers = {}
def answer(text, content=b""):
    sys.stdout.buffer.write(text.encode() + b"\\n" + content)
    sys.stdout.buffer.flush()
for line in iter(sys.stdin.buffer.readline, b""):
    name, *fields = line.decode().split()
    if name == "list":
        row = "implementation chacha20-ietf ref stream 32 12 0 64 0 0 1 - RFC 8439"
        answer(f"provider fake\\nlanguage Fake\\nlanguage_version Fake 1\\n{row}\\nend")
    elif name == "prepare":
        size = int(fields[6])
        source = fields[7]
        buffers[fields[5]] = open(source, "rb").read() if source != "-" else sys.stdin.buffer.read(size)
        answer(f"ok {len(buffers[fields[5]])} 1")
    elif name == "time":
        if fault == "ends":
            os._exit(3)
        if fault == "nonsense":
            answer("yes")
            continue
        if fault == "refuses":
            answer("error internal this program is out of order")
            continue
        if "encrypt" in fields[0]:
            buffers["ciphertext"] = buffers["message"]
        if "decrypt" in fields[0]:
            buffers["plaintext"] = bytes(len(buffers["ciphertext"])) if fault == "zeros" else buffers["ciphertext"]
        answer("ok" + " 5 4 -" * int(fields[2]))
    elif name == "output":
        content = buffers[fields[0]]
        answer(f"ok {len(content)}", content)
    else:
        sys.exit(int(fields[0]))
"""


@pytest.fixture(scope="module")
def driver() -> Path:
    return build(BUILD_FOLDER / "tests", target="ciphermark-driver") / "driver" / "ciphermark-driver"


def fake(driver: Path, fault: str) -> Runner:
    return Runner(Path("--"), (str(driver), sys.executable, "-I", "-S", "-c", PROGRAM, fault))


@pytest.fixture
def message(tmp_path: Path) -> Path:
    path = tmp_path / "in"
    path.write_bytes(bytes(range(100)))
    return path


def test_program_that_encrypts_nothing_fails_its_known_answers(driver: Path) -> None:
    code, name, detail = fake(driver, "identity").refusal("kat", "--algorithm", "chacha20-ietf")

    assert (code, name) == (6, "not-verified")
    assert "encrypt gave" in detail


def test_message_that_does_not_come_back_is_reported_and_not_verified(driver: Path, message: Path) -> None:
    ended = fake(driver, "zeros").call("process", "--algorithm", "chacha20-ietf", "--in", message)

    assert ended.returncode == 6
    assert json.loads(ended.stdout)["verified"] is False
    assert json.loads(ended.stderr)["error"] == "not-verified"


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [("nonsense", "the program of the language answered 'yes'"), ("refuses", "this program is out of order")],
)
def test_answers_outside_the_protocol_end_the_command(driver: Path, message: Path, fault: str, sentence: str) -> None:
    refused = fake(driver, fault).refusal("process", "--algorithm", "chacha20-ietf", "--in", message)

    assert refused == (70, "internal", sentence)


def test_program_that_ends_by_itself_ends_the_command_with_its_exit_code(driver: Path, message: Path) -> None:
    ended = fake(driver, "ends").call("process", "--algorithm", "chacha20-ietf", "--in", message)

    assert (ended.returncode, ended.stdout) == (3, b"")


def test_path_with_blanks_and_bytes_that_are_no_text_reaches_the_program(
    driver: Path, tmp_path: Path, message: Path
) -> None:
    strange = message.rename(tmp_path / os.fsdecode(b"a  b\xff"))
    command = (str(driver), sys.executable, "-E", "-s", "-B", str(REPOSITORY / "runners" / "python" / "main.py"))

    ended = Runner(Path("--"), command).call("process", "--algorithm", "speck-128-128-ctr", "--in", strange)

    assert json.loads(ended.stdout)["input_bytes"] == 100


def test_program_that_cannot_be_started_is_named(driver: Path) -> None:
    for _ in range(100):  # two processes see it, in either order, and one of them reports it
        refused = Runner(Path("--"), (str(driver), '/nowhere/"python3')).refusal("list")

        assert refused == (70, "internal", '/nowhere/"python3: No such file or directory')


def test_driver_without_a_program_states_how_it_is_called(driver: Path) -> None:
    code, name, detail = Runner(driver).refusal("list")

    assert (code, name) == (2, "usage")
    assert "WORD... -- COMMAND" in detail
