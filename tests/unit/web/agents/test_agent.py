from orchestrator.web.agents.agent import absent_sensors, refused_counters
from orchestrator.wire.agents import GRANTED


def test_refused_counters_are_grouped_by_the_kernels_reason() -> None:
    counters = {"cycles": "ENOENT", "branches": "EACCES", "instructions": "ENOENT", "page-faults": GRANTED}
    assert refused_counters({"counters": counters}) == {"EACCES": ["branches"], "ENOENT": ["cycles", "instructions"]}
    assert refused_counters({}) == {}


def test_absent_sensors_are_those_of_the_inventory_without_other_facts() -> None:
    absent = {"sensors: power": "no meter", "governor": "no cpufreq", "sensors: battery": "no battery"}
    assert absent_sensors({"absent": absent}) == {"battery": "no battery", "power": "no meter"}
    assert absent_sensors({}) == {}
