"""The walk-throughs of ``docs/adding-a-cipher.md``, followed literally in one copy of the sources."""

import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.decrepit.ciphers.modes import CFB, OFB
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.algorithms import SM4

from tests.support.paths import REPOSITORY
from tests.support.runner_programs import Message, Runner, build

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("guide")]

DOCUMENT = REPOSITORY / "docs" / "adding-a-cipher.md"
# A heading that names a file in backquotes, and the first block of code below it.
FILE_IN_DOCUMENT = re.compile(
    r"^### (?P<append>Append to )?`(?P<path>runners/[^`]+)`\n.*?^```[a-z]*\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
EXISTING_FAMILY = "salsa20"
"""The family that gets a variant; every other cipher is left out of the copy."""


@dataclass(frozen=True)
class DocumentedFile:
    """A file that a walk-through creates, or appends to."""

    path: str
    text: str
    is_appended: bool


def _documented_files() -> list[DocumentedFile]:
    found = FILE_IN_DOCUMENT.finditer(DOCUMENT.read_text(encoding="utf-8"))
    return [DocumentedFile(match["path"], match["text"], match["append"] is not None) for match in found]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the runners' sources with the documented files and the family that one of them extends."""
    copy = tmp_path_factory.mktemp("contributor") / "runners"
    shutil.copytree(REPOSITORY / "runners", copy)
    for folder in copy.glob("src/ciphers/*/*"):
        if folder.name != EXISTING_FAMILY:
            shutil.rmtree(folder)
    for vectors in copy.glob("vectors/*.vec"):
        if not vectors.name.startswith(f"{EXISTING_FAMILY}-"):
            vectors.unlink()
    for file in _documented_files():
        target = copy.parent / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        assert target.exists() == file.is_appended, file.path
        with target.open("a", encoding="utf-8") as opened:
            opened.write(file.text)
    return copy


@pytest.fixture(scope="module")
def programs(sources: Path) -> Path:
    """Return the folder of the own runner and its native tests, compiled once without optimization."""
    folder = sources.parent / "build"
    definitions = ["CIPHERMARK_OPTIMIZATION=O0"]
    if shutil.which("ccache"):
        definitions.append("CMAKE_CXX_COMPILER_LAUNCHER=ccache")
    for target in ("ciphermark-own", "kat_test_own", "prop_test_own"):
        build(folder, *definitions, target=target, sources=sources)
    return folder


@pytest.fixture(scope="module")
def runner(programs: Path) -> Runner:
    """Return the runner with the ciphers of the document."""
    return Runner(programs / "ciphermark-own")


def test_document_has_a_walk_through_for_each_kind() -> None:
    paths = [file.path for file in _documented_files()]
    for kind in ("stream", "block", "aead"):
        assert any(path.startswith(f"runners/src/ciphers/{kind}/") and path.endswith(".cpp") for path in paths)
    assert [file.path for file in _documented_files() if file.is_appended] == [
        f"runners/src/ciphers/stream/{EXISTING_FAMILY}/variants.cmake"
    ]


def test_document_states_the_origin_of_all_known_answers() -> None:
    for file in _documented_files():
        if file.path.endswith(".vec"):
            before_first_answer = file.text.partition("Key = ")[0]
            assert before_first_answer.count("# ") >= 2, file.path
            assert file.text.count("Result = ") >= 3, file.path


@pytest.mark.parametrize(
    ("algorithm", "variant", "constant_time"),
    [
        ("trivium", "words64", True),
        *((f"sm4-{mode}", "ref", False) for mode in ("ecb", "cbc", "cfb", "ofb", "ctr")),
        ("grain-128aead-v2", "words", True),
    ],
)
def test_new_cipher_is_listed_and_passes_its_known_answers(
    runner: Runner, algorithm: str, variant: str, constant_time: bool
) -> None:
    rows = [row for row in runner.list()["implementations"] if row["algorithm"] == algorithm]
    assert [(row["variant"], row["available"], row["default"]) for row in rows] == [(variant, True, True)]
    assert rows[0]["constant_time"] is constant_time
    printed = runner.call("kat", "--algorithm", algorithm)
    assert printed.returncode == 0, printed.stderr
    assert printed.stdout.count(b"Count = ") >= 5


@pytest.mark.skipif(platform.machine() != "x86_64", reason="SSE2 is an extension of x86")
@pytest.mark.parametrize("algorithm", ["salsa20-128", "salsa20-256"])
def test_new_variant_encrypts_like_the_existing_one(runner: Runner, algorithm: str, tmp_path: Path) -> None:
    assert runner.call("kat", "--algorithm", algorithm, "--variant", "sse2").returncode == 0
    message = tmp_path / "message"
    message.write_bytes(os.urandom(5_003))
    digests = set()
    for variant in ("ref", "sse2"):
        out = tmp_path / variant
        key = "000102030405060708090a0b0c0d0e0f" * (int(algorithm[-3:]) // 128)
        arguments = ["--key", key, "--nonce", "0001020304050607", "--in", message, "--out", out]
        ended = runner.call(
            "crypt", "--algorithm", algorithm, "--variant", variant, "--operation", "encrypt", *arguments
        )
        assert ended.returncode == 0, ended.stderr
        digests.add(out.read_bytes())
    assert len(digests) == 1


@pytest.mark.parametrize("mode", ["ecb", "cbc", "cfb", "ofb", "ctr"])
def test_block_cipher_agrees_with_openssl(runner: Runner, mode: str, tmp_path: Path) -> None:
    key, nonce, data = os.urandom(16), os.urandom(16), os.urandom(320)
    of_openssl = {"cbc": modes.CBC, "cfb": CFB, "ofb": OFB, "ctr": modes.CTR}
    chosen = modes.ECB() if mode == "ecb" else of_openssl[mode](nonce)
    encryptor = Cipher(SM4(key), chosen).encryptor()
    message = Message(key, b"" if mode == "ecb" else nonce, data)
    ours = runner.crypt("encrypt", f"sm4-{mode}", message, tmp_path)
    assert ours == encryptor.update(data) + encryptor.finalize()


@pytest.mark.parametrize("program", ["kat_test_own", "prop_test_own"])
def test_native_tests_cover_the_new_implementations(programs: Path, program: str) -> None:
    new = ["trivium_words64", "sm4_ecb_ref", "sm4_ctr_ref", "grain_128aead_v2_words"]
    if platform.machine() == "x86_64":
        new.append("salsa20_256_sse2")
    command = [str(programs / program), "--gtest_filter=" + ":".join(f"*/{name}" for name in new)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stdout[-3000:]
    for name in new:
        assert f"/{name} (" in ended.stdout, name


def test_build_without_known_answers_fails(programs: Path, sources: Path) -> None:
    vectors, moved = sources / "vectors" / "trivium.vec", sources / "trivium.moved"
    vectors.rename(moved)
    try:
        with pytest.raises(AssertionError, match=r"trivium\.vec is\s+missing"):
            build(programs, target="ciphermark-own", sources=sources)
    finally:
        moved.rename(vectors)
