"""Times that contradict the agent's own control workload, and the noise of stored runs, which does not."""

import json
from random import Random

import pytest

from orchestrator.results.admission.control import MIN_CHECKS, ControlCase, ControlTimes, contradiction
from orchestrator.statistics.median import summarize
from tests.support import measured_runs

MIB = 1024 * 1024
CONTROL = ControlTimes(MIB, (2.0e6, 2.1e6, 2.2e6), 1.0e6)
"""1 ms of cipher and 1 ms of everything else."""
EXECUTIONS = 10


def case(high_work_wall_ns: float, message_bytes: int = MIB) -> ControlCase:
    return ControlCase(7, "aes-128-ctr", "own", message_bytes, high_work_wall_ns)


@pytest.mark.parametrize(
    ("message_bytes", "plausible_ns", "too_fast_ns"),
    # Of the shorter input, start and buffers can take less, too.
    [(MIB, 1.65e6, 1.55e6), (4 * MIB, 4.1e6, 3.9e6), (MIB // 2, 0.45e6, 0.35e6)],
)
def test_work_below_that_of_every_health_check_is_named(
    message_bytes: int, plausible_ns: float, too_fast_ns: float
) -> None:
    assert contradiction(case(plausible_ns, message_bytes), CONTROL) is None
    finding = contradiction(case(too_fast_ns, message_bytes), CONTROL)
    assert finding is not None
    assert not finding.proven
    assert "of 3 health checks, the fastest took 2 ms for 1 MiB" in finding.detail


def test_one_fast_check_of_three_suffices_and_two_checks_decide_nothing() -> None:
    assert contradiction(case(0.9e6), ControlTimes(MIB, (2.0e6, 2.1e6, 1.0e6))) is None
    assert contradiction(case(0.5e6), ControlTimes(MIB, (2.0e6, 2.1e6))) is None


def shares_named(name: str, factor: float) -> float:
    """Return the share of simulated cases that are named, if all their times are multiplied.

    Each check has the time of one execution of a stored case, which is noisier than its median of 80; the records are
    drawn from the others.
    """
    random, named, count = Random(1), 0, 0
    kept = json.loads((measured_runs.FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    for row in kept["cases"]:
        times = list(row["call_wall_ns"])
        for _ in range(20):
            random.shuffle(times)
            checks, others = times[:MIN_CHECKS], times[MIN_CHECKS:]
            records = summarize([factor * random.choice(others) for _ in range(EXECUTIONS)])
            assert records is not None
            assert records.interval is not None
            named += contradiction(case(records.interval.high), ControlTimes(MIB, checks)) is not None
            count += 1
    return named / count


@pytest.mark.parametrize("name", measured_runs.names())
def test_noise_of_a_stored_run_is_hardly_ever_named_and_halved_times_are(name: str) -> None:
    # The two agents of one run were busy virtual machines, whose times vary by 36 %.
    is_noisy = name == "two-agents"
    assert shares_named(name, 1.0) < (0.01 if is_noisy else 0.003)
    assert shares_named(name, 0.5) > (0.3 if is_noisy else 0.9)
