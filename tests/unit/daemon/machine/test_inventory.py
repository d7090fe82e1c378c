import os
import platform
from pathlib import Path

from orchestrator.daemon.machine.hardware_counters import find_counters
from orchestrator.daemon.machine.inventory import inventory_sha256, operating_system, take_inventory
from orchestrator.measurement.machine.roots import Roots
from orchestrator.wire.agents import GRANTED
from tests.support.kernel_tree import build, build_machine
from tests.support.paths import FIXTURES

PI = Roots(*(FIXTURES / "raspberry-pi-4-by-hand" / name for name in ("proc", "sys", "etc")))


def test_inventory_describes_this_machine() -> None:
    report = take_inventory(0)

    inventory = report.inventory
    assert inventory.processor.architecture == platform.machine()
    assert inventory.memory_bytes == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert report.sha256 == inventory_sha256(inventory)
    assert inventory.counters == find_counters()
    assert inventory.hardware_counters == (inventory.counters["cycles"] == GRANTED)
    assert inventory.hardware_counters or inventory.absent["hardware_counters"] == inventory.counters["cycles"]
    assert (inventory.cpu_time_split == "unknown") == ("cpu_time_split" in inventory.absent)


def test_each_counter_is_granted_or_has_the_kernels_error() -> None:
    found = find_counters()

    kernel_counters = {"task-clock", "page-faults", "context-switches", "cpu-migrations"}
    assert set(found) == {"cycles", "instructions", "branch-misses", "cache-misses"} | kernel_counters
    for word in found.values():
        assert word == GRANTED or word.startswith(("perf_event_open: ", "no system call number"))


def test_every_unknown_fact_has_a_reason() -> None:
    inventory = take_inventory(0, PI).inventory

    nulls = {f"processor.{name}" for name, value in inventory.processor if value is None}
    assert nulls <= set(inventory.absent)
    assert inventory.device_model == "Raspberry Pi 4 Model B Rev 1.1"


def test_sensors_have_their_sources_and_missing_kinds_their_reasons(tmp_path: Path) -> None:
    roots = build_machine("raspberry-pi-4", tmp_path)

    inventory = take_inventory(0, roots).inventory

    zone = f"{roots.sys}/class/thermal/thermal_zone0/temp"
    assert inventory.sensors["temperature_celsius cpu-thermal"] == zone
    assert inventory.sensors["frequency_hz cpu3"].endswith("scaling_cur_freq, governor performance")
    assert inventory.sensors["energy: ina219 channel1 at hwmon2"].endswith("power samples, trapezoids")
    assert "virtual machine" in inventory.absent["sensors: rapl"]
    assert "sensors" not in inventory.absent


def test_machine_without_sensors_has_a_reason(tmp_path: Path) -> None:
    assert "sensors" in take_inventory(0, build("", tmp_path)).inventory.absent


def test_operating_system_has_its_readable_name() -> None:
    assert operating_system('NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n').endswith("(bookworm)")
    assert operating_system("") == "unknown Linux"
