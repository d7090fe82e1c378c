from orchestrator.measurement.machine.clocks import ClockOffsets, judge_clocks, read_clocks

SECOND_NS = 10**9


class TestJudgeClocks:
    def test_clocks_that_kept_their_distance_say_nothing(self) -> None:
        found = judge_clocks(ClockOffsets(5, 7), ClockOffsets(5, 7))

        assert found.marks == []
        assert found.readings == {"clock_set_ns": 0, "suspended_ns": 0}

    def test_a_small_step_is_read_and_no_jump(self) -> None:
        assert judge_clocks(ClockOffsets(0, 0), ClockOffsets(500_000, 0)).marks == []

    def test_a_time_of_day_that_was_set_back_is_a_jump(self) -> None:
        found = judge_clocks(ClockOffsets(SECOND_NS, 0), ClockOffsets(0, 0))

        assert found.marks == ["time-jump"]
        assert found.readings["clock_set_ns"] == -SECOND_NS

    def test_a_machine_that_slept_is_a_jump_although_nobody_set_the_time(self) -> None:
        found = judge_clocks(ClockOffsets(0, 0), ClockOffsets(SECOND_NS, SECOND_NS))

        assert found.marks == ["time-jump"]
        assert found.readings == {"clock_set_ns": 0, "suspended_ns": SECOND_NS}


def test_reading_the_clocks_twice_finds_no_jump() -> None:
    assert judge_clocks(read_clocks(), read_clocks()).marks == []
