import math

from orchestrator.results.answers.trends import told
from orchestrator.statistics.median import Interval
from orchestrator.statistics.trend import Trend


def heating(per_hour: float = 0.012, hours: float = 3.0, p: float = 1e-6) -> Trend:
    return Trend(
        log_per_hour=math.log1p(per_hour), interval=Interval(per_hour - 0.002, per_hour + 0.002), p=p, hours=hours,
        readings=99,
    )  # fmt: skip


class TestTold:
    def test_a_machine_that_got_slower_is_told_by_the_hour(self) -> None:
        answer = told(heating(), 0.01)
        assert answer.real
        assert answer.sentence.startswith("The machine got slower by 1.2% an hour (95 % interval 1.0% to 1.4%)")

    def test_a_short_run_is_told_as_a_whole(self) -> None:
        answer = told(heating(per_hour=-0.3, hours=0.1), 0.01)
        assert answer.real
        assert answer.sentence.startswith("The machine got faster by 3.5% over the run (6 min 00 s)")

    def test_what_no_number_holds_is_absent(self) -> None:
        steep = Trend(log_per_hour=2500.0, interval=Interval(1.0, math.inf), p=1e-6, hours=1 / 3600, readings=99)
        answer = told(steep, 0.01)
        assert (answer.real, answer.per_hour, answer.interval) == (True, None, None)
        assert answer.sentence.startswith("The machine got slower by 100.3% over the run (1 s)")

    def test_what_the_noise_floor_explains_is_no_trend(self) -> None:
        assert not told(heating(), 0.05).real
        assert not told(heating(per_hour=0.0012), None).real

    def test_what_chance_explains_is_no_trend(self) -> None:
        assert not told(heating(p=0.03), 0.01).real
        assert not told(heating(per_hour=0.001, hours=20), 0.01).real

    def test_too_few_readings_say_so(self) -> None:
        answer = told(None, 0.01)
        assert (answer.per_hour, answer.real) == (None, False)
        assert "Fewer than 10 readings" in answer.sentence
