"""Every preflight check on small trees of kernel files, with a good, a poor and an unknown result."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from orchestrator.measurement.machine.kernel_clock import KernelClock
from orchestrator.measurement.preflight.all_checks import Check, all_checks
from tests.support.preflight_tree import SYNCHRONIZED_CLOCK, context, plant

CPU = "sys/devices/system/cpu"
SUPPLY = "sys/class/power_supply/BAT0"
BATTERY = {f"{SUPPLY}/type": "Battery\n"}
CLOCKS = "sys/devices/system/clocksource/clocksource0"
IDLE = {"proc/loadavg": "1.02 0.80 0.55 1/123 4567\n"}
MEMINFO = "MemTotal: 4000000 kB\nSwapTotal: 102396 kB\nSwapFree: {} kB\n"
STAT = "cpu  1000 0 500 98000 100 0 50 {} 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n"
SOCKET = "0000000000000000: 00000002 00000000 00000000 0002 01 77654 @ciphermark-measured-core-"
ZONE = "sys/class/thermal/thermal_zone0"


@dataclass(frozen=True)
class Case:
    """Expected result of a check on one tree."""

    name: str
    state: str
    found: str
    """Regular expression that the result's text matches."""
    files: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


CASES = (
    Case("governor", "good", "^performance$", {f"{CPU}/cpu3/cpufreq/scaling_governor": "performance\n"}),
    Case("governor", "poor", "^ondemand$", {f"{CPU}/cpu3/cpufreq/scaling_governor": "ondemand\n"}),
    Case("governor", "unknown", "cpu3/cpufreq", {f"{CPU}/cpu0/cpufreq/scaling_governor": "performance\n"}),
    Case("turbo", "good", "no_turbo is 1", {f"{CPU}/intel_pstate/no_turbo": "1\n"}),
    Case("turbo", "poor", "no_turbo is 0", {f"{CPU}/intel_pstate/no_turbo": "0\n"}),
    Case("turbo", "good", "boost is 0", {f"{CPU}/cpufreq/boost": "0\n"}),
    Case("turbo", "poor", "boost is 1", {f"{CPU}/cpufreq/boost": "1\n"}),
    Case("turbo", "unknown", "no_turbo or .*boost"),
    Case("swap", "good", "^no swap$", {"proc/meminfo": "SwapTotal: 0 kB\nSwapFree: 0 kB\n"}),
    Case("swap", "good", "none of 100 MiB", {"proc/meminfo": MEMINFO.format(102396)}),
    Case("swap", "poor", "^95.1 MiB of 100 MiB in use, swappiness 60$",
         {"proc/meminfo": MEMINFO.format(5000), "proc/sys/vm/swappiness": "60\n"}),
    Case("swap", "unknown", "proc/meminfo"),
    Case("load", "good", "waiting 0.4 %", IDLE | {"proc/pressure/cpu": "some avg10=0.40 avg60=1.0 total=9\n"}),
    Case("load", "poor", "waiting 7.7 %", IDLE | {"proc/pressure/cpu": "some avg10=7.70 avg60=1.0 total=9\n"}),
    Case("load", "good", "pressure unknown", IDLE),
    Case("load", "unknown", "proc/loadavg"),
    Case("temperature", "good", "^cpu-thermal at 48.7 °C, 31.3 °C below 80 °C, where Raspberry",
         {f"{ZONE}/type": "cpu-thermal\n", f"{ZONE}/temp": "48686\n", f"{ZONE}/trip_point_0_type": "critical\n",
          f"{ZONE}/trip_point_0_temp": "110000\n"}),
    Case("temperature", "poor", "^cpu-thermal at 74.0 °C", {f"{ZONE}/type": "cpu-thermal", f"{ZONE}/temp": "74000"}),
    Case("temperature", "poor", "^coretemp temp1 at 91.0 °C, 9.0 °C below 100 °C$",
         {"sys/class/hwmon/hwmon0/name": "coretemp\n", "sys/class/hwmon/hwmon0/temp1_input": "91000\n",
          "sys/class/hwmon/hwmon0/temp1_crit": "100000\n"}),
    Case("temperature", "unknown", "hwmon",
         {"sys/class/hwmon/hwmon0/name": "nvme\n", "sys/class/hwmon/hwmon0/temp1_input": "91000\n"}),
    Case("temperature", "good", "^x86_pkg_temp at 60.0 °C, 40.0 °C below 100 °C$",
         {f"{ZONE}/type": "x86_pkg_temp\n", f"{ZONE}/temp": "60000\n", f"{ZONE}/trip_point_0_type": "passive\n",
          f"{ZONE}/trip_point_0_temp": "100000\n", f"{ZONE}/trip_point_1_type": "active\n",
          f"{ZONE}/trip_point_1_temp": "30000\n"}),
    Case("temperature", "unknown", "thermal_zone", {f"{ZONE}/temp": "-274000\n"}),
    Case("clock-source", "good", "^tsc$", {f"{CLOCKS}/current_clocksource": "tsc\n"}),
    Case("clock-source", "good", "arch_sys_counter", {f"{CLOCKS}/current_clocksource": "arch_sys_counter\n"}),
    Case("clock-source", "poor", "hpet: each reading takes", {f"{CLOCKS}/current_clocksource": "hpet\n"}),
    Case("clock-source", "unknown", "pit", {f"{CLOCKS}/current_clocksource": "pit\n"}),
    Case("clock-source", "unknown", "current_clocksource"),
    Case("time-jumps", "good", "^synchronized, rate .* -12.3 ppm", facts={"earlier_clock": SYNCHRONIZED_CLOCK}),
    Case("time-jumps", "poor", r"set -3600\.0 s since",
         facts={"earlier_clock": KernelClock(True, 0.0, SYNCHRONIZED_CLOCK.wall_minus_boot_ns + 3_600_000_000_000)}),
    Case("time-jumps", "poor", "^not synchronized", facts={"clock": KernelClock(False, 0.0, 0)}),
    Case("time-jumps", "unknown", "adjtimex", facts={"clock": None}),
    Case("address-layout", "good", "random", {"proc/sys/kernel/randomize_va_space": "2\n"}),
    Case("address-layout", "poor", "except for the heap", {"proc/sys/kernel/randomize_va_space": "1\n"}),
    Case("address-layout", "poor", "fixed", {"proc/sys/kernel/randomize_va_space": "0\n"}),
    Case("address-layout", "unknown", "randomize_va_space"),
    Case("smt-neighbours", "good", "with no other", {f"{CPU}/cpu3/topology/thread_siblings_list": "3\n"}),
    Case("smt-neighbours", "poor", "with core 1$", {f"{CPU}/cpu3/topology/thread_siblings_list": "1,3\n"}),
    Case("smt-neighbours", "unknown", "thread_siblings_list"),
    Case("huge-pages", "good", "^madvise$",
         {"sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n"}),
    Case("huge-pages", "good", "^never$", {"sys/kernel/mm/transparent_hugepage/enabled": "always madvise [never]\n"}),
    Case("huge-pages", "poor", "^always$", {"sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n"}),
    Case("huge-pages", "unknown", "transparent_hugepage"),
    Case("virtual-machine", "good", "bare metal"),
    Case("virtual-machine", "unknown", r"KVM\); stolen since boot: 0\.01%", {"proc/stat": STAT.format(10)},
         {"virtual_machine": "KVM"}),
    Case("virtual-machine", "poor", r"stolen since boot: 0\.99%", {"proc/stat": STAT.format(1000)},
         {"virtual_machine": "KVM"}),
    Case("virtual-machine", "unknown", "has no stolen time", facts={"virtual_machine": "KVM"}),
    Case("interrupts", "good", "^0 of 1 lines", {"proc/irq/24/smp_affinity_list": "0-2\n"}),
    Case("interrupts", "good", "^0 of 1 lines",
         {"proc/irq/24/smp_affinity_list": "0-3\n", "proc/irq/24/effective_affinity_list": "0\n"}),
    Case("interrupts", "poor", "^1 of 2 lines served by core 3$",
         {"proc/irq/24/smp_affinity_list": "0-3\n", "proc/irq/24/effective_affinity_list": "3\n",
          "proc/irq/25/smp_affinity_list": "0\n"}),
    Case("interrupts", "unknown", "smp_affinity_list"),
    Case("counters", "good", "is 2$", {"proc/sys/kernel/perf_event_paranoid": "2\n"}),
    Case("counters", "good", "is -1$", {"proc/sys/kernel/perf_event_paranoid": "-1\n"}),
    Case("counters", "poor", "is 3$", {"proc/sys/kernel/perf_event_paranoid": "3\n"}),
    Case("counters", "unknown", "perf_event_paranoid"),
    Case("battery", "good", "no battery", {"sys/class/power_supply/AC/type": "Mains\n"}),
    Case("battery", "good", "BAT0 Full", BATTERY | {f"{SUPPLY}/status": "Full\n"}),
    Case("battery", "poor", "BAT0 Discharging", BATTERY | {f"{SUPPLY}/status": "Discharging\n"}),
    Case("battery", "good", "no battery",
         BATTERY | {f"{SUPPLY}/status": "Discharging\n", f"{SUPPLY}/scope": "Device\n"}),
    Case("battery", "unknown", "power_supply"),
    Case("shared-core", "good", "^no second daemon on core 3$", {"proc/net/unix": f"{SOCKET}2-77\n{SOCKET}33-77\n"}),
    Case("shared-core", "good", "^no second daemon", {"proc/net/unix": f"{SOCKET}3\n{SOCKET}3-77\n"},
         {"own_daemon": 77}),
    Case("shared-core", "poor", r"by another daemon \(process 77\)", {"proc/net/unix": f"{SOCKET}3\n{SOCKET}3-77\n"}),
    Case("shared-core", "poor", "process 5", {"proc/net/unix": f"{SOCKET}3-5\n{SOCKET}3-77\n"}, {"own_daemon": 77}),
    Case("shared-core", "unknown", "net/unix"),
    Case("isolated-core", "good", "core 3 is isolated", {f"{CPU}/isolated": "2-3\n"}),
    Case("isolated-core", "good", "core 3 is not isolated", {f"{CPU}/isolated": "\n"}),
    Case("isolated-core", "unknown", "isolated"),
    Case("entropy", "good", "256 bits", {"proc/sys/kernel/random/entropy_avail": "256\n"}),
    Case("entropy", "poor", "11 bits", {"proc/sys/kernel/random/entropy_avail": "11\n"}),
    Case("entropy", "unknown", "entropy_avail"),
)  # fmt: skip

CHECKS: dict[str, Check] = {check.name: check for check in all_checks()}
NEVER_POOR = {"isolated-core"}
"""Checks for information only."""
NEVER_UNKNOWN = {"disk"}
"""Checks with tests of their own, because they read no kernel file."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}: {case.state}, {case.found}")
def test_check_returns_the_expected_result(case: Case, tmp_path: Path) -> None:
    roots = plant(tmp_path, case.files)

    result = CHECKS[case.name].check(roots, context(tmp_path, **case.facts))

    assert (result.name, result.state) == (case.name, case.state), result
    assert re.search(case.found, result.found), result.found
    assert result.expected
    assert bool(result.remedy) == (case.state == "poor")


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_every_check_has_a_case_for_each_state(name: str) -> None:
    states = {case.state for case in CASES if case.name == name}
    assert states >= {"good", "poor", "unknown"} or name in NEVER_POOR | NEVER_UNKNOWN
    assert CHECKS[name].check.__module__.rsplit(".", 1)[-1].replace("_", "-") == name


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_result_is_tunable_if_the_check_has_settings(name: str, tmp_path: Path) -> None:
    check = CHECKS[name]
    assert check.check(plant(tmp_path, {}), context(tmp_path)).tunable == (check.settings is not None)


class TestDisk:
    def test_missing_data_folder_is_judged_by_its_parent(self, tmp_path: Path) -> None:
        result = CHECKS["disk"].check(plant(tmp_path, {}), context(tmp_path, data_folder=tmp_path / "none" / "yet"))
        assert result.found.endswith(f"free in {tmp_path}")

    def test_full_file_system_is_poor(self, tmp_path: Path) -> None:
        """Every Linux reports no free space for /proc."""
        result = CHECKS["disk"].check(plant(tmp_path, {}), context(tmp_path, data_folder=Path("/proc")))
        assert (result.state, result.found) == ("poor", "0 B free in /proc")


class TestSMTNeighbours:
    def test_sibling_stays_online_when_the_monitor_needs_it(self, tmp_path: Path) -> None:
        files = {f"{CPU}/cpu3/topology/thread_siblings_list": "2-3", f"{CPU}/online": "2-3", f"{CPU}/cpu2/online": "1"}
        check = CHECKS["smt-neighbours"]
        roots = plant(tmp_path, files)

        assert check.settings is not None
        assert check.settings(roots, context(tmp_path)) == []
        assert "the monitor needs the other thread" in check.check(roots, context(tmp_path)).remedy
