"""Every check on small trees of kernel files: what is good, what is poor, and what nobody can tell."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from orchestrator.measurement.machine.kernel_clock import KernelClock
from orchestrator.measurement.preflight.all_checks import Check, all_checks
from tests.support.preflight_tree import KEPT_CLOCK, context, plant

CPU = "sys/devices/system/cpu"
SUPPLY = "sys/class/power_supply/BAT0"
BATTERY = {f"{SUPPLY}/type": "Battery\n"}
CLOCKS = "sys/devices/system/clocksource/clocksource0"
IDLE = {"proc/loadavg": "1.02 0.80 0.55 1/123 4567\n"}
MEMINFO = "MemTotal: 4000000 kB\nSwapTotal: 102396 kB\nSwapFree: {} kB\n"
STAT = "cpu  1000 0 500 98000 100 0 50 {} 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n"
ZONE = "sys/class/thermal/thermal_zone0"


@dataclass(frozen=True)
class Seen:
    """What a check says of one tree."""

    name: str
    state: str
    found: str
    """A regular expression that its words match."""
    files: Mapping[str, str] = field(default_factory=dict)
    knowing: Mapping[str, Any] = field(default_factory=dict)


SEEN = (
    Seen("governor", "good", "^performance$", {f"{CPU}/cpu3/cpufreq/scaling_governor": "performance\n"}),
    Seen("governor", "poor", "^ondemand$", {f"{CPU}/cpu3/cpufreq/scaling_governor": "ondemand\n"}),
    Seen("governor", "unknown", "cpu3/cpufreq", {f"{CPU}/cpu0/cpufreq/scaling_governor": "performance\n"}),
    Seen("turbo", "good", "no_turbo is 1", {f"{CPU}/intel_pstate/no_turbo": "1\n"}),
    Seen("turbo", "poor", "no_turbo is 0", {f"{CPU}/intel_pstate/no_turbo": "0\n"}),
    Seen("turbo", "good", "boost is 0", {f"{CPU}/cpufreq/boost": "0\n"}),
    Seen("turbo", "poor", "boost is 1", {f"{CPU}/cpufreq/boost": "1\n"}),
    Seen("turbo", "unknown", "no_turbo or .*boost"),
    Seen("swap", "good", "^no swap$", {"proc/meminfo": "SwapTotal: 0 kB\nSwapFree: 0 kB\n"}),
    Seen("swap", "good", "nothing of 100 MiB", {"proc/meminfo": MEMINFO.format(102396)}),
    Seen("swap", "poor", "^95.1 MiB of 100 MiB in use, swappiness 60$",
         {"proc/meminfo": MEMINFO.format(5000), "proc/sys/vm/swappiness": "60\n"}),
    Seen("swap", "unknown", "proc/meminfo"),
    Seen("load", "good", "waiting 0.4 %", IDLE | {"proc/pressure/cpu": "some avg10=0.40 avg60=1.0 total=9\n"}),
    Seen("load", "poor", "waiting 7.7 %", IDLE | {"proc/pressure/cpu": "some avg10=7.70 avg60=1.0 total=9\n"}),
    Seen("load", "good", "pressure unknown", IDLE),
    Seen("load", "unknown", "proc/loadavg"),
    Seen("temperature", "good", "^cpu-thermal at 48.7 °C, 31.3 °C below 80 °C, where Raspberry",
         {f"{ZONE}/type": "cpu-thermal\n", f"{ZONE}/temp": "48686\n", f"{ZONE}/trip_point_0_type": "critical\n",
          f"{ZONE}/trip_point_0_temp": "110000\n"}),
    Seen("temperature", "poor", "^cpu-thermal at 74.0 °C", {f"{ZONE}/type": "cpu-thermal", f"{ZONE}/temp": "74000"}),
    Seen("temperature", "poor", "^coretemp temp1 at 91.0 °C, 9.0 °C below 100 °C$",
         {"sys/class/hwmon/hwmon0/name": "coretemp\n", "sys/class/hwmon/hwmon0/temp1_input": "91000\n",
          "sys/class/hwmon/hwmon0/temp1_crit": "100000\n"}),
    Seen("temperature", "good", "^x86_pkg_temp at 60.0 °C, 40.0 °C below 100 °C$",
         {f"{ZONE}/type": "x86_pkg_temp\n", f"{ZONE}/temp": "60000\n", f"{ZONE}/trip_point_0_type": "passive\n",
          f"{ZONE}/trip_point_0_temp": "100000\n", f"{ZONE}/trip_point_1_type": "active\n",
          f"{ZONE}/trip_point_1_temp": "30000\n"}),
    Seen("temperature", "unknown", "thermal_zone", {f"{ZONE}/temp": "-274000\n"}),
    Seen("clock-source", "good", "^tsc$", {f"{CLOCKS}/current_clocksource": "tsc\n"}),
    Seen("clock-source", "good", "arch_sys_counter", {f"{CLOCKS}/current_clocksource": "arch_sys_counter\n"}),
    Seen("clock-source", "poor", "hpet: each reading takes", {f"{CLOCKS}/current_clocksource": "hpet\n"}),
    Seen("clock-source", "unknown", "pit", {f"{CLOCKS}/current_clocksource": "pit\n"}),
    Seen("clock-source", "unknown", "current_clocksource"),
    Seen("time-jumps", "good", "kept, its rate is corrected by -12.3 ppm", knowing={"earlier_clock": KEPT_CLOCK}),
    Seen("time-jumps", "poor", r"set -3600\.0 s since",
         knowing={"earlier_clock": KernelClock(True, 0.0, KEPT_CLOCK.wall_minus_boot_ns + 3_600_000_000_000)}),
    Seen("time-jumps", "poor", "nobody keeps", knowing={"clock": KernelClock(False, 0.0, 0)}),
    Seen("time-jumps", "unknown", "adjtimex", knowing={"clock": None}),
    Seen("address-layout", "good", "random", {"proc/sys/kernel/randomize_va_space": "2\n"}),
    Seen("address-layout", "poor", "not the heap", {"proc/sys/kernel/randomize_va_space": "1\n"}),
    Seen("address-layout", "poor", "fixed", {"proc/sys/kernel/randomize_va_space": "0\n"}),
    Seen("address-layout", "unknown", "randomize_va_space"),
    Seen("smt-neighbours", "good", "for itself", {f"{CPU}/cpu3/topology/thread_siblings_list": "3\n"}),
    Seen("smt-neighbours", "poor", "with core 1$", {f"{CPU}/cpu3/topology/thread_siblings_list": "1,3\n"}),
    Seen("smt-neighbours", "unknown", "thread_siblings_list"),
    Seen("huge-pages", "good", "^madvise$",
         {"sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n"}),
    Seen("huge-pages", "good", "^never$", {"sys/kernel/mm/transparent_hugepage/enabled": "always madvise [never]\n"}),
    Seen("huge-pages", "poor", "^always$", {"sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n"}),
    Seen("huge-pages", "unknown", "transparent_hugepage"),
    Seen("virtual-machine", "good", "bare metal"),
    Seen("virtual-machine", "unknown", r"KVM\); stolen since boot: 0\.01%", {"proc/stat": STAT.format(10)},
         {"virtual_machine": "KVM"}),
    Seen("virtual-machine", "poor", r"stolen since boot: 0\.99%", {"proc/stat": STAT.format(1000)},
         {"virtual_machine": "KVM"}),
    Seen("virtual-machine", "unknown", "tells no stolen time", knowing={"virtual_machine": "KVM"}),
    Seen("interrupts", "good", "^0 of 1 lines", {"proc/irq/24/smp_affinity_list": "0-2\n"}),
    Seen("interrupts", "good", "^0 of 1 lines",
         {"proc/irq/24/smp_affinity_list": "0-3\n", "proc/irq/24/effective_affinity_list": "0\n"}),
    Seen("interrupts", "poor", "^1 of 2 lines served by core 3$",
         {"proc/irq/24/smp_affinity_list": "0-3\n", "proc/irq/24/effective_affinity_list": "3\n",
          "proc/irq/25/smp_affinity_list": "0\n"}),
    Seen("interrupts", "unknown", "smp_affinity_list"),
    Seen("counters", "good", "is 2$", {"proc/sys/kernel/perf_event_paranoid": "2\n"}),
    Seen("counters", "good", "is -1$", {"proc/sys/kernel/perf_event_paranoid": "-1\n"}),
    Seen("counters", "poor", "is 3$", {"proc/sys/kernel/perf_event_paranoid": "3\n"}),
    Seen("counters", "unknown", "perf_event_paranoid"),
    Seen("battery", "good", "no battery", {"sys/class/power_supply/AC/type": "Mains\n"}),
    Seen("battery", "good", "BAT0 Full", BATTERY | {f"{SUPPLY}/status": "Full\n"}),
    Seen("battery", "poor", "BAT0 Discharging", BATTERY | {f"{SUPPLY}/status": "Discharging\n"}),
    Seen("battery", "good", "no battery",
         BATTERY | {f"{SUPPLY}/status": "Discharging\n", f"{SUPPLY}/scope": "Device\n"}),
    Seen("battery", "unknown", "power_supply"),
    Seen("isolated-core", "good", "core 3 is isolated", {f"{CPU}/isolated": "2-3\n"}),
    Seen("isolated-core", "good", "core 3 is not isolated", {f"{CPU}/isolated": "\n"}),
    Seen("isolated-core", "unknown", "isolated"),
    Seen("entropy", "good", "256 bits", {"proc/sys/kernel/random/entropy_avail": "256\n"}),
    Seen("entropy", "poor", "11 bits", {"proc/sys/kernel/random/entropy_avail": "11\n"}),
    Seen("entropy", "unknown", "entropy_avail"),
)  # fmt: skip

CHECKS: dict[str, Check] = {check.name: check for check in all_checks()}
NEVER_POOR = {"isolated-core"}
"""For information."""
NEVER_UNKNOWN = {"disk"}
"""Has tests of its own: how full the disk is, no file says."""


@pytest.mark.parametrize("seen", SEEN, ids=lambda seen: f"{seen.name}: {seen.state}, {seen.found}")
def test_a_tree_is_judged(seen: Seen, tmp_path: Path) -> None:
    roots = plant(tmp_path, seen.files)

    result = CHECKS[seen.name].check(roots, context(tmp_path, **seen.knowing))

    assert (result.name, result.state) == (seen.name, seen.state), result
    assert re.search(seen.found, result.found), result.found
    assert result.expected
    assert bool(result.remedy) == (seen.state == "poor")


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_every_check_can_fail(name: str) -> None:
    shown = {seen.state for seen in SEEN if seen.name == name}
    assert shown >= {"good", "poor", "unknown"} or name in NEVER_POOR | NEVER_UNKNOWN
    assert CHECKS[name].check.__module__.rsplit(".", 1)[-1].replace("_", "-") == name


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_what_is_tunable_says_so(name: str, tmp_path: Path) -> None:
    check = CHECKS[name]
    assert check.check(plant(tmp_path, {}), context(tmp_path)).tunable == (check.settings is not None)


class TestDisk:
    def test_a_folder_that_is_not_there_yet_is_judged_by_its_parent(self, tmp_path: Path) -> None:
        result = CHECKS["disk"].check(plant(tmp_path, {}), context(tmp_path, data_folder=tmp_path / "none" / "yet"))
        assert result.found.endswith(f"free in {tmp_path}")

    def test_a_file_system_without_room_is_poor(self, tmp_path: Path) -> None:
        """Of /proc, every Linux says that nothing is free."""
        result = CHECKS["disk"].check(plant(tmp_path, {}), context(tmp_path, data_folder=Path("/proc")))
        assert (result.state, result.found) == ("poor", "0 B free in /proc")


class TestSMTNeighbours:
    def test_two_threads_of_the_only_core_keep_their_monitor(self, tmp_path: Path) -> None:
        files = {f"{CPU}/cpu3/topology/thread_siblings_list": "2-3", f"{CPU}/online": "2-3", f"{CPU}/cpu2/online": "1"}
        check = CHECKS["smt-neighbours"]
        roots = plant(tmp_path, files)

        assert check.settings is not None
        assert check.settings(roots, context(tmp_path)) == []
        assert "the monitor needs the neighbour" in check.check(roots, context(tmp_path)).remedy
