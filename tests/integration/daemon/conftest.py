"""Real runners, a real launcher, and small C programs that imitate runners."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestrator.compilation.installed import InstalledBuild
from orchestrator.compilation.native.build import install_prebuilt
from orchestrator.measurement.instrument.measure import Instrument, InstrumentPlan
from orchestrator.measurement.instrument.monitor import MonitorPlan
from orchestrator.measurement.launch.affinity import choose_measured_core
from orchestrator.measurement.runner.commands import ProcessCommand
from tests.integration.native.conftest import programs  # noqa: F401 - a fixture
from tests.support.daemon_bench import DaemonBench, daemon_bench
from tests.support.paths import FIXTURES

INPUT_BYTES = 4096
SOURCE = FIXTURES / "programs" / "pretender.c"

Pretend = Callable[..., ProcessCommand]


@pytest.fixture(scope="session")
def instrument_plan(programs: Path) -> InstrumentPlan:  # noqa: F811
    core = choose_measured_core(None)
    return InstrumentPlan(programs / "ciphermark-launcher", core, True, MonitorPlan(10_000_000, 100_000_000))


@pytest.fixture
def instrument(instrument_plan: InstrumentPlan) -> Iterator[Instrument]:
    with Instrument(instrument_plan) as instrument:
        yield instrument


@pytest.fixture
def pretend(tmp_path: Path) -> Pretend:
    """Compile the imitation in one mode and return the command that executes it."""

    def make(mode: str, timeout_seconds: float = 60.0) -> ProcessCommand:
        program = tmp_path / f"pretender-{mode.replace('=', '-')}"
        defines = [f"-D{mode}", f"-DINPUT_BYTES={INPUT_BYTES}"]
        subprocess.run(["gcc", "-O1", "-static", *defines, "-o", str(program), str(SOURCE)], check=True)
        chunk = tmp_path / "chunk"
        chunk.write_bytes(b"c" * INPUT_BYTES)
        return ProcessCommand(program, "own", "noop", "none", timeout_seconds, 65536, chunk, INPUT_BYTES)

    return make


@pytest.fixture
def own_noop(programs: Path, tmp_path: Path) -> ProcessCommand:  # noqa: F811
    chunk = tmp_path / "chunk"
    chunk.write_bytes(b"c" * INPUT_BYTES)
    return ProcessCommand(programs / "ciphermark-own", "own", "noop", "none", 60.0, 65536, chunk, INPUT_BYTES)


@pytest.fixture(scope="session")
def build(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> InstalledBuild:  # noqa: F811
    """The programs of this checkout, installed in a separate cache."""
    return install_prebuilt(programs, tmp_path_factory.mktemp("cache"))


@pytest.fixture
def bench(tmp_path: Path, build: InstalledBuild, instrument_plan: InstrumentPlan) -> Iterator[DaemonBench]:
    """A daemon whose service is unreachable, with its chunk in the cache."""
    with daemon_bench(tmp_path, build, instrument_plan) as bench:
        yield bench
