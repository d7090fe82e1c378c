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
WAITING = replace(QUIET, process_cpu_ns=10**6, voluntary_switches=20)
SLEEPING = replace(SHORT, process_cpu_ns=10**6, voluntary_switches=2)


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

    @pytest.mark.parametrize(
        ("work", "others_ns", "stolen_ns", "marks"),
        [
            pytest.param(QUIET, TICK_NS, 0, [], id="one tick of others"),
            pytest.param(QUIET, 100_000_000, 0, ["others-on-core"], id="others"),
            # The launcher starts it while the daemon reads the state after this one.
            pytest.param(replace(QUIET, next_cpu_ns=100_000_000), 100_000_000, 0, [], id="next runner"),
            pytest.param(QUIET, 0, TICK_NS, ["stolen"], id="stolen"),
            pytest.param(replace(QUIET, major_faults=1), 0, 0, ["major-fault"], id="major fault"),
            pytest.param(replace(QUIET, migrations=2), 0, 0, ["migrated"], id="migrations"),
            pytest.param(
                replace(QUIET, involuntary_switches=1, process_cpu_ns=900_000_000), 0, 0, ["preempted"], id="preemption"
            ),
            # On a quiet machine two in three executions of 60 ms were marked: RCU takes the core for µs every 4 ms.
            pytest.param(
                replace(SHORT, involuntary_switches=14, process_cpu_ns=SHORT.process_wall_ns - 130_000), 0, 0, [],
                id="many short preemptions by the kernel",
            ),
            # Next to a busy program an execution of 4 ms took 8 ms, with one involuntary switch.
            pytest.param(
                replace(SHORT, process_wall_ns=7_600_000, process_cpu_ns=3_900_000, involuntary_switches=1), 0, 0,
                ["preempted"], id="single long preemption",
            ),
            # A program that waits is judged by its involuntary switches.
            pytest.param(replace(WAITING, involuntary_switches=0), 0, 0, [], id="waiting"),
            pytest.param(replace(WAITING, involuntary_switches=1), 0, 0, [], id="waiting, 1 switch"),
            # `sleep 0.05` next to a busy program: it was preempted once for a moment, and slept the rest.
            pytest.param(replace(SLEEPING, involuntary_switches=1), 0, 0, [], id="sleep"),
            pytest.param(replace(WAITING, involuntary_switches=40), 0, 0, ["preempted"], id="waiting, 40 switches"),
        ],
    )  # fmt: skip
    def test_disturbances_have_their_marks(self, work: Work, others_ns: int, stolen_ns: int, marks: list[str]) -> None:
        assert judge(core(), core(work.process_cpu_ns + others_ns, stolen_ns), work, "").marks == marks

    def test_time_of_others_and_time_without_the_core_are_readings(self) -> None:
        busy = judge(core(), core(busy_ns=QUIET.process_cpu_ns + 100_000_000), QUIET, "")
        assert (busy.readings["others_cpu_ns"], busy.readings["off_core_ns"]) == (100_000_000, 0)
        descheduled = replace(SHORT, process_cpu_ns=SHORT.process_wall_ns - 130_000)
        assert judge(core(), core(descheduled.process_cpu_ns), descheduled, "").readings["off_core_ns"] == 130_000
        # More CPU time than time: several threads.
        assert judge(core(), core(), replace(QUIET, process_cpu_ns=2 * 10**9), "").readings["off_core_ns"] == 0

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
