"""CPU features from the words of the auxiliary vector."""

import platform
from pathlib import Path

import pytest

from orchestrator.compilation.cpu_features import cpu_features, device_machine, missing_features, parse_features

# From /proc/self/auxv of a Raspberry Pi 3 (Cortex-A53 without the cryptographic instructions).
PI_3_32_BIT = 0x003FB0D6


class TestDeviceMachine:
    @pytest.mark.parametrize(
        ("machine", "pointer_bytes", "expected"),
        [
            ("aarch64", 8, "aarch64"),
            ("aarch64", 4, "armhf"),  # a 32-bit userland on a 64-bit kernel
            ("armv8l", 4, "armhf"),
            ("armv7l", 4, "armhf"),
            ("armv6l", 4, "armhf"),
            ("x86_64", 8, "x86_64"),
            ("x86_64", 4, None),
            ("riscv64", 8, None),
        ],
    )
    def test_kind_follows_the_userland(self, machine: str, pointer_bytes: int, expected: str | None) -> None:
        assert device_machine(machine, pointer_bytes) == expected


class TestParseFeatures:
    def test_32_bit_pi_has_neon_and_version_7(self) -> None:
        features = parse_features("armhf", PI_3_32_BIT, 0b10000, "armv7l")

        assert {"neon", "vfpv3", "vfpv4", "idiva", "edsp", "crc32", "armv6", "armv7"} <= features
        assert not {"aes", "armv8"} & features

    def test_32_bit_userland_on_a_64_bit_kernel_has_version_8(self) -> None:
        assert {"armv6", "armv7", "armv8"} <= parse_features("armhf", 0, 0, "aarch64")

    def test_first_pi_lacks_version_7(self) -> None:
        features = parse_features("armhf", 0b11_1101_0110, 0, "armv6l")

        assert missing_features(["armv7", "vfpv3", "vfp"], features) == ["armv7", "vfpv3"]

    @pytest.mark.skipif(platform.machine() != "x86_64", reason="reads this processor")
    def test_features_of_this_x86_64_processor_include_those_that_the_kernel_lists(self) -> None:
        line = next(one for one in Path("/proc/cpuinfo").read_text().splitlines() if one.startswith("flags"))

        assert set(line.partition(":")[2].split()) <= cpu_features("x86_64")
