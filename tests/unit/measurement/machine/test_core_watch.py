from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.measurement.machine.core_watch import CoreState, CoreTimes, CoreWatch, Work, judge, parse_core_times
from orchestrator.measurement.machine.proc_files import TICK_NS
from tests.support.paths import FIXTURES

QUIET = Work(
    process_wall_ns=10**9, process_cpu_ns=10**9, major_faults=0, involuntary_switches=0, voluntary_switches=1,
    migrations=0,
)  # fmt: skip
SHORT = replace(QUIET, process_wall_ns=60_000_000, process_cpu_ns=60_000_000)


def core(busy_ns: int = 0, stolen_ns: int = 0, frequency_hz: int | None = None) -> CoreState:
    return CoreState(CoreTimes(busy_ns, stolen_ns), frequency_hz)


class TestParseCoreTimes:
    def test_recorded_file_is_parsed(self) -> None:
        content = (FIXTURES / "proc" / "stat").read_bytes()

        second = parse_core_times(content, 1)

        assert second is not None
        assert second.busy_ns > 0
        assert second != parse_core_times(content, 0)

    def test_idle_and_iowait_are_not_busy_time(self) -> None:
        times = parse_core_times(b"cpu  0\ncpu10 1 2 3 1000 500 4 5 6 0 0\nintr 1\n", 10)

        assert times == CoreTimes(busy_ns=15 * TICK_NS, stolen_ns=6 * TICK_NS)

    def test_offline_core_has_no_times(self) -> None:
        assert parse_core_times(b"cpu  1 1 1 1 1 1 1 1\ncpu1 1 1 1 1 1 1 1 1\n", 0) is None


class TestJudge:
    def test_core_used_by_the_runner_alone_is_undisturbed(self) -> None:
        result = judge(core(), core(busy_ns=QUIET.process_cpu_ns), QUIET, "no cpufreq")

        assert result.marks == []
        assert result.readings["others_cpu_ns"] == 0
        assert result.absent == {"frequency_before_hz": "no cpufreq", "frequency_after_hz": "no cpufreq"}

    def test_one_extra_tick_is_tolerated(self) -> None:
        assert judge(core(), core(busy_ns=QUIET.process_cpu_ns + TICK_NS), QUIET, "").marks == []

    def test_other_process_on_the_core_is_marked(self) -> None:
        result = judge(core(), core(busy_ns=QUIET.process_cpu_ns + 100_000_000), QUIET, "")

        assert result.marks == ["others-on-core"]
        assert result.readings["others_cpu_ns"] == 100_000_000

    def test_next_runner_is_no_other_process(self) -> None:
        """The launcher starts it while the daemon reads the state after this one."""
        work = replace(QUIET, next_cpu_ns=100_000_000)

        assert judge(core(), core(busy_ns=QUIET.process_cpu_ns + 100_000_000), work, "").marks == []

    def test_stolen_time_is_marked(self) -> None:
        assert judge(core(), core(QUIET.process_cpu_ns, TICK_NS), QUIET, "").marks == ["stolen"]

    @pytest.mark.parametrize(
        ("work", "mark"),
        [
            (replace(QUIET, major_faults=1), "major-fault"),
            (replace(QUIET, migrations=2), "migrated"),
            (replace(QUIET, involuntary_switches=1, process_cpu_ns=900_000_000), "preempted"),
        ],
    )
    def test_faults_migrations_and_preemptions_have_their_marks(self, work: Work, mark: str) -> None:
        assert judge(core(), core(work.process_cpu_ns), work, "").marks == [mark]

    def test_many_short_preemptions_by_the_kernel_are_not_marked(self) -> None:
        """On a quiet machine two in three executions of 60 ms were marked: RCU takes the core for µs every 4 ms."""
        work = replace(SHORT, involuntary_switches=14, process_cpu_ns=SHORT.process_wall_ns - 130_000)

        result = judge(core(), core(work.process_cpu_ns), work, "")

        assert (result.marks, result.readings["off_core_ns"]) == ([], 130_000)

    def test_single_long_preemption_is_marked(self) -> None:
        """Next to a busy program an execution of 4 ms took 8 ms, with one involuntary switch."""
        work = replace(SHORT, process_wall_ns=7_600_000, process_cpu_ns=3_900_000, involuntary_switches=1)

        assert judge(core(), core(work.process_cpu_ns), work, "").marks == ["preempted"]

    @pytest.mark.parametrize(("involuntary", "marks"), [(0, []), (1, []), (40, ["preempted"])])
    def test_waiting_program_is_judged_by_its_involuntary_switches(self, involuntary: int, marks: list[str]) -> None:
        work = replace(QUIET, process_cpu_ns=10**6, voluntary_switches=20, involuntary_switches=involuntary)

        assert judge(core(), core(work.process_cpu_ns), work, "").marks == marks

    def test_more_cpu_time_than_wall_time_means_never_descheduled(self) -> None:
        work = replace(QUIET, process_cpu_ns=2 * 10**9)

        assert judge(core(), core(), work, "").readings["off_core_ns"] == 0

    @pytest.mark.parametrize(("after_hz", "marks"), [(1_790_000_000, []), (1_500_000_000, ["frequency-dropped"])])
    def test_changed_frequency_is_marked(self, after_hz: int, marks: list[str]) -> None:
        before, after = core(0, 0, 1_800_000_000), core(QUIET.process_cpu_ns, 0, after_hz)

        assert judge(before, after, QUIET, "").marks == marks

    def test_unreadable_core_has_null_readings_with_reasons(self) -> None:
        result = judge(CoreState(None, None), CoreState(None, None), QUIET, "no cpufreq")

        assert result.readings["others_cpu_ns"] is None
        assert set(result.absent) == set(result.readings) - {"off_core_ns"}


class TestCoreWatch:
    def test_frequency_is_read_in_hertz(self) -> None:
        sys = FIXTURES / "raspberry-pi-4-by-hand" / "sys"
        watch = CoreWatch(3, FIXTURES / "proc", sys)

        assert watch.state().frequency_hz == 1_800_000_000
        watch.close()

    def test_missing_frequency_has_a_reason(self, tmp_path: Path) -> None:
        watch = CoreWatch(1, FIXTURES / "proc", tmp_path)

        assert watch.state().frequency_hz is None
        assert "scaling_cur_freq" in watch.frequency_reason
        watch.close()
