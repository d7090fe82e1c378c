from orchestrator.measurement.preflight.load import ProcessTime, busiest_other, parse_pressure

OWN = 10


class TestBusiestOther:
    def test_process_with_most_cpu_time_is_returned(self) -> None:
        before = {1: ProcessTime("init", 500), OWN: ProcessTime("ciphermark", 0), 30: ProcessTime("cc1plus", 70)}
        after = {
            1: ProcessTime("init", 500),
            OWN: ProcessTime("ciphermark", 90_000_000),
            30: ProcessTime("cc1plus", 20_000_070),
            40: ProcessTime("new", 80_000_000),
        }
        assert busiest_other(before, after, OWN) == ProcessTime("cc1plus", 20_000_000)

    def test_process_with_one_tick_is_not_busy(self) -> None:
        """A tick may belong to time before the observation."""
        assert busiest_other({1: ProcessTime("a", 0)}, {1: ProcessTime("a", 10_000_000)}, OWN) is None


class TestParsePressure:
    def test_avg10_of_the_line_some_is_returned(self) -> None:
        text = "some avg10=5.16 avg60=3.24 avg300=10.51 total=11651989108\nfull avg10=0.00 avg60=0.00 total=0\n"
        assert parse_pressure(text) == 5.16

    def test_missing_line_returns_none(self) -> None:
        assert parse_pressure("") is None
        assert parse_pressure("full avg10=1.00\n") is None
