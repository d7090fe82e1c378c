from orchestrator.daemon.machine.hardware_counters import find_counters
from orchestrator.daemon.machine.inventory import take_inventory
from orchestrator.wire.agents import GRANTED

KERNEL_COUNTERS = {"task-clock", "page-faults", "context-switches", "cpu-migrations"}


class TestFindCounters:
    def test_each_counter_is_granted_or_has_the_kernels_error(self) -> None:
        found = find_counters()

        assert set(found) == {"cycles", "instructions", "branch-misses", "cache-misses"} | KERNEL_COUNTERS
        for word in found.values():
            assert word == GRANTED or word.startswith(("perf_event_open: ", "no system call number"))

    def test_inventory_contains_the_counters(self) -> None:
        inventory = take_inventory(0).inventory

        assert inventory.counters == find_counters()
        assert inventory.hardware_counters == (inventory.counters["cycles"] == GRANTED)
        assert inventory.hardware_counters or inventory.absent["hardware_counters"] == inventory.counters["cycles"]
        assert (inventory.cpu_time_split == "unknown") == ("cpu_time_split" in inventory.absent)
