"""Verdicts of whole papers over readings of one device: every form of statement, the noise floor, other processors."""

from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest

from orchestrator.builds.schemas import FootprintFigures
from orchestrator.papers.quantities import Device, Missing, Point, Time
from orchestrator.papers.registry import find_paper, papers
from orchestrator.papers.statements import growth
from orchestrator.papers.verdicts import verdicts_of
from orchestrator.results.answers.agents import AgentFacts
from orchestrator.results.answers.readings import Candidate, CandidateReadings, Input
from orchestrator.results.schemas import NoiseFloor
from orchestrator.units import KIB, MIB

BLOCKS = 20
COMPILERS = {1: "gcc", 2: "clang"}


def facts(noise_floor: float = 0.001, emulated: bool = False, code: Mapping[str, int] | None = None) -> AgentFacts:
    sizes = {
        (1, "own", algorithm, variant): FootprintFigures(
            code_bytes=size, static_ram_bytes=None, context_bytes=None, key_setup_stack_bytes=None,
            encrypt_stack_bytes=None, decrypt_stack_bytes=None, reason="",
        )
        for (algorithm, variant), size in zip(LIGHTWEIGHT, (code or {}).values(), strict=False)
    }  # fmt: skip
    return AgentFacts("agent0000001", "pi", "pi", emulated, NoiseFloor(relative=noise_floor, reason=""), {}, sizes)


LIGHTWEIGHT = {
    ("ascon-aead128", "opt64"): 1300.0,
    ("present-80-ecb", "bitsliced64"): 3400.0,
    ("simon-64-128-ecb", "words"): 520.0,
    ("speck-64-128-ecb", "words"): 360.0,
    ("aes-256-ecb", "ref"): 1305.0,
}


def noisy(values: np.ndarray | float, seed: int) -> np.ndarray:
    return values * np.exp(np.random.default_rng(seed).normal(0, 0.003, size=BLOCKS))


def tinyjambu(clang: float, noise_floor: float = 0.001, keys: tuple[int, ...] = (128, 192, 256)) -> Device:
    """Return a device whose builds by clang take `clang` times as long as those by gcc."""
    latency = {}
    for place, (bits, (build, compiler)) in enumerate(product(keys, COMPILERS.items())):
        readings = CandidateReadings()
        for seed, (operation, length) in enumerate(product(("encrypt", "decrypt"), (64, 4096))):
            given = Input(length, "", "", operation, "included", 32)
            time_ns = (500.0 + 2 * length) * (clang if compiler == "clang" else 1.0)
            readings.call[given] = noisy(time_ns, 100 * place + seed)
        latency[Candidate("agent0000001", "own", f"tinyjambu-{bits}", "scalar", build)] = readings
    return Device(facts(noise_floor), "x86_64", {}, latency, COMPILERS)


def decisions(paper: str, device: Device) -> dict[str, str]:
    return {one.claim: one.verdict for one in verdicts_of(find_paper(paper), device).claims}


@pytest.mark.parametrize(("clang", "verdict"), [(0.93, "holds"), (1.07, "refuted"), (1.0, "refuted")])
def test_faster_compiler(clang: float, verdict: str) -> None:
    assert decisions("tinyjambu-compilers", tinyjambu(clang))["clang-faster"] == verdict


def test_difference_below_the_noise_floor_decides_nothing() -> None:
    (one,) = [claim for claim in verdicts_of(find_paper("tinyjambu-compilers"), tinyjambu(0.97, 0.1)).claims
              if claim.claim == "clang-faster"]  # fmt: skip

    assert (one.verdict, one.repetitions) == ("inconclusive", None)
    assert "repetitions do not reduce" in one.reason


def test_measured_parts_refute_and_never_confirm_an_incomplete_claim() -> None:
    assert decisions("tinyjambu-compilers", tinyjambu(1.07, keys=(128,)))["clang-faster"] == "refuted"
    assert decisions("tinyjambu-compilers", tinyjambu(0.93, keys=(128,)))["clang-faster"] == "not measurable here"


def test_wrong_results_do_not_leave_the_inputs_that_are_fast() -> None:
    device = tinyjambu(0.93)
    readings = next(iter(device.latency.values()))
    given = next(iter(readings.call))
    readings.call[given] = np.full(BLOCKS, np.nan)
    assert decisions("tinyjambu-compilers", device)["clang-faster"] == "holds"

    readings.counts.wrong = BLOCKS
    (one,) = [claim for claim in verdicts_of(find_paper("tinyjambu-compilers"), device).claims
              if claim.claim == "clang-faster"]  # fmt: skip
    assert one.verdict == "not measurable here"
    assert f"{BLOCKS} wrong or disputed executions" in one.reason


def test_published_figures_below_the_lower_bound_are_far_from_the_measured_ones() -> None:
    figures = {one.label: one for one in verdicts_of(find_paper("tinyjambu-compilers"), tinyjambu(1.0)).figures}
    one = figures["TinyJAMBU-128, encryption of 4096 bytes, GCC"]

    assert one.measured == pytest.approx(500 + 2 * 4096, rel=0.01)
    assert one.ratio == pytest.approx((500 + 2 * 4096) / 998, rel=0.01)


def lightweight(architecture: str = "x86_64", **how: object) -> Device:
    given = Input(16, "", "", "encrypt", "included")
    latency = {
        Candidate("agent0000001", "own", *name, 1): CandidateReadings(call={given: noisy(ns, seed)})
        for seed, (name, ns) in enumerate(LIGHTWEIGHT.items())
    }
    return Device(facts(**how), architecture, {}, latency, COMPILERS)  # type: ignore[arg-type]


def test_claims_of_the_desktop_hold_for_the_published_times() -> None:
    code = {"ascon": 9760, "present": 6384, "simon": 6016, "speck": 4784, "aes": 11696}
    found = decisions("lightweight-pi", lightweight(code=code))

    assert found == {
        "desktop-speck-fastest": "holds", "desktop-simon-over-aes": "holds", "desktop-ascon-like-aes": "holds",
        "desktop-present-slowest": "holds", "pi-order": "not measurable here", "speck-smallest": "holds",
        "aes-largest": "holds", "memory": "not measurable here",
    }  # fmt: skip


def test_code_sizes_are_judged_without_repetitions() -> None:
    code = {"ascon": 1000, "present": 900, "simon": 800, "speck": 850, "aes": 700}
    found = decisions("lightweight-pi", lightweight(code=code))

    assert (found["speck-smallest"], found["aes-largest"]) == ("refuted", "refuted")


def test_claims_about_another_processor_and_emulated_agents_are_not_measurable() -> None:
    assert decisions("lightweight-pi", lightweight("aarch64"))["pi-order"] == "refuted"
    assert decisions("lightweight-pi", lightweight("aarch64"))["desktop-simon-over-aes"] == "not measurable here"
    emulated = verdicts_of(find_paper("lightweight-pi"), lightweight(emulated=True)).claims
    assert {one.verdict for one in emulated} == {"not measurable here"}
    assert all("emulated" in one.reason for one in emulated)


def evalme(botan_start_up_ns: float, text: float = 1.0) -> Device:
    """Return a device with T(n) = a + b·n: ChaCha20 and AES of both libraries, and other kinds of input."""
    process = {}
    algorithms = [f"{cipher}-192-{mode}" for cipher in ("3des", "aes") for mode in ("cbc", "ofb", "ctr", "cfb")]
    algorithms += [f"{cipher}-{bits}" for cipher in ("salsa20", "chacha20") for bits in (128, 256)]
    for place, (library, algorithm) in enumerate(product(("cryptopp", "botan"), algorithms)):
        readings = CandidateReadings()
        per_byte = 40.0 if algorithm.startswith("3des") else 1.0 if algorithm.startswith("chacha20") else 2.0
        start_up_ns = botan_start_up_ns if library == "botan" else 0.0
        for seed, (kind, length) in enumerate(product(("random", "audio", "video", "text"), (128 * KIB, MIB, 4 * MIB))):
            time_ns = start_up_ns + per_byte * length * (1.2 if library == "botan" else 1.0)
            time_ns *= text if kind == "text" else 1.0
            readings.whole_pass[Input(length, kind, kind)] = length * 1e9 / noisy(time_ns, 100 * place + seed)
        process[Candidate("agent0000001", library, algorithm, "library", 1)] = readings
    return Device(facts(), "aarch64", process, {}, {1: "gcc"})


def test_claims_of_evalme() -> None:
    found = decisions("evalme-2021", evalme(botan_start_up_ns=4e6))

    assert found == {
        "aes-over-3des": "holds", "cryptopp-over-botan": "holds", "chacha20-fastest-cryptopp": "holds",
        "aes-over-streams-botan": "refuted", "larger-faster-botan": "holds", "larger-not-faster-cryptopp": "holds",
        "key-length": "holds", "kind-of-input": "holds", "memory": "not measurable here",
        "o3-not-fastest": "not measurable here",
    }  # fmt: skip
    changed = decisions("evalme-2021", evalme(botan_start_up_ns=0.0, text=1.2))
    assert (changed["larger-faster-botan"], changed["kind-of-input"]) == ("refuted", "refuted")


def test_growth_is_the_slope_per_doubling() -> None:
    logs = {Point(length_bytes=KIB << n): np.full(6, -0.1 * n) for n in range(4)}
    slopes, doublings = growth(logs, "case")

    assert slopes == pytest.approx(np.full(6, 0.1))
    assert doublings == 3
    with pytest.raises(Missing, match="requires two"):
        growth({Point(length_bytes=KIB): np.zeros(6)}, "case")


def test_several_fitting_implementations_are_not_chosen_from() -> None:
    with pytest.raises(Missing, match="2 implementations or builds"):
        Time("own", "tinyjambu-128").logs(tinyjambu(1.0))


def test_every_claim_of_every_paper_names_what_an_empty_run_lacks() -> None:
    empty = Device(facts(), "aarch64", {}, {}, {})
    for paper in papers().values():
        for one in verdicts_of(paper, empty).claims:
            assert one.verdict == "not measurable here", one
            assert one.reason
