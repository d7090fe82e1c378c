"""Names of agents are safe in URLs and files, and an inventory tolerates facts of a newer daemon."""

import pytest
from pydantic import ValidationError

from orchestrator.wire.agents import EnrollmentRequest, InventoryFacts
from tests.support.wire_messages import returned

FACTS = {
    "host_name": "pi", "device_model": None, "memory_bytes": 1, "swap_bytes": 0, "operating_system": "Debian 13",
    "kernel": "6.12", "python": "3.13", "libc": None, "libraries": {}, "sensors": {}, "hardware_counters": False,
    "virtual_machine": None, "emulated": False, "measured_core": 3, "daemon_version": "0.1.0",
    "processor": {"model": None, "architecture": "aarch64", "cores": 4, "online_cores": [0, 1, 2, 3],
                  "isa_extensions": ["aes"]},
    "compilers": [{"name": "gcc", "command": "gcc-14", "version": "14.2", "target": "aarch64-linux-gnu"}],
}  # fmt: skip


@pytest.mark.parametrize("name", ["pi", "Pi-4.lab_2", "0", "a" * 63])
def test_host_names_are_accepted(name: str) -> None:
    assert EnrollmentRequest(name=name).name == name


@pytest.mark.parametrize("name", ["", "-pi", ".pi", "pi/4", "pi 4", "a" * 64, "pi\n", "ä"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        EnrollmentRequest(name=name)


def test_inventory_survives_json_and_ignores_unknown_facts() -> None:
    facts = InventoryFacts.model_validate(FACTS | {"quantum_bits": 3})

    assert returned(facts) == facts
    assert facts.cpu_time_split == "unknown"


def test_unknown_compiler_is_refused() -> None:
    with pytest.raises(ValidationError, match="compilers"):
        InventoryFacts.model_validate(FACTS | {"compilers": [{**FACTS["compilers"][0], "name": "tcc"}]})  # type: ignore[index]
