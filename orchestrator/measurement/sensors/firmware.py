"""Queries of a Raspberry Pi's firmware through the mailbox device or the program vcgencmd."""

import contextlib
import fcntl
import os
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from orchestrator.measurement.machine.roots import Roots
from orchestrator.shared.errors import NoData

_DEVICES = ("vcio_gencmd", "vcio")
_GET_GENCMD_RESULT = 0x00030080
_RESPONSE_OK = 0x80000000
_TEXT_BYTES = 4096
_HEADER = struct.Struct("=6I")
"""Fields: total size, request or response, tag, size of the text, size of the response, firmware's return code."""
_IOCTL = 0xC0000000 | struct.calcsize("P") << 16 | 100 << 8
"""_IOWR(100, 0, char *), whose size is that of a pointer. Source: raspberrypi/linux, drivers/char/broadcom/vcio.c."""
_PROGRAM_SECONDS = 2.0
_REMEDY = "Add this user to the group of the device: sudo usermod -aG video $USER, then log in again."


def request(command: str) -> bytearray:
    """Return the mailbox message of a vcgencmd command.

    Source: raspberrypi/utils, vcgencmd; the wiki of raspberrypi/firmware, "Mailbox property interface".
    """
    size = _HEADER.size + _TEXT_BYTES + 4
    text = command.encode("ascii").ljust(_TEXT_BYTES, b"\0")
    return bytearray(_HEADER.pack(size, 0, _GET_GENCMD_RESULT, _TEXT_BYTES, 0, 0) + text + bytes(4))


def answer(message: bytes) -> str:
    """Return the text of the firmware's response; raises NoData for an error or an incomplete response."""
    if len(message) < _HEADER.size + 4:
        raise NoData(f"the firmware's response has {len(message)} bytes, expected at least {_HEADER.size + 4}")
    _, response, _, _, _, code = _HEADER.unpack_from(message)
    text = bytes(message[_HEADER.size :]).split(b"\0", 1)[0].decode("ascii", errors="replace").strip()
    if response != _RESPONSE_OK or code != 0 or text.startswith("error="):
        raise NoData(f"the firmware rejected the command: response {response:#x}, code {code}, {text[:80]!r}")
    if not text:
        raise NoData("the firmware's response is empty")
    return text


@dataclass(frozen=True)
class Firmware:
    """Access to the firmware: a device or a program."""

    device: Path | None
    program: str | None

    @property
    def source(self) -> str:
        """Description of the access."""
        return f"mailbox {self.device}" if self.device else f"program {self.program}"

    def query(self, command: str) -> str:
        """Return the firmware's response; raises NoData with the reason."""
        if self.device is not None:
            return _over_mailbox(self.device, command)
        return _by_program(str(self.program), command)


def find_firmware(roots: Roots) -> Firmware:
    """Return the access to the firmware; raises NoData if there is none."""
    for name in _DEVICES:
        with contextlib.suppress(OSError):
            os.close(os.open(roots.dev / name, os.O_RDONLY | os.O_CLOEXEC))
            return Firmware(roots.dev / name, None)
    program = shutil.which("vcgencmd", path=roots.search_path)
    if program:
        return Firmware(None, program)
    if (roots.dev / _DEVICES[-1]).exists():
        raise NoData(f"{roots.dev / _DEVICES[-1]} may not be read by this user: {_REMEDY}")
    raise NoData(f"neither {roots.dev / _DEVICES[-1]} nor the program vcgencmd exists: this is not a Raspberry Pi")


def _over_mailbox(device: Path, command: str) -> str:
    message = request(command)
    try:
        descriptor = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.ioctl(descriptor, _IOCTL, message, True)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise NoData(f"{device} rejected {command}: {error.strerror or error}") from error
    return answer(bytes(message))


def _by_program(program: str, command: str) -> str:
    try:
        ended = subprocess.run(
            [program, command], stdin=subprocess.DEVNULL, capture_output=True, timeout=_PROGRAM_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NoData(f"{program} {command} did not respond within {_PROGRAM_SECONDS:g} s") from error
    except OSError as error:
        raise NoData(f"{program} could not be started: {error.strerror}") from error
    text = ended.stdout.decode(errors="replace").strip()
    if ended.returncode != 0 or not text or text.startswith("error="):
        output = text or ended.stderr.decode(errors="replace").strip()
        raise NoData(f"{program} {command} ended with {ended.returncode} and printed {output[-120:]!r}")
    return text
