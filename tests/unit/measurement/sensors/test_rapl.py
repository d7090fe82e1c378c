import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.measurement.sensors.base import EnergyMeter
from orchestrator.measurement.sensors.rapl import Zone, difference_joules, find, unwrapped_microjoules
from orchestrator.shared.errors import NoData
from tests.support.kernel_tree import build, build_machine, public_folder, put, without_rights

RANGE = 262_143_328_850
SECOND_NS = 1_000_000_000
X86 = "x86-with-rapl"


def zone(highest_watts: float = 100.0) -> Zone:
    return Zone(Path("intel-rapl:0"), "package-0", RANGE, highest_watts)


class TestUnwrapping:
    @given(
        begin=st.integers(0, RANGE - 1),
        steps=st.lists(st.integers(0, RANGE - 1), max_size=30),
    )
    def test_unwrapped_steps_add_up(self, begin: int, steps: list[int]) -> None:
        counters = [begin]
        for step in steps:
            counters.append((counters[-1] + step) % RANGE)

        found = [unwrapped_microjoules(one, two, RANGE) for one, two in pairwise(counters)]

        assert found == steps


class TestDifference:
    def test_window_that_allows_two_wraps_is_refused(self) -> None:
        # 262 kJ at 100 W take 2621 s.
        assert difference_joules(zone(), 0, 5_000_000, 2_600 * SECOND_NS) == pytest.approx(5.0)
        with pytest.raises(NoData, match="wraps within 2621 s at 100 W, and the window has 2650 s"):
            difference_joules(zone(), 0, 5_000_000, 2_650 * SECOND_NS)

    def test_reset_counter_is_not_taken_for_a_wrap(self) -> None:
        # 1000 J before, 5 J after: unwrapped that would be 261 kJ in a second.
        with pytest.raises(NoData, match="at most 100 J is possible: reset"):
            difference_joules(zone(), 1_000_000_000, 5_000_000, SECOND_NS)

    def test_unchanged_counter_is_refused(self) -> None:
        with pytest.raises(NoData, match="did not change within 1 s"):
            difference_joules(zone(), 7, 7, SECOND_NS)


@pytest.fixture
def package(tmp_path: Path) -> tuple[EnergyMeter, Path]:
    """Return the meter of the package and the file of its counter."""
    roots = build_machine(X86, tmp_path)
    meter = next(one for one in find(roots).meters if one.name == "rapl package-0")
    return meter, roots.sys / "class/powercap/intel-rapl:0/energy_uj"


class TestMeter:
    def test_energy_is_the_difference_of_the_counter(self, package: tuple[EnergyMeter, Path]) -> None:
        meter, counter = package
        meter.begin()
        put(counter, "5000100000")
        reading = meter.end()

        assert reading.joules == pytest.approx(0.1)
        assert reading.window_ns > 0
        assert meter.source == f"{counter}, difference, unwrapped"

    def test_wrap_within_a_window_is_corrected(self, package: tuple[EnergyMeter, Path]) -> None:
        meter, counter = package
        put(counter, str(RANGE - 20_000))
        meter.begin()
        put(counter, "30000")

        assert meter.end().joules == pytest.approx(0.05)

    def test_resolution_is_one_step_or_the_energy_of_one_update(self, package: tuple[EnergyMeter, Path]) -> None:
        meter, counter = package
        unit = meter.resolution_joules
        meter.begin()
        put(counter, "5000100000")
        reading = meter.end()

        assert unit == pytest.approx(61.035e-6, rel=1e-4)
        assert meter.resolution_joules == pytest.approx(reading.joules / (reading.window_ns / 1e9) * 0.001)

    @pytest.mark.parametrize("text", ["-5", "many", str(RANGE + 1)])
    def test_unexpected_content_at_either_end_is_absent(self, text: str, package: tuple[EnergyMeter, Path]) -> None:
        meter, counter = package
        meter.begin()
        put(counter, text)
        at_the_end = meter.end()
        meter.begin()
        put(counter, "5000100000")
        at_the_begin = meter.end()

        for reading in (at_the_end, at_the_begin):
            assert reading.joules is None
            assert str(counter) in reading.reason


class TestFind:
    def test_two_packages_form_one_meter(self, tmp_path: Path) -> None:
        zone = (
            "sys/class/powercap/intel-rapl:{0}/name = package-{0}\n"
            "sys/class/powercap/intel-rapl:{0}/energy_uj = 1000\n"
            "sys/class/powercap/intel-rapl:{0}/max_energy_range_uj = 65532610987\n"
        )
        roots = build(zone.format(0) + zone.format(1), tmp_path)
        (meter,) = find(roots).meters

        meter.begin()
        for number in (0, 1):
            put(roots.sys / f"class/powercap/intel-rapl:{number}/energy_uj", "51000")

        assert meter.name == "rapl package-0 + package-1"
        assert meter.end().joules == pytest.approx(0.1)
        # AMD counts in 15.26 µJ, and two counters are added.
        assert find(roots).meters[0].resolution_joules == pytest.approx(2 * 15.258e-6, rel=1e-4)

    def test_mmio_copy_of_a_counter_is_not_counted_twice(self, tmp_path: Path) -> None:
        names = [meter.name for meter in find(build_machine(X86, tmp_path)).meters]

        assert names.count("rapl package-0") == 1

    def test_unreadable_counter_has_a_remedy(self) -> None:
        with public_folder() as folder:
            roots = build_machine(X86, folder)
            for counter in (roots.sys / "class/powercap").glob("*/energy_uj"):
                counter.chmod(0o400)
            with without_rights():
                found = find(roots)

        assert found.meters == ()
        assert "may not be read by this user" in found.absent
        assert "sudo chmod a+r" in found.absent

    def test_power_sensor_is_the_mean_between_two_readings(self, tmp_path: Path) -> None:
        roots = build_machine(X86, tmp_path)
        power = next(one for one in find(roots).sensors if one.name == "power_watts rapl-package-0")

        before_ns = time.monotonic_ns()
        first = power.read()
        between_ns = time.monotonic_ns()
        put(roots.sys / "class/powercap/intel-rapl:0/energy_uj", "5000100000")
        later_ns = time.monotonic_ns()
        second = power.read()
        after_ns = time.monotonic_ns()

        assert first.value is None
        assert "first reading" in first.reason
        assert second.value is not None
        assert 0.1 / ((after_ns - before_ns) / 1e9) < second.value <= 0.1 / ((later_ns - between_ns) / 1e9)
