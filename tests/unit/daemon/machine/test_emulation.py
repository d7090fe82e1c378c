import shutil
from pathlib import Path

import pytest

from orchestrator.daemon.machine.emulation import is_emulated, virtual_machine
from orchestrator.measurement.machine.roots import Roots
from tests.support.paths import FIXTURES

PI = Roots(*(FIXTURES / "raspberry-pi-4-by-hand" / name for name in ("proc", "sys", "etc")))


@pytest.fixture
def x86(tmp_path: Path) -> Roots:
    """A recorded x86 machine whose kernel is too old for /proc/sys/kernel/arch."""
    (tmp_path / "proc").mkdir()
    shutil.copy(FIXTURES / "proc" / "cpuinfo", tmp_path / "proc" / "cpuinfo")
    return Roots(tmp_path / "proc", tmp_path / "sys", tmp_path / "etc")


class TestIsEmulated:
    def test_guest_of_another_architecture_is_emulated_by_cpuinfo(self, x86: Roots) -> None:
        assert is_emulated(x86, "aarch64")
        assert is_emulated(x86, "armv7l")
        assert not is_emulated(x86, "x86_64")

    def test_kernel_architecture_takes_precedence(self, x86: Roots) -> None:
        (x86.proc / "sys/kernel").mkdir(parents=True)
        (x86.proc / "sys/kernel/arch").write_text("x86_64\n")
        (x86.proc / "cpuinfo").unlink()

        assert is_emulated(x86, "aarch64")
        assert not is_emulated(x86, "i686")

    @pytest.mark.parametrize("machine", ["aarch64", "armv7l", "armv8l"])
    def test_32_bit_programs_on_a_64_bit_pi_are_not_emulated(self, machine: str) -> None:
        assert not is_emulated(PI, machine)


class TestVirtualMachine:
    def test_raspberry_pi_is_bare_metal(self) -> None:
        assert virtual_machine(PI) is None

    def test_hypervisor_without_a_vendor_is_unnamed(self, x86: Roots) -> None:
        assert virtual_machine(x86) == "unnamed hypervisor"

    def test_vendor_is_read_from_dmi(self, x86: Roots) -> None:
        folder = x86.sys / "class/dmi/id"
        folder.mkdir(parents=True)
        (folder / "sys_vendor").write_text("QEMU\n")

        assert virtual_machine(x86) == "QEMU"
