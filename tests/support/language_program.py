"""The program of a language without its driver, for tests of what it answers (runners/README.md)."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from tests.support.runner_programs import Message


@dataclass(frozen=True)
class LanguageProgram:
    """A started program."""

    requests: IO[bytes]
    answers: IO[bytes]

    def ask(self, request: str, *content: bytes) -> list[str]:
        """Return the words of the answer to a request and the bytes that follow it."""
        self.requests.write(request.encode() + b"\n" + b"".join(content))
        self.requests.flush()
        return self.answers.readline().decode().split()

    def prepare(self, implementation: tuple[str, str], message: Message, buffer: str) -> list[str]:
        """Prepare a message in a buffer."""
        words = ["prepare", *implementation, message.key.hex() or "-", message.nonce.hex() or "-"]
        words += [str(len(message.associated_data)), buffer, str(len(message.data)), "-"]
        return self.ask(" ".join(words), message.associated_data, message.data)

    def execute(self, operations: str, output: str) -> bytes:
        """Execute operations once and return a buffer."""
        timed = self.ask(f"time {operations} 1 1")
        assert timed[0] == "ok", timed
        outcome, size = self.ask(f"output {output}")
        assert outcome == "ok"
        return self.answers.read(int(size))

    def encrypt(self, implementation: tuple[str, str], message: Message) -> bytes:
        """Return the ciphertext of a message."""
        assert self.prepare(implementation, message, "message")[0] == "ok"
        return self.execute("key-setup+encrypt", "ciphertext")

    def decrypt(self, implementation: tuple[str, str], message: Message) -> bytes:
        """Return the plaintext of a message, whose data are the ciphertext."""
        assert self.prepare(implementation, message, "ciphertext")[0] == "ok"
        return self.execute("key-setup+decrypt", "plaintext")


@contextmanager
def started(command: Sequence[str]) -> Iterator[LanguageProgram]:
    """Start a program with nothing in its environment; it must end with the exit code that is requested at the end."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={})
    assert process.stdin
    assert process.stdout
    try:
        yield LanguageProgram(process.stdin, process.stdout)
        process.stdin.write(b"exit 9\n")
        process.stdin.flush()
        assert process.wait(20) == 9
    finally:
        process.kill()
        process.communicate()
