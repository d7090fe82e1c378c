"""Commands process and noop: the measured work, then its verification and report."""

from __future__ import annotations

from typing import Any

from program.errors import RunnerError
from program.implementation import Implementation
from program.implementations import PROVIDER, find
from program.inputs import InputFile, given_or_counting
from program.measure import COUNTERS, NO_CLOCK, NO_COUNTERS, Phases, read_input_output
from program.options import Options

_PAGE_BYTES = 4096


class Buffers:
    """Input, ciphertext and plaintext, with every page touched."""

    def __init__(self, message_bytes: int, tag_bytes: int) -> None:
        """Allocate and touch."""
        self.input = bytearray(message_bytes)
        self.ciphertext = bytearray(message_bytes + tag_bytes)
        self.plaintext = bytearray(message_bytes)
        for buffer in self.all():
            for at in range(0, len(buffer), _PAGE_BYTES):
                buffer[at] = 0

    def all(self) -> tuple[bytearray, bytearray, bytearray]:
        """Return the three buffers."""
        return self.input, self.ciphertext, self.plaintext


def execute(options: Options, phases: Phases) -> None:
    """Execute process or noop."""
    if options.command == "noop":
        _noop(options, phases)
    else:
        _process(options, phases)


def _process(options: Options, phases: Phases) -> None:
    implementation = find(options.algorithm, options.variant)
    key = given_or_counting("--key", options.get("--key"), implementation.key_bytes)
    nonce = given_or_counting("--nonce", options.get("--nonce"), implementation.nonce_bytes)
    file = InputFile(options.values["--in"])
    padded = _padded(implementation, file.size)
    buffers = phases.measure("load", lambda: _load(file, padded, implementation.tag_bytes))
    from program.garbage import REASON, CollectionCount

    collections = CollectionCount()
    cipher = phases.measure("key_setup", lambda: implementation.make(key))

    def encrypt() -> None:
        buffers.ciphertext[:] = cipher.encrypt(nonce, b"", buffers.input)

    def decrypt() -> None:
        buffers.plaintext[:] = cipher.decrypt(nonce, b"", buffers.ciphertext)

    counts: dict[str, Any] = {}
    for phase, work in (("encrypt", encrypt), ("decrypt", decrypt)):
        before = collections.count
        phases.measure(phase, work)
        counts[phase] = collections.since(before)
    report = {"command": "process", "algorithm": implementation.algorithm, "variant": implementation.variant}
    _verify_and_print(report, file, buffers, phases, {"garbage_collections": {**counts, "reason": REASON}})


def _noop(options: Options, phases: Phases) -> None:
    file = InputFile(options.values["--in"])
    buffers = phases.measure("load", lambda: _load(file, file.size, 0))
    for phase in ("key_setup", "encrypt", "decrypt"):
        phases.measure(phase, lambda: None)
    buffers.ciphertext[:] = buffers.input
    buffers.plaintext[:] = buffers.input
    report = {"command": "noop", "algorithm": "noop", "variant": "none"}
    _verify_and_print(report, file, buffers, phases, {})


def _padded(implementation: Implementation, size: int) -> int:
    """Return the size with the zeros that ECB and CBC need."""
    return size + -size % implementation.block_bytes if implementation.whole_blocks_only else size


def _load(file: InputFile, padded: int, tag_bytes: int) -> Buffers:
    buffers = Buffers(padded, tag_bytes)
    file.read_into(buffers.input)
    return buffers


def _verify_and_print(
    case: dict[str, Any], file: InputFile, buffers: Buffers, phases: Phases, further: dict[str, Any]
) -> None:
    input_output = read_input_output()  # First, before anything else reads or writes.
    import hashlib
    import json

    verified = buffers.input == buffers.plaintext
    nothing = {"encrypt": None, "decrypt": None}
    report = {
        "protocol": 2,
        "provider": PROVIDER,
        **case,
        "masking": None,
        "input_bytes": file.size,
        "padded_bytes": len(buffers.input),
        "output_bytes": len(buffers.ciphertext),
        "stamps_ns": phases.ends_ns,
        "begins_ns": phases.begins_ns,
        "phases": phases.rows,
        "peak_rss_bytes": phases.peak_rss_bytes,
        "baseline_rss_bytes": phases.baseline_rss_bytes,
        "buffers_bytes": sum(map(len, buffers.all())),
        "io": {**input_output, "instruments_read_bytes": phases.instruments_read_bytes},
        "cycles": {**nothing, "reason": NO_COUNTERS},
        "instructions": {**nothing, "reason": NO_COUNTERS},
        "counters": {name: {**nothing, "reason": NO_COUNTERS} for name in COUNTERS},
        "core_clock": {"before_hz": None, "after_hz": None, "hz": None, "reason": NO_CLOCK},
        "derived_cycles": {**nothing, "reason": NO_CLOCK},
        "clock_probe_wall_ns": None,
        **further,
        "output_sha256": hashlib.sha256(buffers.ciphertext).hexdigest(),
        "verified": verified,
    }
    print(json.dumps(report))
    if not verified:
        raise RunnerError("not-verified", "decryption did not return the input")
