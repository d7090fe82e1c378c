import hashlib
import json
import os
import platform
from pathlib import Path

from orchestrator.daemon.machine.inventory import inventory_sha256, operating_system, parse_meminfo, take_inventory
from orchestrator.measurement.machine.roots import Roots
from tests.support.kernel_tree import build, build_machine
from tests.support.paths import FIXTURES

PI = Roots(*(FIXTURES / "raspberry-pi-4-by-hand" / name for name in ("proc", "sys", "etc")))


class TestTakeInventory:
    def test_inventory_describes_this_machine(self) -> None:
        report = take_inventory(0)

        inventory = report.inventory
        assert inventory.processor.architecture == platform.machine()
        assert inventory.memory_bytes == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        assert report.sha256 == inventory_sha256(inventory)

    def test_every_unknown_fact_has_a_reason(self) -> None:
        inventory = take_inventory(0, PI).inventory

        nulls = {f"processor.{name}" for name, value in inventory.processor if value is None}
        assert nulls <= set(inventory.absent)
        assert inventory.device_model == "Raspberry Pi 4 Model B Rev 1.1"

    def test_sha256_is_that_of_the_canonical_json(self) -> None:
        report = take_inventory(0)
        text = json.dumps(json.loads(report.inventory.model_dump_json()), sort_keys=True, separators=(",", ":"))

        assert report.sha256 == hashlib.sha256(text.encode()).hexdigest()


class TestSensors:
    def test_sensors_are_listed_with_their_sources(self, tmp_path: Path) -> None:
        roots = build_machine("raspberry-pi-4", tmp_path)

        inventory = take_inventory(0, roots).inventory

        zone = f"{roots.sys}/class/thermal/thermal_zone0/temp"
        assert inventory.sensors["temperature_celsius cpu-thermal"] == zone
        assert inventory.sensors["frequency_hz cpu3"].endswith("scaling_cur_freq, governor performance")
        assert inventory.sensors["energy: ina219 channel1 at hwmon2"].endswith("power samples, trapezoids")

    def test_missing_kinds_of_sensors_have_a_reason_each(self, tmp_path: Path) -> None:
        absent = take_inventory(0, build_machine("raspberry-pi-4", tmp_path)).inventory.absent

        assert "virtual machine" in absent["sensors: rapl"]
        assert "sensors" not in absent

    def test_machine_without_sensors_has_a_reason(self, tmp_path: Path) -> None:
        assert "sensors" in take_inventory(0, build("", tmp_path)).inventory.absent


class TestParts:
    def test_meminfo_is_converted_to_bytes(self) -> None:
        memory = parse_meminfo((FIXTURES / "proc" / "meminfo").read_text())

        assert memory["MemTotal"] % 1024 == 0
        assert memory["MemTotal"] > 1024**3

    def test_operating_system_has_its_readable_name(self) -> None:
        assert operating_system('NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n').endswith("(bookworm)")
        assert operating_system("") == "unknown Linux"
