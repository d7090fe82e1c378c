"""Quantities other than times: memory and CPU time, sizes of sources, published figures; and findings on them."""

import gzip
from collections.abc import Mapping

import numpy as np
import pytest

from orchestrator.papers.exact_quantities import Published, SourceSize
from orchestrator.papers.judging.verdicts import verdicts_of
from orchestrator.papers.paper import Claim, Paper
from orchestrator.papers.quantities import Device, Missing, Ratio, Reading, SharedInput, Time
from orchestrator.papers.registry import find_paper
from orchestrator.papers.schemas import ClaimVerdict
from orchestrator.papers.statements import FixedCost, excess_of_smallest, faster
from orchestrator.results.answers.agents import AgentFacts
from orchestrator.results.answers.readings import Candidate, CandidateReadings, Input
from orchestrator.results.schemas import NoiseFloor
from orchestrator.shared.units import KIB

BLOCKS = 12
FACTS = AgentFacts("agent0000001", "pi", "pi", False, NoiseFloor(relative=0.001, reason=""), {}, {})
CIPHER = "simon-128-256-ecb"
SMALL, LARGE = Input(16, "random", "a"), Input(4096, "random", "b")
CALL = Input(16, "", "c", "encrypt", "included")


def noisy(value: float, seed: int = 1) -> np.ndarray:
    return value * np.exp(np.random.default_rng(seed).normal(0, 0.003, size=BLOCKS))


def languages(times_ms: Mapping[str, float], user_ns: float = 1e6) -> Device:
    """Return a device with the cold executions of these languages, and readings in proportion to their times."""
    process, others = {}, dict[Candidate, dict[Input, np.ndarray]]()
    for seed, (language, time_ms) in enumerate(times_ms.items()):
        one = Candidate("agent0000001", language, CIPHER, "bits", seed)
        times_ns = {SMALL: noisy(time_ms * 1e6, seed), LARGE: noisy(3 * time_ms * 1e6, 10 + seed)}
        process[one] = CandidateReadings(
            values={"pass": {given: given.length_bytes * 1e9 / ns for given, ns in times_ns.items()}}
        )
        others[one] = {given: ns * user_ns / 1e6 for given, ns in times_ns.items()} | {CALL: noisy(5.0)}
    return Device(
        FACTS, "x86_64", process, {}, {}, lambda _name, _purpose="timing": others, lambda path: f"text\n\n{path}\n"
    )


def verdict(paper: Paper, device: Device, claim: str) -> ClaimVerdict:
    found = verdicts_of(paper, device)
    return next(one for one in (*found.claims, *found.findings) if one.claim == claim)


SIMON = find_paper("simon-languages")


@pytest.mark.parametrize(("go_ms", "expected"), [(2.0, "reproduced here"), (40.0, "not reproduced here")])
def test_fastest_language_is_judged_by_time_cpu_time_and_memory(go_ms: float, expected: str) -> None:
    device = languages({"python": 30.0, "javascript": 45.0, "go": go_ms})

    for claim in ("go-time", "go-user", "go-system", "go-memory"):
        assert verdict(SIMON, device, claim).verdict == expected, claim


def test_time_and_cpu_time_of_the_same_executions_are_compared() -> None:
    """Regression: the reading had no length to share with the time, so that the finding was never measurable."""
    one = verdict(SIMON, languages({"python": 30.0, "javascript": 45.0, "go": 2.0}), "same-scope")

    assert (one.verdict, one.parts) == ("reproduced here", 3)
    assert one.estimate == pytest.approx(1.0)


def test_missing_language_is_named() -> None:
    one = verdict(SIMON, languages({"python": 30.0, "go": 2.0}), "go-user")

    assert one.verdict == "not measurable here"
    assert "javascript" in one.reason


def test_reading_below_its_resolution_is_not_replaced_by_the_larger_ones() -> None:
    device = languages({"python": 30.0, "javascript": 45.0, "go": 2.0})
    values = next(iter(device.other_readings("work_user_ns", "timing").values()))[SMALL]
    values[3] = 0.0

    with pytest.raises(Missing, match="1 executions report 0"):
        Reading("python", CIPHER, "work_user_ns", length_bytes=16).logs(device)


def test_reading_of_calls_is_apart_from_that_of_processes() -> None:
    device = languages({"python": 30.0})

    (of_calls,) = Reading("python", CIPHER, "cold_call_wall_ns", operation="encrypt").logs(device).values()
    assert np.exp(of_calls) == pytest.approx(noisy(5.0))
    assert len(Reading("python", CIPHER, "peak_rss_bytes").logs(device)) == 2
    assert Reading("python", CIPHER, "peak_rss_bytes", length_bytes=16).logs(device).keys() == {
        SharedInput(kind="random")
    }


def test_sizes_of_sources_are_those_of_the_file() -> None:
    device = languages({})
    found = {
        what: round(float(np.exp(SourceSize("a.py", what).logs(device)[SharedInput()][0])))  # type: ignore[arg-type]
        for what in ("lines", "bytes", "compressed_bytes", "disk_bytes", "compressed_disk_bytes")
    }

    assert found == {
        "lines": 2, "bytes": 11, "compressed_bytes": len(gzip.compress(b"text\n\na.py\n", 9, mtime=0)),
        "disk_bytes": 4096, "compressed_disk_bytes": 4096,
    }  # fmt: skip
    with pytest.raises(Missing, match=r"a\.py"):
        SourceSize("a.py", "lines").logs(Device(FACTS, "", {}, {}))


EMPTY = Device(FACTS, "x86_64", {}, {})


@pytest.mark.parametrize(
    ("paper", "finding", "estimate"),
    [
        # The time next to its bound: 64 bytes, 16 words of 32 · 2 cycles at 4.5 GHz.
        ("tinyjambu-compilers", "impossible", 93.7 * 4.5 / (16 * 32 * 2)),
        ("tinyjambu-compilers", "sign", 0.985),
        ("tinyjambu-compilers", "no-thousands", 329.0),
        ("simon-languages", "waiting", 1.182 / 0.0018),
        ("simon-languages", "scope", 0.0007123 / 0.000048),
        ("evalme-2021", "duration", 30.1 / (8 / 2.94)),
        ("evalme-2021", "impossible-memory", 0.36 * 2),
    ],
)
def test_findings_on_published_figures_need_no_measurement(paper: str, finding: str, estimate: float) -> None:
    one = verdict(find_paper(paper), EMPTY, finding)

    assert one.verdict == "reproduced here"
    assert one.estimate == pytest.approx(estimate, rel=0.01)
    assert one.parts_outside == 0


def test_finding_on_published_figures_can_fail() -> None:
    half, whole = Published("half", 0.5), Published("whole", 1.0)
    paper = Paper("name", "title", "authors", None, "", (Claim("a", "a", faster([(whole, half)])),), ())

    assert verdict(paper, EMPTY, "a").verdict == "not reproduced here"


@pytest.mark.parametrize(("start_up_ns", "expected"), [(2e6, "reproduced here"), (0.0, "not reproduced here")])
def test_fixed_cost_is_separated_from_the_cost_per_byte(start_up_ns: float, expected: str) -> None:
    readings = CandidateReadings()
    for seed, length in enumerate((128 * KIB, 512 * KIB, 2048 * KIB)):
        readings.values["pass"][Input(length, "random", str(length))] = (
            length * 1e9 / noisy(start_up_ns + 20 * length, seed)
        )
    device = Device(FACTS, "", {Candidate("agent0000001", "botan", "salsa20-128", "library", 1): readings}, {})
    statement = FixedCost((Time("botan", "salsa20-128", "pass"),), 0.2)
    paper = Paper("name", "title", "authors", None, "", (Claim("a", "a", statement),), ())
    one = verdict(paper, device, "a")

    assert one.verdict == expected
    assert one.estimate == pytest.approx(1 + start_up_ns / (20 * 128 * KIB), rel=0.02)


def test_excess_needs_two_lengths_and_a_rising_time() -> None:
    with pytest.raises(Missing, match="requires two"):
        excess_of_smallest({SharedInput(length_bytes=1): np.zeros(3)}, "case")
    falling = {SharedInput(length_bytes=1): np.zeros(3), SharedInput(length_bytes=2): np.full(3, -1.0)}
    assert np.isnan(excess_of_smallest(falling, "case")).all()


def test_ratio_of_quantities_is_that_of_their_shared_inputs() -> None:
    device = languages({"python": 30.0, "go": 2.0})
    above, below = (Time(one, CIPHER, "pass") for one in ("python", "go"))
    logs = Ratio(above, below, "python / go").logs(device)

    assert {point.length_bytes for point in logs} == {16, 4096}
    assert np.exp(np.median(next(iter(logs.values())))) == pytest.approx(15, rel=0.01)
    with pytest.raises(Missing, match="no block with the same input"):
        Ratio(above, Published("one", 1.0), "python / one").logs(device)
