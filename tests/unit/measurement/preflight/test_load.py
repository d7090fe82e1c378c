from orchestrator.measurement.preflight.load import ProcessTime, busiest_other

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
