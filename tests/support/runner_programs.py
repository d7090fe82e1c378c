"""The native programs as the tests in this folder use them: built by CMake, called as processes."""

import fcntl
import json
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from orchestrator.compilation.native.libraries import runner_libraries
from tests.support.paths import REPOSITORY

BUILD_FOLDER = REPOSITORY / "build"
_LIBRARIES = runner_libraries(REPOSITORY / "runners")
PROVIDERS = ("own", *(library.provider for library in _LIBRARIES if library.set_up == "demo"))
"""Own ciphers and two libraries, which show what holds for every program."""
MORE_LIBRARIES = tuple(library.provider for library in _LIBRARIES if library.set_up != "demo")
"""Libraries of which only the ciphers are tested."""


@dataclass(frozen=True)
class Message:
    """One message and the values it is encrypted under."""

    key: bytes
    nonce: bytes
    data: bytes
    associated_data: bytes = b""


@dataclass(frozen=True)
class Runner:
    """A runner program at its path, and the words before it: an emulator, or a limit that the kernel enforces."""

    path: Path
    under: tuple[str, ...] = ()

    def call(self, *arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
        """Execute the program with nothing in its environment."""
        return subprocess.run(  # noqa: PLW1510 (the exit code is what is looked at)
            [*self.under, self.path, *arguments], capture_output=True, env={}, timeout=120
        )

    def within(self, memory_bytes: int) -> "Runner":
        """Return the same program with a limited address space: larger allocations fail."""
        return replace(self, under=("prlimit", f"--as={memory_bytes}", *self.under))

    def refusal(self, *arguments: str | Path) -> tuple[int, str, str]:
        """Execute the program, which must fail: exit code, name of the error and its sentence."""
        ended = self.call(*arguments)
        line = json.loads(ended.stderr)
        assert set(line) == {"error", "detail"}
        return ended.returncode, line["error"], line["detail"]

    def list(self) -> dict[str, Any]:
        """Return what ``list`` prints."""
        ended = self.call("list")
        assert ended.returncode == 0, ended.stderr
        answer: dict[str, Any] = json.loads(ended.stdout)
        return answer

    def available(self) -> dict[str, dict[str, Any]]:
        """Return the default implementation of each algorithm."""
        return {row["algorithm"]: row for row in self.list()["implementations"] if row.get("default")}

    def process(self, algorithm: str, path: Path) -> dict[str, Any]:
        """Return the report of ``process``."""
        ended = self.call("process", "--algorithm", algorithm, "--in", path)
        assert ended.returncode == 0, ended.stderr
        report: dict[str, Any] = json.loads(ended.stdout)
        return report

    def crypt(self, operation: str, algorithm: str, message: Message, folder: Path) -> bytes:
        """Encrypt or decrypt one message through files in the folder."""
        (folder / "in").write_bytes(message.data)
        arguments: list[str | Path] = ["crypt", "--algorithm", algorithm, "--operation", operation]
        arguments += ["--key", message.key.hex(), "--in", folder / "in", "--out", folder / "out"]
        if message.nonce:
            arguments += ["--nonce", message.nonce.hex()]
        if message.associated_data:
            arguments += ["--ad", message.associated_data.hex()]
        ended = self.call(*arguments)
        assert ended.returncode == 0, ended.stderr
        return (folder / "out").read_bytes()


def build(binary_folder: Path, *definitions: str, target: str = "all", sources: Path = REPOSITORY / "runners") -> Path:
    """Configure and build the runners like the preset ``release``, one worker at a time; a second call does nothing."""
    configure: list[str | Path] = ["cmake", "-G", "Ninja", "-S", sources, "-B", binary_folder]
    configure += [f"-D{definition}" for definition in definitions]
    compiling: list[str | Path] = ["cmake", "--build", binary_folder, "--target", target]
    binary_folder.mkdir(parents=True, exist_ok=True)
    with (binary_folder / "tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (configure, compiling):
            ended = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
            assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-3000:]
    return binary_folder


def build_planted(provider: str, fault: str) -> Path:
    """Return this provider's runner with that fault, made of the same objects as the genuine one."""
    folder = build(BUILD_FOLDER / "tests", target=f"planted-{fault}-{provider}")
    return folder / "planted" / fault / f"ciphermark-{provider}"
