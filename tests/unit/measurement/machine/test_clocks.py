from orchestrator.measurement.machine.clocks import ClockOffsets, judge_clocks, read_clocks

SECOND_NS = 10**9


class TestJudgeClocks:
    def test_small_step_is_reported_but_not_marked(self) -> None:
        assert judge_clocks(ClockOffsets(0, 0), ClockOffsets(500_000, 0)).marks == []

    def test_set_time_of_day_is_marked(self) -> None:
        found = judge_clocks(ClockOffsets(SECOND_NS, 0), ClockOffsets(0, 0))

        assert found.marks == ["time-jump"]
        assert found.readings["clock_set_ns"] == -SECOND_NS

    def test_suspended_machine_is_marked_although_the_time_was_not_set(self) -> None:
        found = judge_clocks(ClockOffsets(0, 0), ClockOffsets(SECOND_NS, SECOND_NS))

        assert found.marks == ["time-jump"]
        assert found.readings == {"clock_set_ns": 0, "suspended_ns": SECOND_NS}


def test_two_readings_of_this_machine_show_no_jump() -> None:
    assert judge_clocks(read_clocks(), read_clocks()).marks == []
