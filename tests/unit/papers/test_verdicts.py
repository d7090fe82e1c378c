"""Verdicts of whole papers over readings of one device: every form of statement, the noise floor, other processors."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from orchestrator.builds.schemas import FootprintFigures
from orchestrator.papers.judging.verdicts import verdicts_of
from orchestrator.papers.quantities import CompilerFlags, Device, Missing, SharedInput, Time
from orchestrator.papers.registry import find_paper, papers
from orchestrator.papers.schemas import ClaimVerdict
from orchestrator.papers.statements import growth
from orchestrator.results.answers.agents import AgentFacts, Implementation
from orchestrator.results.answers.decision.constraints import ImplementationFacts
from orchestrator.results.answers.readings import Candidate, CandidateReadings, Input
from orchestrator.results.schemas import NoiseFloor
from orchestrator.shared.units import KIB, MIB

BLOCKS = 20
HERE, NOT_HERE, UNMEASURABLE = "reproduced here", "not reproduced here", "not measurable here"
COMPILERS = {1: CompilerFlags("gcc"), 2: CompilerFlags("clang")}


def facts(noise_floor: float = 0.001, emulated: bool = False, code: Mapping[str, int] | None = None) -> AgentFacts:
    sizes = {
        (1, "own", algorithm, variant): FootprintFigures(
            code_bytes=size, static_ram_bytes=None, context_bytes=None, stack_bytes=None, reason=""
        )
        for (algorithm, variant), size in zip(LIGHTWEIGHT, (code or {}).values(), strict=False)
    }  # fmt: skip
    floor = NoiseFloor(relative=noise_floor, reason="")
    return AgentFacts("agent0000001", "pi", "pi", emulated, floor, {}, sizes, implementations=listed(*LIGHTWEIGHT))


def listed(*names: tuple[str, str]) -> dict[Implementation, ImplementationFacts]:
    """Return the listing of a build by gcc: these variants are portable, and a vector variant of each cipher is not."""
    found = {(1, "own", *name): ImplementationFacts("block-mode", 16, 0, None) for name in names}
    vectors = {
        (1, "own", algorithm, "avx512"): ImplementationFacts("block-mode", 16, 0, None, requires=("avx512f",))
        for algorithm, _ in names
    }
    return found | vectors


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
            time_ns = (500.0 + 2 * length) * (clang if compiler.compiler == "clang" else 1.0)
            readings.values["call"][given] = noisy(time_ns, 100 * place + seed)
        latency[Candidate("agent0000001", "own", f"tinyjambu-{bits}", "scalar", build)] = readings
    return Device(facts(noise_floor), "x86_64", {}, latency, COMPILERS)


def claim(paper: str, device: Device, name: str) -> ClaimVerdict:
    return next(one for one in verdicts_of(find_paper(paper), device).claims if one.claim == name)


PUBLISHED_LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096)
PI_4 = "Raspberry Pi 4 Model B Rev 1.1"
LAPTOP = "Intel(R) Core(TM) i7-9750H CPU @ 2.60GHz"


def as_published(device: Device, *, flags: str = "-O3", model: str = LAPTOP, lengths: tuple[int, ...]) -> Device:
    """Return a device with the flags, the model and the lengths of the publication on compilers, or with others."""
    for readings in device.latency.values():
        for given, values in tuple(readings.values["call"].items()):
            readings.values["call"].update({replace(given, length_bytes=one): values for one in lengths})
            if given.length_bytes not in lengths:
                del readings.values["call"][given]
        readings.counts.ok, readings.counts.disturbed = 40, 30
    builds = {number: CompilerFlags(one.compiler, f"{one.compiler} 14", flags) for number, one in COMPILERS.items()}
    return replace(device, builds=builds, facts=replace(device.facts, model=model))


class TestReach:
    """Regression: verdicts went beyond their evidence (F102)."""

    def test_failed_claim_is_contradicted_with_device_lengths_and_flags_of_the_publication(self) -> None:
        one = claim("tinyjambu-compilers", as_published(tinyjambu(1.07), lengths=PUBLISHED_LENGTHS), "clang-faster")

        assert one.verdict == "contradicted"
        assert one.differences == ["code: our own code instead of the measured library, which passes no known answer"]
        assert one.sentence.startswith("Contradicted; differs from the publication in code: our own code")

    @pytest.mark.parametrize(("difference", "words"), [
        ({"flags": "-O2"}, "flags: -O2 by clang 14, -O2 by gcc 14 (publication: -O3 by GCC 10.5 and Clang 10)"),
        ({"flags": "-O3 -march=native"}, "flags: -O3 -march=native by clang 14"),
        ({"model": "AMD EPYC 9354"}, "processor: AMD EPYC 9354, x86_64 (publication: Intel Core i7-9750H"),
        ({"lengths": PUBLISHED_LENGTHS[:2]}, "lengths left out: 256 B, 512 B, 1 KiB, 2 KiB, 4 KiB"),
    ])  # fmt: skip
    def test_claim_that_fails_elsewhere_is_not_reproduced_here_and_names_the_difference(
        self, difference: dict[str, Any], words: str
    ) -> None:
        device = as_published(tinyjambu(1.07), **{"lengths": PUBLISHED_LENGTHS, **difference})
        one = claim("tinyjambu-compilers", device, "clang-faster")

        assert one.verdict == NOT_HERE
        assert words in one.sentence
        assert any(words in named for named in one.differences)

    def test_sentence_names_the_disturbed_share_and_the_noise_floor(self) -> None:
        device = as_published(tinyjambu(0.5, noise_floor=0.186), lengths=PUBLISHED_LENGTHS)
        found = verdicts_of(find_paper("tinyjambu-compilers"), device)

        assert {one.claim: one.verdict for one in found.claims}["clang-faster"] == HERE
        assert found.noise == "180 of 240 executions were disturbed (75%). Noise floor: 18.6%."
        assert found.claims[0].sentence.endswith(found.noise)
        assert (found.ok, found.disturbed) == (240, 180)

    def test_length_that_the_publication_does_not_have_decides_no_claim(self) -> None:
        device = evalme(botan_start_up_ns=4e6)
        for candidate, readings in device.process.items():
            if candidate.provider == "cryptopp":
                for given, values in tuple(readings.values["pass"].items()):
                    readings.values["pass"][replace(given, length_bytes=2 * MIB)] = values / 100

        one = claim("evalme-2021", device, "cryptopp-over-botan")
        assert one.verdict == HERE
        assert "lengths left out: 256 KiB, 512 KiB, 8 MiB" in one.differences

    def test_flags_of_installed_libraries_are_not_those_of_the_publication(self) -> None:
        measured = evalme(0.0, text=1.2)
        pi = replace(measured, architecture="armv7l", facts=replace(measured.facts, model=PI_4))
        found = verdicts_of(find_paper("evalme-2021"), pi)
        (one,) = (claim for claim in found.claims if claim.claim == "kind-of-input")

        assert one.verdict == NOT_HERE
        assert not any(named.startswith("processor") for named in one.differences)
        assert any("cryptopp as installed" in named for named in one.differences)
        assert [named.partition(":")[0] for named in found.differences] == ["flags", "lengths left out", "code"]

    def test_virtual_machine_is_no_device_of_a_publication_unless_the_publication_names_one(self) -> None:
        """Regression: a guest that shows its host's processor contradicted publications about that processor."""
        pi = replace(evalme(0.0), architecture="armv7l", facts=replace(facts(), model=PI_4), virtual_machine="KVM")
        named = verdicts_of(find_paper("evalme-2021"), pi).differences
        words = (
            "processor: Raspberry Pi 4 Model B Rev 1.1, armv7l, in a virtual machine (KVM) (publication: Raspberry Pi"
        )
        assert named[0].startswith(words)

        guest = replace(as_published(tinyjambu(1.07), lengths=PUBLISHED_LENGTHS), virtual_machine="KVM")
        assert claim("tinyjambu-compilers", guest, "clang-faster").verdict == "contradicted"

    def test_sizes_of_sources_depend_on_no_device(self) -> None:
        device = replace(evalme(0.0), read_source=lambda path: "line\n" * (9 if "python" in path else 3))
        one = claim("simon-languages", device, "python-lines")

        assert one.verdict == NOT_HERE
        assert one.differences == ["code: our own programs, because those of the publication are not published"]


def decisions(paper: str, device: Device) -> dict[str, str]:
    return {one.claim: one.verdict for one in verdicts_of(find_paper(paper), device).claims}


@pytest.mark.parametrize(("clang", "verdict"), [(0.93, HERE), (1.07, NOT_HERE), (1.0, NOT_HERE)])
def test_faster_compiler(clang: float, verdict: str) -> None:
    assert decisions("tinyjambu-compilers", tinyjambu(clang))["clang-faster"] == verdict


def test_difference_below_the_noise_floor_decides_nothing() -> None:
    one = claim("tinyjambu-compilers", tinyjambu(0.97, 0.1), "clang-faster")

    assert (one.verdict, one.repetitions) == ("inconclusive", None)
    assert "repetitions do not reduce" in one.reason


def test_measured_parts_refute_and_never_confirm_an_incomplete_claim() -> None:
    assert decisions("tinyjambu-compilers", tinyjambu(1.07, keys=(128,)))["clang-faster"] == NOT_HERE
    assert decisions("tinyjambu-compilers", tinyjambu(0.93, keys=(128,)))["clang-faster"] == UNMEASURABLE


def test_wrong_results_do_not_leave_the_inputs_that_are_fast() -> None:
    device = tinyjambu(0.93)
    readings = next(iter(device.latency.values()))
    given = next(iter(readings.values["call"]))
    readings.values["call"][given] = np.full(BLOCKS, np.nan)
    assert decisions("tinyjambu-compilers", device)["clang-faster"] == HERE

    readings.counts.wrong = BLOCKS
    one = claim("tinyjambu-compilers", device, "clang-faster")
    assert one.verdict == UNMEASURABLE
    assert f"{BLOCKS} wrong or disputed executions" in one.reason


def test_published_figures_below_the_lower_bound_are_far_from_the_measured_ones() -> None:
    figures = {one.label: one for one in verdicts_of(find_paper("tinyjambu-compilers"), tinyjambu(1.0)).figures}
    one = figures["TinyJAMBU-128, encryption of 4096 bytes, GCC"]

    assert one.measured == pytest.approx(500 + 2 * 4096, rel=0.01)
    assert one.ratio == pytest.approx((500 + 2 * 4096) / 998, rel=0.01)


def encryptions(
    times_ns: Mapping[tuple[str, str], float], given: Input, seed: int = 0
) -> dict[Candidate, CandidateReadings]:
    """Return readings of these algorithms and variants by one build."""
    return {
        Candidate("agent0000001", "own", *name, 1): CandidateReadings(values={"call": {given: noisy(ns, number)}})
        for number, (name, ns) in enumerate(times_ns.items(), start=seed)
    }


def lightweight(architecture: str = "x86_64", **how: object) -> Device:
    given = Input(16, "", "", "encrypt", "included")
    latency = encryptions(LIGHTWEIGHT, given)
    return Device(facts(**how), architecture, {}, latency, COMPILERS)  # type: ignore[arg-type]


def test_claims_of_the_desktop_hold_for_the_published_times() -> None:
    code = {"ascon": 9760, "present": 6384, "simon": 6016, "speck": 4784, "aes": 11696}
    found = decisions("lightweight-pi", lightweight(code=code))

    assert found == {
        "desktop-speck-fastest": HERE, "desktop-simon-over-aes": HERE, "desktop-ascon-like-aes": HERE,
        "desktop-present-slowest": HERE, "pi-order": UNMEASURABLE, "speck-smallest": HERE,
        "aes-largest": HERE, "memory": UNMEASURABLE,
    }  # fmt: skip


def test_code_sizes_are_judged_without_repetitions() -> None:
    code = {"ascon": 1000, "present": 900, "simon": 800, "speck": 850, "aes": 700}
    found = decisions("lightweight-pi", lightweight(code=code))

    assert (found["speck-smallest"], found["aes-largest"]) == (NOT_HERE, NOT_HERE)


def test_claims_about_another_processor_and_emulated_agents_are_not_measurable() -> None:
    assert decisions("lightweight-pi", lightweight("aarch64"))["pi-order"] == NOT_HERE
    assert decisions("lightweight-pi", lightweight("aarch64"))["desktop-simon-over-aes"] == UNMEASURABLE
    emulated = verdicts_of(find_paper("lightweight-pi"), lightweight(emulated=True)).claims
    assert {one.verdict for one in emulated} == {UNMEASURABLE}
    assert all("emulated" in one.reason for one in emulated)
    device = lightweight()
    liar = replace(device, facts=replace(device.facts, withdrawn=True))
    withdrawn = verdicts_of(find_paper("lightweight-pi"), liar).claims
    assert {one.verdict for one in withdrawn} == {UNMEASURABLE}
    assert all("withdrawn" in one.reason for one in withdrawn)


def choices(aes: float, ascon: float = 1300.0) -> Device:
    """Return a desktop on which the other portable variants of AES and of Ascon take these nanoseconds."""
    device, given = lightweight(), Input(16, "", "", "encrypt", "included")
    more = {("aes-256-ecb", "bitsliced64"): aes, ("ascon-aead128", "opt32"): ascon, ("aes-256-ecb", "avx512"): 1.0}
    latency = encryptions(more, given, seed=50)
    names = (*LIGHTWEIGHT, *(name for name in more if name[1] != "avx512"))
    known = replace(device.facts, implementations=listed(*names))
    return replace(device, facts=known, latency={**device.latency, **latency})


class TestChoices:
    """Regression: a hand-written table chose the variants that decided the claims (F103)."""

    @pytest.mark.parametrize(("aes", "ascon", "verdict", "reproduced"), [
        (1305.0, 1300.0, HERE, 4), (4244.0, 1300.0, "inconclusive", 2), (4244.0, 4250.0, "inconclusive", 2),
    ])  # fmt: skip
    def test_claim_is_judged_for_each_choice_of_portable_variants(
        self, aes: float, ascon: float, verdict: str, reproduced: int
    ) -> None:
        one = claim("lightweight-pi", choices(aes, ascon), "desktop-ascon-like-aes")

        assert (one.verdict, one.choices, one.choices_reproduced) == (verdict, 4, reproduced)
        assert f"of 4 choices of portable variants, reproduced here for {reproduced}" in (one.sentence or one.reason)

    def test_claim_that_fails_for_each_choice_is_not_reproduced(self) -> None:
        one = claim("lightweight-pi", choices(aes=100.0, ascon=50.0), "desktop-speck-fastest")
        assert one.verdict == "inconclusive"

        slow = choices(aes=100.0)
        readings = slow.latency[Candidate("agent0000001", "own", "speck-64-128-ecb", "words", 1)]
        readings.values["call"].update({given: 10 * values for given, values in readings.values["call"].items()})
        failed = claim("lightweight-pi", slow, "desktop-speck-fastest")
        assert (failed.verdict, failed.choices, failed.choices_reproduced) == (NOT_HERE, 2, 0)
        assert failed.estimate is not None
        assert "of 2 choices of portable variants, not reproduced here for 2" in failed.sentence

    def test_listed_variant_that_was_not_measured_is_named(self) -> None:
        device = choices(aes=1305.0)
        del device.latency[Candidate("agent0000001", "own", "aes-256-ecb", "bitsliced64", 1)]
        one = claim("lightweight-pi", device, "desktop-ascon-like-aes")

        assert one.verdict == UNMEASURABLE
        assert "bitsliced64" in one.reason

    def test_figure_is_that_of_the_fastest_portable_variant(self) -> None:
        found = {one.label: one for one in verdicts_of(find_paper("lightweight-pi"), choices(aes=800.0)).figures}
        assert found["AES-256, desktop"].measured == pytest.approx(800.0, rel=0.01)

    @pytest.mark.parametrize(("ref64", "verdict", "reproduced"), [(900.0, HERE, 4), (1900.0, "inconclusive", 3)])
    def test_software_only_means_each_choice_of_portable_variants(
        self, ref64: float, verdict: str, reproduced: int
    ) -> None:
        times = {
            ("aes-128-gcm", "ref"): 4000.0, ("aes-128-gcm", "bitsliced64"): 2400.0,
            ("chacha20-poly1305", "ref32"): 1000.0, ("chacha20-poly1305", "ref64"): ref64,
        }  # fmt: skip
        given = Input(KIB, "", "", "encrypt")
        latency = encryptions(times, given)
        known = replace(facts(), implementations=listed(*times))
        one = claim("chacha20-rfc", Device(known, "aarch64", {}, latency, COMPILERS), "faster-in-software")

        assert (one.verdict, one.choices, one.choices_reproduced) == (verdict, 4, reproduced)


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
            readings.values["pass"][Input(length, kind, kind)] = length * 1e9 / noisy(time_ns, 100 * place + seed)
        process[Candidate("agent0000001", library, algorithm, "library", 1)] = readings
    return Device(facts(), "aarch64", process, {}, {1: CompilerFlags("gcc")})


def test_claims_of_evalme() -> None:
    found = decisions("evalme-2021", evalme(botan_start_up_ns=4e6))

    assert found == {
        "aes-over-3des": HERE, "cryptopp-over-botan": HERE, "chacha20-fastest-cryptopp": HERE,
        "aes-over-streams-botan": NOT_HERE, "larger-faster-botan": HERE, "larger-not-faster-cryptopp": HERE,
        "key-length": HERE, "kind-of-input": HERE, "memory": UNMEASURABLE,
        "o3-not-fastest": UNMEASURABLE,
    }  # fmt: skip
    changed = decisions("evalme-2021", evalme(botan_start_up_ns=0.0, text=1.2))
    assert (changed["larger-faster-botan"], changed["kind-of-input"]) == (NOT_HERE, NOT_HERE)


def test_growth_is_the_slope_per_doubling() -> None:
    logs = {SharedInput(length_bytes=KIB << n): np.full(6, -0.1 * n) for n in range(4)}
    slopes, doublings = growth(logs, "case")

    assert slopes == pytest.approx(np.full(6, 0.1))
    assert doublings == 3
    with pytest.raises(Missing, match="requires two"):
        growth({SharedInput(length_bytes=KIB): np.zeros(6)}, "case")


def test_several_fitting_implementations_are_not_chosen_from() -> None:
    with pytest.raises(Missing, match="2 implementations or builds"):
        Time("own", "tinyjambu-128").logs(tinyjambu(1.0))


def test_every_claim_of_every_paper_names_what_an_empty_run_lacks() -> None:
    empty = Device(facts(), "aarch64", {}, {}, {})
    for paper in papers().values():
        for one in verdicts_of(paper, empty).claims:
            assert one.verdict == UNMEASURABLE, one
            assert one.reason
