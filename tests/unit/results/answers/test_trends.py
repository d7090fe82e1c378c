import math

from orchestrator.results.answers.trends import agent_trend
from orchestrator.statistics.median import ConfidenceInterval
from orchestrator.statistics.trend import Trend


def heating(per_hour: float = 0.012, hours: float = 3.0, p: float = 1e-6) -> Trend:
    return Trend(
        log_per_hour=math.log1p(per_hour), interval=ConfidenceInterval(per_hour - 0.002, per_hour + 0.002), p=p,
        hours=hours, readings=99,
    )  # fmt: skip


class TestAgentTrend:
    def test_slower_machine_is_reported_per_hour(self) -> None:
        answer = agent_trend(heating(), 0.01)
        assert answer.real
        assert answer.sentence.startswith("The machine became slower by 1.2% per hour (95 % interval 1.0% to 1.4%)")

    def test_trend_of_a_short_run_is_reported_over_the_run(self) -> None:
        answer = agent_trend(heating(per_hour=-0.3, hours=0.1), 0.01)
        assert answer.real
        assert answer.sentence.startswith("The machine became faster by 3.5% during the run (6 min 00 s)")

    def test_overflowing_hourly_change_is_absent(self) -> None:
        steep = Trend(
            log_per_hour=2500.0, interval=ConfidenceInterval(1.0, math.inf), p=1e-6, hours=1 / 3600, readings=99
        )
        answer = agent_trend(steep, 0.01)
        assert (answer.real, answer.per_hour, answer.interval) == (True, None, None)
        assert answer.sentence.startswith("The machine became slower by 100.3% during the run (1 s)")

    def test_change_within_the_noise_floor_is_no_trend(self) -> None:
        assert not agent_trend(heating(), 0.05).real
        assert not agent_trend(heating(per_hour=0.0012), None).real

    def test_insignificant_change_is_no_trend(self) -> None:
        assert not agent_trend(heating(p=0.03), 0.01).real
        assert not agent_trend(heating(per_hour=0.001, hours=20), 0.01).real

    def test_too_few_readings_have_no_trend(self) -> None:
        answer = agent_trend(None, 0.01)
        assert (answer.per_hour, answer.real) == (None, False)
        assert answer.sentence == "Too few readings: a trend needs 10 at different times."
