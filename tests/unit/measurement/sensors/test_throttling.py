import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.measurement.sensors.firmware import answer, request
from orchestrator.measurement.sensors.throttling import SINCE_START_BIT, find, parse_bits, throttled_now
from orchestrator.shared.errors import NoData
from tests.support.kernel_tree import build, build_machine, public_folder, put, without_rights


class TestBits:
    def test_kernel_file_is_hexadecimal_without_prefix(self) -> None:
        # Read as a decimal number 50005 would be 0xc355: bits that do not exist.
        assert parse_bits("50005\n", "file").value == 0x50005

    @pytest.mark.parametrize("text", ["0x50005", "throttled=0x50005"])
    def test_firmware_formats_are_parsed(self, text: str) -> None:
        assert parse_bits(text, "firmware").value == 0x50005

    @pytest.mark.parametrize("text", ["", "-1", "throttled=", "0x", "nan", "100000000", "error=1", "f0f00"])
    def test_unexpected_text_is_absent(self, text: str) -> None:
        value = parse_bits(text, "file")

        assert value.value is None
        assert value.reason.startswith("file ")

    def test_current_bits_and_bits_since_boot_are_separate(self) -> None:
        assert throttled_now(0x50005) == ["under-voltage", "throttled"]
        assert throttled_now(0x50005 >> SINCE_START_BIT) == ["under-voltage", "throttled"]
        assert throttled_now(0xE0008) == ["soft temperature limit"]
        assert throttled_now(0xE0008 >> SINCE_START_BIT) == ["frequency capped", "throttled", "soft temperature limit"]
        assert throttled_now(None) == []

    @given(st.text(max_size=20))
    def test_any_text_gives_known_bits_or_a_reason(self, text: str) -> None:
        value = parse_bits(text, "file")

        assert (value.value is None) == bool(value.reason)
        assert value.value is None or int(value.value) & ~0xF000F == 0


class TestFind:
    def test_kernel_file_of_a_pi_5_is_found(self, tmp_path: Path) -> None:
        path = "sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled"
        (sensor,) = find(build(f"{path} = 4\n", tmp_path)).sensors

        assert sensor.quick
        assert sensor.read().value == 4.0

    def test_vcgencmd_is_used_if_there_is_no_kernel_file(self, tmp_path: Path) -> None:
        (sensor,) = find(build_machine("raspberry-pi-5", tmp_path)).sensors

        assert not sensor.quick
        assert sensor.read().value == 0.0
        put(tmp_path / "bin/vcgencmd.get_throttled", "throttled=0x4")
        assert sensor.read().value == 4.0

    def test_failing_program_gives_the_reason(self, tmp_path: Path) -> None:
        (sensor,) = find(build_machine("raspberry-pi-5", tmp_path)).sensors
        (tmp_path / "bin/vcgencmd").write_text("#!/bin/sh\necho no VCHI connection >&2\nexit 255\n")

        value = sensor.read()

        assert value.value is None
        assert "ended with 255 and printed 'no VCHI connection'" in value.reason

    def test_hwmon_alarm_reports_under_voltage_only(self, tmp_path: Path) -> None:
        roots = build("sys/class/hwmon/hwmon1/name = rpi_volt\nsys/class/hwmon/hwmon1/in0_lcrit_alarm = 1\n", tmp_path)
        (sensor,) = find(roots).sensors

        assert "only under-voltage" in sensor.source
        assert throttled_now(sensor.read().value) == ["under-voltage"]
        put(roots.sys / "class/hwmon/hwmon1/in0_lcrit_alarm", "7")
        assert sensor.read().value is None

    def test_device_that_is_not_a_mailbox_gives_the_reason(self, tmp_path: Path) -> None:
        (sensor,) = find(build("dev/vcio = \n", tmp_path)).sensors

        value = sensor.read()

        assert value.value is None
        assert "rejected get_throttled: Inappropriate ioctl for device" in value.reason

    def test_unreadable_device_names_the_group(self) -> None:
        with public_folder() as folder:
            roots = build("dev/vcio = \n", folder)
            (roots.dev / "vcio").chmod(0)
            with without_rights():
                found = find(roots)

        assert found.sensors == ()
        assert "usermod -aG video" in found.absent


class TestMailbox:
    def test_request_has_the_layout_of_the_mailbox_interface(self) -> None:
        message = request("get_throttled")

        size, code, tag, room, _, _ = struct.unpack_from("=6I", message)
        assert (size, code, tag, room) == (len(message), 0, 0x00030080, 4096)
        assert bytes(message[24:38]) == b"get_throttled\0"
        assert bytes(message[-4:]) == bytes(4)

    def test_text_of_the_response_is_returned(self) -> None:
        message = struct.pack("=6I", 64, 0x80000000, 0x00030080, 4096, 0x80000010, 0) + b"throttled=0x0\n\0" + bytes(9)

        assert answer(message) == "throttled=0x0"

    @pytest.mark.parametrize(
        ("response", "code", "text", "reason"),
        [
            (0x80000001, 0, b"throttled=0x0", "response 0x80000001"),
            (0x80000000, 1, b"throttled=0x0", "code 1"),
            (0x80000000, 0, b'error=1 error_msg="Command not registered"', "not registered"),
            (0x80000000, 0, b"", "is empty"),
        ],
    )
    def test_rejected_command_gives_the_reason(self, response: int, code: int, text: bytes, reason: str) -> None:
        message = struct.pack("=6I", 64, response, 0x00030080, 4096, 0, code) + text + bytes(8)

        with pytest.raises(NoData, match=reason):
            answer(message)

    def test_short_response_gives_the_reason(self) -> None:
        with pytest.raises(NoData, match="has 3 bytes"):
            answer(b"abc")
