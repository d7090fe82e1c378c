"""Clock of each core from cpufreq, with the governor that controls it."""

from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.sensors.base import Found
from orchestrator.measurement.sensors.reading import FileSensor, ValueRange, folders

KIND = "frequency"
POSSIBLE = ValueRange(1e6, 1e11, "Hz")
"""Plausible clocks of a core."""


class FrequencySensor(FileSensor):
    """Sensor of scaling_cur_freq of one core."""

    @property
    def source(self) -> str:
        """Path of the file, and the current governor."""
        return f"{self.path}, governor {read_text(self.path.with_name('scaling_governor')) or 'unknown'}"


def find(roots: Roots) -> Found:
    """Return one sensor per core."""
    sensors = tuple(
        FrequencySensor(
            name=f"frequency_hz {core.name}",
            unit="Hz",
            path=core / "cpufreq/scaling_cur_freq",
            scale=1000.0,
            limits=POSSIBLE,
            step="1 kHz; depending on the driver, the requested frequency or a mean over milliseconds",
        )
        for core in folders(roots.cpu, "cpu[0-9]*")
        if (core / "cpufreq/scaling_cur_freq").exists()
    )
    absent = f"no core has {roots.cpu}/cpu*/cpufreq/scaling_cur_freq: no cpufreq driver, as in a virtual machine"
    return Found(sensors, absent="" if sensors else absent)
