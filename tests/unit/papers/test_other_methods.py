"""EvalMe's method next to ours: memory of a polled shell, and false differences in blocked order."""

import numpy as np
import pytest

from orchestrator.papers.judging.verdicts import verdicts_of
from orchestrator.papers.quantities import CompilerFlags, Device, OtherReadings
from orchestrator.papers.registry import find_paper
from orchestrator.papers.schemas import ClaimVerdict
from orchestrator.results.answers.agents import AgentFacts
from orchestrator.results.answers.readings import Candidate, Input, ReadingName
from orchestrator.results.schemas import NoiseFloor
from orchestrator.shared.units import KIB, MIB
from orchestrator.wire.jobs import Purpose

BLOCKS, COPIES = 12, 200
FACTS = AgentFacts("agent0000001", "pi", "pi", False, NoiseFloor(relative=0.001, reason=""), {}, {})
SMALL, LARGE = Input(128 * KIB, "random", "a"), Input(8 * MIB, "random", "b")
WATCHED = [("cryptopp", one) for one in ("3des-192-cbc", "aes-192-cbc", "chacha20-128")] + [
    ("botan", one) for one in ("3des-192-cbc", "aes-192-cbc", "chacha20-128")
]


def finding(device: Device, name: str) -> ClaimVerdict:
    found = verdicts_of(find_paper("evalme-2021"), device)
    return next(one for one in found.findings if one.claim == name)


def device_of(readings: dict[tuple[ReadingName, Purpose], OtherReadings]) -> Device:
    return Device(
        FACTS, "x86_64", {}, {}, {1: CompilerFlags("gcc")},
        lambda name, purpose="timing": readings.get((name, purpose), {}),
    )  # fmt: skip


def copies(steps: float, seed: int) -> OtherReadings:
    """Return times of copies of one case; each case is measured at a speed of the machine that varies by `steps`."""
    generator = np.random.default_rng(seed)
    return {
        Candidate("agent0000001", "botan", "aes-192-cbc", "library", 1, copy): {
            SMALL: 1e7 * np.exp(generator.normal(0, steps) + generator.normal(0, 0.01, size=BLOCKS))
        }
        for copy in range(1, COPIES + 1)
    }


@pytest.mark.parametrize(("steps", "verdict"), [(0.01, "reproduced here"), (0.0, "inconclusive")])
def test_more_false_differences_in_blocked_order_are_found(steps: float, verdict: str) -> None:
    device = device_of({("work_wall_ns", "timing"): copies(0.0, 1), ("work_wall_ns", "blocked"): copies(steps, 2)})
    one = finding(device, "blocked-order")

    assert one.verdict == verdict
    assert f"of {COPIES // 2} pairs" in one.part
    assert one.estimate is not None
    assert one.interval is not None
    assert one.interval.low < one.estimate <= one.interval.high


def test_order_that_has_the_opposite_effect_refutes() -> None:
    device = device_of({("work_wall_ns", "timing"): copies(0.02, 1), ("work_wall_ns", "blocked"): copies(0.0, 2)})

    assert finding(device, "blocked-order").verdict == "not reproduced here"


@pytest.mark.parametrize("with_blocked", [False, True])
def test_run_without_blocked_order_or_copies_is_not_judged(with_blocked: bool) -> None:
    one_copy = dict(list(copies(0.0, 1).items())[:1])
    orders: list[Purpose] = ["timing", "blocked"] if with_blocked else ["timing"]
    one = finding(device_of({("work_wall_ns", order): one_copy for order in orders}), "blocked-order")

    assert one.verdict == "not measurable here"
    assert ("no copies of a case" if with_blocked else "plans/evalme-2021-order.yaml") in one.reason


def memory(of_small: float, of_large: float) -> OtherReadings:
    generator = np.random.default_rng(3)
    return {
        Candidate("agent0000001", *one, "library", 1): {
            given: size * np.exp(generator.normal(0, 0.002, size=BLOCKS))
            for given, size in ((SMALL, of_small), (LARGE, of_large))
        }
        for one in WATCHED
    }


@pytest.mark.parametrize(
    ("polled_large", "watching", "file"),
    [(1.7e6, "reproduced here", "reproduced here"), (2.7e7, "not reproduced here", "not reproduced here")],
)
def test_polled_shell_and_program_of_the_same_executions_are_compared(
    polled_large: float, watching: str, file: str
) -> None:
    polled = memory(1.7e6 if polled_large < 1e7 else 7e6, polled_large)
    device = device_of({("shell_mean_rss_bytes", "shell"): polled, ("peak_rss_bytes", "shell"): memory(7e6, 2.8e7)})

    assert finding(device, "watching-the-shell").verdict == watching
    assert finding(device, "watching-sees-no-file").verdict == file
    assert finding(device, "program-needs-more").verdict == "reproduced here"


def test_run_without_a_shell_names_what_is_missing() -> None:
    one = finding(device_of({("peak_rss_bytes", "timing"): memory(7e6, 2.8e7)}), "watching-the-shell")

    assert one.verdict == "not measurable here"
    assert "(shell executions)" in one.reason
