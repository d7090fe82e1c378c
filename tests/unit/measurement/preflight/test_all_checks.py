from pathlib import Path

from orchestrator.measurement.machine.kernel_clock import read_kernel_clock
from orchestrator.measurement.machine.roots import KERNEL
from orchestrator.measurement.preflight.all_checks import all_checks, all_settings, is_tunable, run_checks
from tests.support.preflight_tree import context, plant

CPU = "sys/devices/system/cpu"


class TestRunChecks:
    def test_every_check_has_one_result_and_poor_results_come_first(self, tmp_path: Path) -> None:
        results = run_checks(KERNEL, context(tmp_path, measured_core=0, clock=read_kernel_clock()))

        assert sorted(result.name for result in results) == [check.name for check in all_checks()]
        order = [("poor", "unknown", "good").index(result.state) for result in results]
        assert order == sorted(order)

    def test_unexpected_file_content_makes_the_result_unknown(self, tmp_path: Path) -> None:
        files = {f"{CPU}/cpu3/topology/thread_siblings_list": "three\n", "proc/loadavg": "0.1 0.1 0.1 1/2 3\n",
                 "proc/pressure/cpu": "some avg10=much\n"}  # fmt: skip

        results = {result.name: result for result in run_checks(plant(tmp_path, files), context(tmp_path))}

        assert results["smt-neighbours"].state == "unknown"
        assert "three" in results["smt-neighbours"].found
        assert results["load"].state == "unknown"


class TestAllSettings:
    def test_all_settings_are_tunable_and_cores_go_offline_last(self, tmp_path: Path) -> None:
        files = {f"{CPU}/online": "0-3", f"{CPU}/cpu3/topology/thread_siblings_list": "1,3", f"{CPU}/cpu1/online": "1",
                 f"{CPU}/cpu3/cpufreq/scaling_governor": "ondemand", f"{CPU}/intel_pstate/no_turbo": "0",
                 "proc/irq/7/smp_affinity_list": "3", "proc/sys/kernel/perf_event_paranoid": "4",
                 "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never"}  # fmt: skip

        settings = all_settings(plant(tmp_path, files), context(tmp_path))

        assert {setting.file: setting.value for setting in settings} == {
            f"{CPU}/cpu3/cpufreq/scaling_governor": "performance",
            f"{CPU}/intel_pstate/no_turbo": "1",
            "proc/irq/7/smp_affinity_list": "0-2",
            "proc/sys/kernel/perf_event_paranoid": "2",
            "sys/kernel/mm/transparent_hugepage/enabled": "madvise",
            f"{CPU}/cpu1/online": "0",
        }
        assert settings[-1].file == f"{CPU}/cpu1/online"
        assert all(is_tunable(setting.file) for setting in settings)

    def test_no_other_file_is_tunable(self) -> None:
        for file in ("etc/passwd", "sys/../etc/passwd", "proc/sysrq-trigger", f"{CPU}/cpu1/../../x/online", "sys"):
            assert not is_tunable(file)
