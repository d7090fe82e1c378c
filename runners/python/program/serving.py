"""The requests of the driver and their answers, and the loop that is timed."""

from __future__ import annotations

import gc
import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from ciphers.errors import AuthenticationFailed, BadLength
from ciphers.table import PROVIDER, implementations

from program.implementation import Implementation
from program.message import Message
from program.requests import Requests

_INTERNAL = 70
_NO_COLLECTIONS = "" if hasattr(gc, "callbacks") else "this interpreter does not report its collections"


class Program:
    """Answers requests, one after the other."""

    def __init__(self, requests: Requests) -> None:
        """Begin without a message."""
        self._requests = requests
        self._message = Message(None, b"", b"")
        self._collections = 0
        if not _NO_COLLECTIONS:
            gc.callbacks.append(self._note_collection)

    def answer(self, line: bytes) -> Iterator[bytes]:
        """Yield the answer to a request."""
        name, _, fields = line.partition(b" ")
        if name == b"list":
            yield "".join(f"{one}\n" for one in _listing()).encode()
        elif name == b"prepare":
            yield self._prepare(fields)
        elif name == b"time":
            yield self._time(*fields.decode().split(" "))
        elif name == b"output":
            output = getattr(self._message, fields.decode())
            yield b"ok %d\n" % len(output)
            yield output
        else:
            yield _error("internal", f"{line!r} is no request")

    def _prepare(self, fields: bytes) -> bytes:
        *words, source = fields.split(b" ", 7)
        algorithm, variant, key, nonce, data_bytes, buffer, size = (word.decode() for word in words)
        message = Message(_find(algorithm, variant), _from_hex(key), _from_hex(nonce))
        begin_ns = _monotonic_ns()
        try:
            read = message.load(self._requests, buffer, int(size), int(data_bytes), None if source == b"-" else source)
        except OSError as error:
            return _error("bad-input", f"{source.decode(errors='replace')}: {error.strerror}")
        wall_ns = _monotonic_ns() - begin_ns
        self._message = message
        return b"ok %d %d\n" % (read, wall_ns)

    def _time(self, operations: str, iterations: str, timings: str) -> bytes:
        call = _joined([self._message.operation(name) for name in operations.split("+")])
        rows = [self._timing(call, range(int(iterations))) for _ in range(int(timings))]
        return f"ok {' '.join(rows)}\n".encode()

    def _timing(self, call: Callable[[], Any], repeat: range) -> str:
        collections = self._collections
        cpu_ns, wall_ns = time.process_time_ns(), _monotonic_ns()
        for _ in repeat:
            call()
        wall_ns, cpu_ns = _monotonic_ns() - wall_ns, time.process_time_ns() - cpu_ns
        return f"{wall_ns} {cpu_ns} {'-' if _NO_COLLECTIONS else self._collections - collections}"

    def _note_collection(self, phase: str, _facts: dict[str, int]) -> None:
        if phase == "start":
            self._collections += 1


def serve(requests: Requests, answers: io.RawIOBase) -> int:
    """Answer requests until one ends the program; return its exit code."""
    program = Program(requests)
    while True:
        try:
            line = requests.line()
        except EOFError:
            return _INTERNAL
        if line.startswith(b"exit "):
            return int(line[5:])
        for part in _answered(program, line):
            rest = memoryview(part)
            while rest:
                rest = rest[answers.write(rest) :]


def _answered(program: Program, line: bytes) -> Iterator[bytes]:
    try:
        yield from program.answer(line)
    except BadLength as error:
        yield _error("bad-length", str(error))
    except AuthenticationFailed:
        yield _error("authentication-failed", "the tag does not match")
    except MemoryError:
        yield _error("bad-input", "the machine does not have enough memory for this input")
    except Exception as error:  # A stack trace is no answer.
        yield _error("internal", f"{type(error).__name__}: {error}")


def _error(name: str, sentence: str) -> bytes:
    return f"error {name} {' '.join(sentence.split())}\n".encode()


def _joined(calls: list[Callable[[], Any]]) -> Callable[[], Any]:
    first, *others = calls
    if not others:
        return first
    then = _joined(others)

    def both() -> None:
        first()
        then()

    return both


def _find(algorithm: str, variant: str) -> Implementation | None:
    if algorithm == "-":
        return None
    return next(one for one in implementations() if (one.algorithm, one.variant) == (algorithm, variant))


def _from_hex(text: str) -> bytes:
    return b"" if text == "-" else bytes.fromhex(text)


def _monotonic_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def _listing() -> Iterator[str]:
    # Without platform and sysconfig, whose import would be a third of the start.
    name = {"cpython": "CPython", "pypy": "PyPy"}.get(sys.implementation.name, sys.implementation.name)
    version = ".".join(map(str, getattr(sys, "pypy_version_info", sys.version_info)[:3]))
    machine = os.uname()
    facts = {"provider": PROVIDER, "language": "Python", "language_version": f"{name} {version}", "compiler": name}
    facts |= {"compiler_version": version, "target": f"{machine.sysname.lower()}-{machine.machine}"}
    if _NO_COLLECTIONS:
        facts["no_collections"] = _NO_COLLECTIONS
    yield from (f"{field} {value}" for field, value in facts.items())
    yield from (one.line() for one in implementations())
    yield "end"
