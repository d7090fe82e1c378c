"""Command latency: cold, warm and settled calls, timed inside one process."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ciphers.errors import AuthenticationFailed

from program.errors import RunnerError
from program.garbage import REASON, CollectionCount
from program.implementation import Cipher, Implementation
from program.implementations import PROVIDER, find, implementations
from program.inputs import counting_bytes, given_or_counting
from program.known_answers import check, parse, read_vectors
from program.measure import COUNTERS, NO_CLOCK, NO_COUNTERS, Memory, Phases, monotonic_ns
from program.options import Options

_MAX_TIMED_BYTES = 1 << 30
_WARM_CALLS = 16
_STEPS_OF_A_TIMING = 1000
"""A timing lasts at least this many steps of the clock."""
_MAX_GROWTH = 8
_PROOF_BLOCKS = 16
_WINDOW = 3
"""Batches that the rule of settling compares with as many before them."""
_SETTLED_SHARE = 0.98
_SETTLING_NS = 2_000_000_000
_RULE = "fastest of 3 batches within 2 % of the 3 before"

Call = Callable[[], Any]


@dataclass
class Case:
    """Implementation, operation and inputs of the timed calls."""

    implementation: Implementation
    operation: str
    key_setup: str
    fill: str
    key: bytes
    nonce: bytes
    associated_data: bytes
    message: bytes
    min_time_ns: int
    timings: int


@dataclass
class Timing:
    """Consecutive calls, timed together."""

    iterations: int
    wall_ns: int
    cpu_ns: int
    collections: int | None


def execute(options: Options, phases: Phases) -> None:
    """Time a case, verify its output and print the report."""
    case = _case(options)
    work = _Work(case)
    readings = work.measure()
    complaint, verified_by = work.check()
    report = {
        "protocol": 2,
        "command": "latency",
        "provider": PROVIDER,
        "algorithm": case.implementation.algorithm,
        "variant": case.implementation.variant,
        "masking": None,
        "operation": case.operation,
        "key_setup": case.key_setup,
        "message_bytes": 0 if case.operation == "key-setup" else len(case.message),
        "associated_data_bytes": len(case.associated_data),
        "fill": case.fill,
        **readings,
        "counters_reason": NO_COUNTERS,
        "counter_reasons": dict.fromkeys(COUNTERS, NO_COUNTERS),
        "garbage_collections_reason": REASON,
        "multiply_cycles": None,
        "min_cycles": None,
        "baseline_rss_bytes": phases.baseline_rss_bytes,
        "output_sha256": hashlib.sha256(work.output).hexdigest(),
        "verified_by": verified_by,
        "verified": not complaint,
    }
    print(json.dumps(report))
    if complaint:
        raise RunnerError("not-verified", complaint)


def _case(options: Options) -> Case:
    operation, key_fill = options.operation, options.get("--key-fill")
    if key_fill and (options.get("--key") or options.get("--nonce")):
        raise RunnerError("usage", "--key-fill makes key and nonce; expected it without --key and --nonce")
    key_setup = options.get("--key-setup") or "apart"
    if operation == "key-setup" and key_setup == "included":
        raise RunnerError(
            "usage",
            "--key-setup included belongs to encrypt and decrypt; --operation is key-setup, which is timed alone",
        )
    implementation = find(options.algorithm, options.variant)
    data_bytes = options.number("--ad-length", 0)
    message_bytes = _message_bytes(options, implementation, data_bytes)
    _require_lengths(implementation, message_bytes, data_bytes)
    fill = options.get("--fill") or "counter"

    def secret(option: str, size: int) -> bytes:
        return bytes(size) if key_fill == "zero" else given_or_counting(option, options.get(option), size)

    return Case(
        implementation=implementation,
        operation=operation,
        key_setup=key_setup,
        fill=fill,
        key=secret("--key", implementation.key_bytes),
        nonce=secret("--nonce", implementation.nonce_bytes),
        associated_data=_filled(fill, data_bytes),
        message=_filled(fill, message_bytes),
        min_time_ns=round(options.milliseconds() * 1e6),
        timings=options.number("--timings", 10),
    )


def _message_bytes(options: Options, implementation: Implementation, data_bytes: int) -> int:
    given = options.number("--length", 0)
    if options.operation != "key-setup":
        if options.get("--length") is None:
            raise RunnerError("usage", "--length is required to encrypt or decrypt")
        return given
    if given or data_bytes:
        raise RunnerError(
            "bad-input",
            f"--length is {given} and --ad-length {data_bytes}, expected 0 for key-setup: it takes no message",
        )
    return _PROOF_BLOCKS * implementation.block_bytes


def _require_lengths(implementation: Implementation, message_bytes: int, data_bytes: int) -> None:
    implementation.require_message(message_bytes)
    if data_bytes and implementation.kind != "aead":
        raise RunnerError("bad-input", f"--ad-length is {data_bytes}, but {implementation.algorithm} is no AEAD")
    for option, size in (("--length", message_bytes), ("--ad-length", data_bytes)):
        if size > _MAX_TIMED_BYTES:
            raise RunnerError(
                "bad-input",
                f"{option} is {size}, expected at most {_MAX_TIMED_BYTES}; 'process' takes longer messages",
            )


def _filled(fill: str, size: int) -> bytes:
    """Return zeros, 00 01 02 …, or SplitMix64 (Steele, Lea and Flood 2014) from the seed 0."""
    if fill == "zero":
        return bytes(size)
    if fill == "counter":
        return counting_bytes(size)
    mask, state, words = 0xFFFFFFFFFFFFFFFF, 0, []
    for _ in range(0, size, 8):
        state = (state + 0x9E3779B97F4A7C15) & mask
        word = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & mask
        word = (word ^ word >> 27) * 0x94D049BB133111EB & mask
        words.append((word ^ word >> 31).to_bytes(8, "little"))
    return b"".join(words)[:size]


class _Work:
    """The calls of one case."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._cipher: Cipher | None = None
        self._collections = CollectionCount()
        self._calls = 0
        self.output = b""
        decrypts = case.operation == "decrypt"
        self._input = _in_child(lambda: _encrypted(case)) if decrypts else case.message

    def measure(self) -> dict[str, Any]:
        """Return the readings of all timings, as fields of the report."""
        resolution_ns, reading_ns = _observe_clock()
        min_ns = max(self._case.min_time_ns, _STEPS_OF_A_TIMING * resolution_ns)
        cold_key_setup = self._time(1, self._set_key)
        call = self._call()
        cold_call = None if self._case.operation == "key-setup" else self._time(1, call)
        warm = [self._time(1, call).wall_ns for _ in range(_WARM_CALLS)]
        iterations = self._calibrate(min_ns, call)
        iterations, settling = self._settle(iterations, min_ns, call)
        timings = [self._time(iterations, call) for _ in range(self._case.timings)]
        memory = Memory()
        return {
            "clock": {"resolution_ns": resolution_ns, "reading_ns": reading_ns},
            "min_timing_ns": min_ns,
            "cold": {"key_setup": _cold(cold_key_setup), "call": _cold(cold_call) if cold_call else None},
            "warm": {"calls": _WARM_CALLS, "wall_ns": warm},
            "settling": settling,
            "timings": [_settled(timing) for timing in timings],
            "peak_rss_bytes": memory.peak_rss_bytes,
        }

    def check(self) -> tuple[str, list[str]]:
        """Return the complaint, empty if the output is right, and what verified it."""
        case, implementation = self._case, self._case.implementation
        for answer in parse(read_vectors(implementation.algorithm).decode()).answers:
            complaint, _ = check(implementation, answer)
            if complaint:
                return f"{implementation.algorithm}.vec line {answer.line}: {complaint}", ["known answers"]
        by = ["known answers", "the message that was encrypted" if case.operation == "decrypt" else "decryption"]
        if case.operation == "key-setup":
            self.output = self._keyed().encrypt(case.nonce, case.associated_data, case.message)
        ciphertext = self._input if case.operation == "decrypt" else self.output
        plaintext = self.output if case.operation == "decrypt" else _decrypted(case, ciphertext)
        if plaintext != case.message:
            return "the output of the timed calls does not match the message", by
        for other in implementations():
            if other.algorithm == implementation.algorithm and other.variant != implementation.variant:
                by.append(f"variant {other.variant}")
                if other.make(case.key).encrypt(case.nonce, case.associated_data, case.message) != ciphertext:
                    return f"variant {other.variant} makes another ciphertext", by
        return "", by

    def _keyed(self) -> Cipher:
        assert self._cipher is not None
        return self._cipher

    def _set_key(self) -> None:
        self._cipher = self._case.implementation.make(self._case.key)

    def _call(self) -> Call:
        case, message = self._case, self._input
        if case.operation == "key-setup":
            return self._set_key
        decrypts = case.operation == "decrypt"

        def process() -> None:
            cipher = self._keyed()
            work = cipher.decrypt if decrypts else cipher.encrypt
            self.output = work(case.nonce, case.associated_data, message)

        def set_key_and_process() -> None:
            self._set_key()
            process()

        return set_key_and_process if case.key_setup == "included" else process

    def _time(self, iterations: int, call: Call) -> Timing:
        before = self._collections.count
        repeat = range(iterations)
        cpu_ns, wall_ns = time.process_time_ns(), monotonic_ns()
        for _ in repeat:
            call()
        wall_ns, cpu_ns = monotonic_ns() - wall_ns, time.process_time_ns() - cpu_ns
        self._calls += iterations
        return Timing(iterations, wall_ns, cpu_ns, self._collections.since(before))

    def _calibrate(self, min_ns: int, call: Call, iterations: int = 1) -> int:
        """Return how many calls last at least so long, seen twice in a row."""
        while True:
            seen_ns = max(1, min(self._time(iterations, call).wall_ns for _ in range(2)))
            if seen_ns >= min_ns:
                return iterations
            needed = int(1.1 * min_ns / seen_ns * iterations)
            iterations = min(max(needed, iterations + 1), iterations * _MAX_GROWTH)

    def _settle(self, iterations: int, min_ns: int, call: Call) -> tuple[int, dict[str, Any]]:
        """Time batches until they get no faster; return the iterations of a timing and the report."""
        walls: list[int] = []
        begin_ns = monotonic_ns()
        settled = False
        while not settled and monotonic_ns() - begin_ns < _SETTLING_NS:
            walls.append(self._time(iterations, call).wall_ns)
            if len(walls) >= 2 * _WINDOW:
                settled = min(walls[-_WINDOW:]) >= _SETTLED_SHARE * min(walls[-2 * _WINDOW : -_WINDOW])
        wall_ns = monotonic_ns() - begin_ns
        if min(walls) < min_ns:
            iterations = self._calibrate(min_ns, call, iterations)
        report = {"rule": _RULE, "batches": len(walls), "calls": self._calls, "wall_ns": wall_ns, "settled": settled}
        return iterations, report


def _cold(timing: Timing) -> dict[str, Any]:
    return {"wall_ns": timing.wall_ns, "cpu_ns": timing.cpu_ns, "cycles": None, "instructions": None}


def _settled(timing: Timing) -> dict[str, Any]:
    return {
        "iterations": timing.iterations,
        **_cold(timing),
        "counters": dict.fromkeys(COUNTERS),
        "core_clock": {"before_hz": None, "after_hz": None, "hz": None, "reason": NO_CLOCK},
        "derived_cycles": None,
        "impossible": None,
        "garbage_collections": timing.collections,
    }


def _observe_clock() -> tuple[int, int]:
    """Return the smallest step of the clock and the cost of a reading, nanoseconds."""
    readings = [monotonic_ns() for _ in range(4096)]
    steps = [later - earlier for earlier, later in zip(readings, readings[1:]) if later > earlier]
    elapsed_ns = max(1, readings[-1] - readings[0])
    return min(steps, default=elapsed_ns), elapsed_ns // len(readings)


def _encrypted(case: Case) -> bytes:
    return case.implementation.make(case.key).encrypt(case.nonce, case.associated_data, case.message)


def _decrypted(case: Case, ciphertext: bytes) -> bytes:
    try:
        return case.implementation.make(case.key).decrypt(case.nonce, case.associated_data, ciphertext)
    except AuthenticationFailed:
        return b""


def _in_child(work: Callable[[], bytes]) -> bytes:
    """Return what a child process computed, so that the cold calls of this one stay the first."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(work())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        result = pipe.read()
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise RunnerError("internal", "the process that prepares the ciphertext died")
    return result
