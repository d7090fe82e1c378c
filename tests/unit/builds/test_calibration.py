"""The default variant of each length: chosen from timings in rounds, or not at all on a disturbed machine."""

import random
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.compilation.calibration import CalibrateOutput, Disturbed, TimedVariant, calibrated, choose
from orchestrator.compilation.installed import InstalledBuild
from orchestrator.compilation.proofs import ProofBook
from orchestrator.runs.planning.implementations import default_rows, rows_of_variant
from orchestrator.runs.planning.offers import OfferedImplementation
from orchestrator.wire.builds import ProofResult

LENGTHS = [16, 1024]
ROUNDS = 21
PROVED = {("aes-128-ctr", "vaes"), ("aes-128-ctr", "aesni"), ("aes-128-ctr", "ref")}


def timed(variant: str, call_ns: list[float], noise: float = 0.01, *, control: bool = False) -> TimedVariant:
    chance = random.Random(f"{variant} {control}")
    rounds = [[ns * chance.uniform(1 - noise, 1 + noise) for _ in range(ROUNDS)] for ns in call_ns]
    return TimedVariant(
        algorithm="aes-128-ctr", variant=variant, control=control, message_bytes=LENGTHS, call_ns=rounds
    )


def report(*others: TimedVariant, noise: float = 0.01) -> CalibrateOutput:
    own = [timed("vaes", [30, 70], noise), timed("vaes", [30, 70], noise, control=True)]
    return CalibrateOutput(lengths=LENGTHS, rows=[*own, *others])


def defaults(*others: TimedVariant, proved: set[tuple[str, str]] = PROVED) -> dict[int, str]:
    found = choose(report(*others), proved)
    assert not isinstance(found, Disturbed)
    return {length: one.variant for one in found for length in one.fastest_at}


class TestChoice:
    def test_each_length_has_the_variant_that_is_fastest_there(self) -> None:
        assert defaults(timed("aesni", [12, 100]), timed("ref", [200, 9000])) == {16: "aesni", 1024: "vaes"}

    def test_the_runners_own_choice_stays_where_the_gain_is_small_or_not_sure(self) -> None:
        assert defaults(timed("aesni", [29.5, 69])) == {16: "vaes", 1024: "vaes"}
        assert defaults(timed("aesni", [27, 60], noise=0.6)) == {16: "vaes", 1024: "vaes"}

    def test_what_failed_its_known_answers_is_never_the_default(self) -> None:
        assert defaults(timed("aesni", [1, 1]), proved=PROVED - {("aes-128-ctr", "aesni")}) == {
            16: "vaes", 1024: "vaes",
        }  # fmt: skip

    def test_times_are_relative_to_the_own_choice(self) -> None:
        found = choose(report(timed("aesni", [15, 140])), PROVED)
        assert not isinstance(found, Disturbed)
        (aesni,) = [one for one in found if one.variant == "aesni"]
        assert 0.48 < aesni.relative_times["16"] < 0.52
        assert 1.95 < aesni.relative_times["1024"] < 2.05

    def test_a_disturbed_machine_is_not_believed(self) -> None:
        shifted = timed("vaes", [33, 77], control=True)
        rows = [timed("vaes", [30, 70]), shifted, timed("aesni", [12, 100])]
        assert isinstance(choose(CalibrateOutput(lengths=LENGTHS, rows=rows), PROVED), Disturbed)


def test_a_disturbed_calibration_is_repeated_at_the_next_start(tmp_path: Path) -> None:
    program = tmp_path / "runner"
    listed = [SimpleNamespace(algorithm="aes-128-ctr", variant=name, available=True, masking=None)
              for _, name in sorted(PROVED)]  # fmt: skip
    runner = SimpleNamespace(
        provider="own", sha256="a" * 64, start=None, listing=SimpleNamespace(implementations=listed)
    )
    build = SimpleNamespace(
        folder=tmp_path, report=SimpleNamespace(runners=[runner]), runners={"own": SimpleNamespace(command=[program])}
    )
    proofs = [ProofResult(provider="own", algorithm=algorithm, variant=name, passed=True, output_sha256=None)
              for algorithm, name in sorted(PROVED)]  # fmt: skip
    book = ProofBook(tuple(proofs), frozenset())

    def defaults_after(*rows: TimedVariant) -> set[str]:
        output = CalibrateOutput(lengths=LENGTHS, rows=list(rows)).model_dump_json()
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{output}\nEND\n")
        program.chmod(0o755)
        found = calibrated(cast("InstalledBuild", build), book, lambda _: None)
        return {one.variant for one in found if one.fastest_at}

    own, aesni = timed("vaes", [30, 70]), timed("aesni", [12, 30])
    assert defaults_after(own, timed("vaes", [33, 77], control=True), aesni) == set()
    assert defaults_after(own, timed("vaes", [30, 70], control=True), aesni) == {"aesni"}


def offered(variant: str, *fastest_at: int, default: bool = False) -> OfferedImplementation:
    return OfferedImplementation("aes-128-ctr", variant, available=True, default=default, fastest_at=fastest_at)


class TestPlan:
    ROWS = (offered("ref"), offered("aesni", 16, 64), offered("vaes", 256, 1024, default=True))

    def test_a_plan_measures_the_default_of_each_of_its_lengths(self) -> None:
        assert [row.variant for row in default_rows(self.ROWS, [16])] == ["aesni"]
        assert [row.variant for row in default_rows(self.ROWS, [131_072])] == ["vaes"]
        assert [row.variant for row in default_rows(self.ROWS, [100, 300])] == ["aesni", "vaes"]

    def test_without_a_calibration_it_is_the_runners_own_choice(self) -> None:
        rows = (offered("ref"), offered("vaes", default=True))
        assert [row.variant for row in default_rows(rows, [16, 1024])] == ["vaes"]

    def test_the_smallest_variant_is_that_with_the_least_code(self) -> None:
        sizes = {"ref": 1192, "bitsliced64": 6116, "vaes": None}
        rows = [replace(offered(name, default=True), code_bytes=size) for name, size in sizes.items()]
        assert [row.variant for row in rows_of_variant("smallest", rows, [16])] == ["ref"]
        assert rows_of_variant("smallest", rows[2:], [16]) == []

    @given(st.lists(st.integers(0, 2**30), min_size=1))
    def test_each_length_has_a_default(self, lengths: list[int]) -> None:
        found = default_rows(self.ROWS, lengths)
        assert found
        assert {row.variant for row in found} <= {"aesni", "vaes"}
