"""Variants for other processors: which must exist, which may be missing, and how that is reported.

The known answers of each variant are passed by the native tests, which ``scripts/test_all.sh`` executes under the same
emulators. Here a variant that has silently gone missing from such a build is found. ``make test`` executes only the
program of this machine, on an emulated older processor.
"""

import platform
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.integration.native.conftest import BUILD_FOLDER, alone
from tests.support.runner_programs import REPOSITORY, Runner, build

CIPHERS = REPOSITORY / "runners" / "src" / "ciphers"
X86_ONLY = {"aesni", "vaes", "avx2", "avx512", "sse2"}


@dataclass(frozen=True)
class Architecture:
    """A kind of Raspberry Pi: the preset's name, its name in ``uname -m``, and its emulator."""

    preset: str
    machine: str
    emulator: str


ARCHITECTURES = (
    Architecture("rpi-aarch64", "aarch64", "qemu-aarch64-static"),
    Architecture("rpi-armhf", "armv7l", "qemu-arm-static"),
)


def _cross_built(architecture: Architecture) -> Runner:
    """Return our own runner for another architecture, on the largest processor that its emulator knows."""
    with alone(architecture.preset):
        folder = build(
            BUILD_FOLDER / f"runners-{architecture.preset}",
            f"CMAKE_TOOLCHAIN_FILE={REPOSITORY}/runners/cmake/{architecture.preset}.cmake",
            "CIPHERMARK_LINK=static",
        )
    return Runner(folder / "ciphermark-own", under=(architecture.emulator, "-cpu", "max"))


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(each, id=each.preset, marks=pytest.mark.long)
        for each in ARCHITECTURES
        if each.machine != platform.machine()
    ],
)
def foreign(request: pytest.FixtureRequest) -> Runner:
    """Return our own runner on each architecture that this machine is not."""
    return _cross_built(request.param)


def _variants(rows: list[dict[str, Any]]) -> dict[str, set[str]]:
    """Return the variants that can be executed, by algorithm."""
    found: dict[str, set[str]] = {row["algorithm"]: set() for row in rows}
    for row in rows:
        if row["available"]:
            found[row["algorithm"]].add(row["variant"])
    return found


def _families_with(variant: str) -> list[str]:
    """Return the names of the families that have the variant, as a source or as a declaration."""
    declared = f"ciphermark_variant({variant} "
    folders = {path.parent for path in CIPHERS.glob(f"*/*/{variant}.cpp")}
    folders |= {path.parent for path in CIPHERS.glob("*/*/variants.cmake") if declared in path.read_text("utf-8")}
    return sorted(folder.name.replace("_", "-") for folder in folders)


class TestARaspberryPi:
    def test_every_algorithm_is_there(self, foreign: Runner, own: Runner) -> None:
        assert _variants(foreign.list()["implementations"]).keys() == _variants(own.list()["implementations"]).keys()

    @pytest.mark.parametrize(("variant", "families"), [("neon", 12), ("ce", 1)])
    def test_each_family_with_a_variant_for_its_instructions_offers_it(
        self, foreign: Runner, variant: str, families: int
    ) -> None:
        available = _variants(foreign.list()["implementations"])
        found = _families_with(variant)
        assert len(found) >= families
        for family in found:
            words = set(family.split("-"))
            algorithms = [name for name in available if name.startswith(family) or words <= set(name.split("-"))]
            assert algorithms
            assert [algorithm for algorithm in algorithms if variant not in available[algorithm]] == [], family

    def test_everything_that_is_listed_can_be_executed(self, foreign: Runner) -> None:
        rows = foreign.list()["implementations"]
        assert [row for row in rows if not row["available"]] == []

    def test_a_variant_of_another_architecture_is_unknown_and_the_known_ones_are_named(self, foreign: Runner) -> None:
        assert not X86_ONLY & {row["variant"] for row in foreign.list()["implementations"]}
        code, error, detail = foreign.refusal("kat", "--algorithm", "aes-128-ctr", "--variant", "vaes")
        assert (code, error) == (3, "unknown-variant")
        refused, known = detail.split("; it has ")
        assert refused == "aes-128-ctr has no variant 'vaes'"
        assert set(known.split(", ")) == {"bitsliced64", "ce", "neon", "ref"}

    def test_it_encrypts_like_this_machine(self, foreign: Runner, own: Runner, tmp_path: Path) -> None:
        path = tmp_path / "message"
        path.write_bytes(bytes(i * 7 % 251 for i in range(5_003)))
        for algorithm in ("aes-128-ctr", "chacha20-poly1305", "present-80-cbc", "speck-64-96-ctr", "ascon-aead128"):
            here, there = own.process(algorithm, path), foreign.process(algorithm, path)
            assert there["verified"]
            assert here["output_sha256"] == there["output_sha256"], algorithm


@dataclass(frozen=True)
class Older:
    """A processor without some instructions: a runner on it, a variant that needs them, its default, what it lacks."""

    runner: Runner
    variant: str
    default: str
    lacking: str
    lacking_for_gcm: str


@pytest.fixture(scope="module", params=["x86_64", pytest.param("armv7l", marks=pytest.mark.long)])
def older(request: pytest.FixtureRequest, own: Runner) -> Older:
    """Return our own runner on a processor of 2008, and on an ARM core without the cryptographic instructions."""
    if request.param == "armv7l":
        runner = _cross_built(ARCHITECTURES[1])
        return Older(replace(runner, under=("qemu-arm-static", "-cpu", "cortex-a15")), "ce", "neon", "aes", "aes pmull")
    if platform.machine() != "x86_64":
        pytest.skip("its program is built on x86-64 alone")
    nehalem = replace(own, under=("qemu-x86_64-static", "-cpu", "Nehalem"))
    lacking_for_gcm = "vaes vpclmulqdq aes pclmul avx512f avx512bw"
    return Older(nehalem, "vaes", "bitsliced64", "vaes aes avx512f avx512bw", lacking_for_gcm)


class TestAnOlderProcessor:
    def test_a_variant_that_it_lacks_is_refused_with_the_instructions(self, older: Older) -> None:
        for command in (("kat",), ("latency", "--operation", "encrypt", "--length", "16")):
            refused = older.runner.refusal(*command, "--algorithm", "aes-128-ctr", "--variant", older.variant)
            sentence = f"aes-128-ctr in variant {older.variant}: this processor lacks {older.lacking}"
            assert refused == (3, "unsupported-cpu", sentence)

    def test_it_is_listed_as_unavailable_with_the_reason(self, older: Older) -> None:
        rows = [row for row in older.runner.list()["implementations"] if row["variant"] == older.variant]
        assert {row["algorithm"].rpartition("-")[0] for row in rows} == {"aes-128", "aes-192", "aes-256"}
        assert {(row["available"], row["default"]) for row in rows} == {(False, False)}
        for row in rows:
            lacking = older.lacking_for_gcm if row["algorithm"].endswith("-gcm") else older.lacking
            assert row["reason"] == f"this processor lacks {lacking}"

    def test_each_algorithm_has_another_default_that_works(self, older: Older, tmp_path: Path) -> None:
        path = tmp_path / "message"
        path.write_bytes(bytes(1_000))
        rows = older.runner.list()["implementations"]
        defaults = {row["algorithm"]: row["variant"] for row in rows if row["default"]}
        assert defaults.keys() == {row["algorithm"] for row in rows}
        assert defaults["aes-128-ctr"] == older.default
        for algorithm in ("aes-128-ctr", "chacha20-256", "simon-64-96-ctr"):
            assert older.runner.call("kat", "--algorithm", algorithm).returncode == 0
            assert older.runner.process(algorithm, path)["verified"]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="its program is built on x86-64 alone")
@pytest.mark.parametrize("algorithm", ["chacha20-256", "chacha20-ietf", "salsa20-256"])
def test_a_block_is_the_same_by_rows(own: Runner, algorithm: str) -> None:
    """On Zen 5 a single block is made in words, on the emulated processor by rows."""
    emulated = replace(own, under=("qemu-x86_64-static", "-cpu", "max"))
    assert emulated.call("kat", "--algorithm", algorithm, "--variant", "avx2").returncode == 0


@pytest.mark.long
def test_code_for_size_passes_its_known_answers() -> None:
    with alone("for-size"):
        folder = build(BUILD_FOLDER / "runners-for-size", "CIPHERMARK_OPTIMIZATION=Os", "CIPHERMARK_MASKED=OFF")
    runner = Runner(folder / "ciphermark-own")
    for algorithm in runner.available():
        ended = runner.call("kat", "--algorithm", algorithm)
        assert ended.returncode == 0, ended.stderr
