from pathlib import Path

from orchestrator.daemon.machine.processor import read_processor
from orchestrator.measurement.machine.roots import Roots
from tests.support.paths import FIXTURES

PI = Roots(*(FIXTURES / "raspberry-pi-4-by-hand" / name for name in ("proc", "sys", "etc")))


class TestReadProcessor:
    def test_raspberry_pi_core_is_named_by_its_part_number_and_missing_facts_have_reasons(self) -> None:
        absent: dict[str, str] = {}
        processor = read_processor(PI, "aarch64", 3, absent)

        assert processor.model == "Cortex-A72"
        assert processor.online_cores == [0, 1, 2, 3]
        assert "crc32" in processor.isa_extensions
        assert processor.max_frequency_hz == 1_800_000_000
        assert processor.governor == "ondemand"
        assert processor.base_frequency_hz is None
        assert "base_frequency" in absent["processor.base_frequency_hz"]
        assert "processor.governor" not in absent
        assert (processor.microcode, absent["processor.microcode"]) == (
            None, "Arm processors report no microcode version",
        )  # fmt: skip

    def test_recorded_x86_machine_is_described(self, tmp_path: Path) -> None:
        absent: dict[str, str] = {}
        processor = read_processor(Roots(FIXTURES / "proc", tmp_path, tmp_path), "x86_64", 1, absent)

        assert processor.model == "Intel(R) Xeon(R) Processor"
        assert {"aes", "avx2", "sha_ni"} <= set(processor.isa_extensions)
        assert processor.microcode == "0x1"
        assert "processor.microcode" not in absent

    def test_machine_without_any_files_raises_no_error(self, tmp_path: Path) -> None:
        absent: dict[str, str] = {}
        processor = read_processor(Roots(tmp_path, tmp_path, tmp_path), "riscv64", 0, absent)

        assert processor.model is None
        assert "processor.model" in absent
