"""Memory footprints: ``footprint`` of the runners, and the sizes measured by the build."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.compilation.target_sizes import sizes_on_target
from orchestrator.wire.builds import FootprintResult
from orchestrator.wire.runners import RunnerFootprint
from tests.integration.native.conftest import alone
from tests.support.runner_programs import PROVIDERS, Runner

pytestmark = pytest.mark.untraced

Key = tuple[str, str, str]


def footprint(runner: Runner, algorithm: str, *more: str) -> RunnerFootprint:
    """Return the report of ``footprint``."""
    ended = runner.call("footprint", "--algorithm", algorithm, *more)
    assert ended.returncode == 0, ended.stderr
    return RunnerFootprint.model_validate_json(ended.stdout)


@pytest.fixture(scope="session")
def sizes(programs: Path) -> dict[Key, dict[str, Any]]:
    """Return the rows of the target ``footprint``."""
    command = ["cmake", "--build", programs, "--target", "footprint"]
    with alone("tests"):
        ended = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        assert ended.returncode == 0, ended.stdout[-3000:]
        rows = json.loads((programs / "footprint.json").read_text())
    return {(row["provider"], row["algorithm"], row["variant"]): row for row in rows}


FAMILIES = {"aes", "ascon", "tinyjambu", "xoodyak"}
NOT_COMPILED = {"bitsliced64.cpp", "ce.cpp", "vaes.cpp"}
"""Of AES: its variants with and without tables are enough."""


@pytest.fixture(scope="session")
def on_armhf(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], FootprintResult]:
    """Return the sizes of some own ciphers on a processor that is not here, by algorithm and variant."""

    def other_families(folder: str, names: list[str]) -> set[str]:
        return set(names) - FAMILIES if Path(folder).parent.name == "ciphers" else NOT_COMPILED & set(names)

    runners = shutil.copytree("runners", tmp_path_factory.mktemp("targets") / "runners", ignore=other_families)
    with alone("targets"):
        found = sizes_on_target(runners, "armhf", "Os", BuildObserver(lambda _: None))
    return {(row.algorithm, row.variant): row for row in found.rows}


class TestStack:
    @pytest.mark.long
    def test_every_implementation_works_on_less_than_64_kib(self, runner: Runner) -> None:
        for algorithm, row in runner.available().items():
            report = footprint(runner, algorithm)
            assert (report.algorithm, report.variant) == (algorithm, row["variant"])
            # Whatever copies a block or calls a function leaves a trace.
            assert 0 < report.stack_bytes["encrypt"] < 65_536
            assert 0 < report.stack_bytes["decrypt"] < 65_536
            assert report.stack_bytes["key-setup"] < 65_536

    def test_it_is_the_same_each_time(self, own: Runner) -> None:
        reports = [footprint(own, "aes-256-ctr") for _ in range(3)]
        assert reports[0] == reports[1] == reports[2]

    def test_the_context_holds_the_round_keys(self, own: Runner, runners: dict[str, Runner]) -> None:
        # FIPS 197: 15 round keys of 16 bytes for a key of 256 bits; a library has them behind pointers.
        assert footprint(own, "aes-256-ctr", "--variant", "ref").context_bytes >= 15 * 16
        for library in runners.values():
            assert footprint(library, "aes-256-ctr").context_bytes >= 15 * 16

    def test_another_variant_is_never_taken(self, own: Runner) -> None:
        assert own.refusal("footprint", "--algorithm", "aes-256-ctr", "--variant", "fastest")[0] == 3


@pytest.mark.long
class TestSizes:
    def test_every_implementation_of_list_has_a_size(
        self,
        runners: dict[str, Runner],
        more_libraries: dict[str, Runner],
        sizes: dict[Key, dict[str, Any]],
    ) -> None:
        listed = {
            (provider, row["algorithm"], row["variant"])
            for provider, runner in (runners | more_libraries).items()
            for row in runner.list()["implementations"]
            if row["variant"] is not None
        }
        assert set(sizes) == listed
        for row in sizes.values():
            assert (row["code_bytes"] is None) == (row["static_ram_bytes"] is None) == (row["reason"] != "")
        assert all(row["code_bytes"] > 0 for key, row in sizes.items() if key[0] == "own")

    def test_a_program_holds_its_implementation_alone(self, sizes: dict[Key, dict[str, Any]]) -> None:
        def code(algorithm: str, variant: str) -> int:
            return int(sizes["own", algorithm, variant]["code_bytes"])

        # The five modes and three key lengths of AES share most of their tables and little of their code.
        modes = [code(f"aes-256-{mode}", "ref") for mode in ("ecb", "cbc", "cfb", "ofb", "ctr")]
        assert max(modes) < 0.5 * sum(modes)
        # The S-boxes are 512 bytes.
        assert min(modes) > 512
        # FIPS 46-3: eight S-boxes, and the permutations, as tables of 32-bit words.
        assert code("3des-192-ecb", "tables") > 8 * 64 * 4
        assert code("chacha20-256", "ref") < code("chacha20-poly1305", "ref64")

    def test_own_ciphers_keep_no_state(self, sizes: dict[Key, dict[str, Any]]) -> None:
        unmasked, masked = (
            {row["static_ram_bytes"] for (provider, _, variant), row in sizes.items()
             if provider == "own" and variant.startswith("masked") == is_masked}
            for is_masked in (False, True)
        )  # fmt: skip
        # Where code is chosen by the kind of the processor, one byte keeps that kind.
        assert unmasked <= {0, 1}
        # Where the next random word is, and the state of the generator `free`; no shares.
        assert 0 < min(masked) <= max(masked) < 1024

    def test_a_library_brings_more_than_a_cipher(self, sizes: dict[Key, dict[str, Any]]) -> None:
        for (provider, algorithm, _), row in sizes.items():
            if provider != "own" and algorithm == "aes-256-ecb" and row["code_bytes"] is not None:
                # mbedTLS, Nettle and LibTomCrypt are made for devices: a program has the modules that it names.
                times = 10 if provider in PROVIDERS else 1
                assert row["code_bytes"] > times * sizes["own", algorithm, "ref"]["code_bytes"]


class TestSizesOnTargets:
    def test_portable_code_and_that_of_the_target_has_all_sizes(
        self, on_armhf: dict[tuple[str, str], FootprintResult]
    ) -> None:
        assert {("ascon-aead128", "opt32"), ("xoodyak", "neon")} <= on_armhf.keys()
        assert not {variant for _, variant in on_armhf} & {"avx2", "avx512", "aesni"}
        for row in on_armhf.values():
            assert row.target == "armhf"
            assert min(row.code_bytes or 0, row.context_bytes or 0) > 0, row
            assert row.stack_bytes is not None
            assert set(row.stack_bytes) == {"key-setup", "encrypt", "decrypt"}, row

    def test_constants_are_a_part_of_the_code(self, on_armhf: dict[tuple[str, str], FootprintResult]) -> None:
        table = on_armhf["aes-128-ctr", "ref"]
        assert 256 <= (table.constant_bytes or 0) < (table.code_bytes or 0)  # FIPS 197: the S-box.

    def test_code_for_size_is_not_written_out(self, on_armhf: dict[tuple[str, str], FootprintResult]) -> None:
        # The smallest published C code has 1.2 and 1.3 KiB on Cortex-M3; with unrolled rounds ours had up to 5.2 KiB.
        for name in ("ascon-aead128", "tinyjambu-128", "xoodyak"):
            smallest = min(row.code_bytes or 0 for (one, _), row in on_armhf.items() if one == name)
            assert smallest < 3072, name
