"""Command kat: every known answer of an algorithm, in the format of the NIST generator."""

from __future__ import annotations

import hashlib

from program.errors import RunnerError
from program.implementation import Implementation
from program.implementations import find
from program.known_answers import KnownAnswer, check, parse, read_vectors
from program.measure import Phases
from program.options import Options

_MAX_GENERATED_BYTES = 32
_FIRST_BYTES = {"classic": (0, 0, 0), "sp800-232": (0x10, 0x20, 0x30)}
"""First byte of nonce, plaintext and associated data by rule; the key begins at 00."""


def execute(options: Options, _phases: Phases) -> None:
    """Print what was computed; raises RunnerError (not-verified) at the first difference."""
    implementation = find(options.algorithm, options.variant)
    vectors = parse(read_vectors(implementation.algorithm).decode())
    if not vectors.answers:
        raise RunnerError("internal", f"{implementation.algorithm} has no known answers")
    if vectors.generated:
        _check_generated(implementation, *vectors.generated)
    for count, answer in enumerate(vectors.answers, 1):
        complaint, computed = check(implementation, answer)
        if not vectors.generated:
            _print(count, answer, computed)
        if complaint:
            where = f"vector {count} ({implementation.algorithm}.vec line {answer.line})"
            raise RunnerError("not-verified", f"{where}: {complaint}")


def _record(count: int, answer: KnownAnswer, ciphertext: bytes) -> str:
    fields = {
        "Key": answer.key,
        "Nonce": answer.nonce,
        "PT": answer.plaintext,
        "AD": answer.associated_data,
        "CT": ciphertext,
    }
    return f"Count = {count}\n" + "".join(f"{name} = {value.hex().upper()}\n" for name, value in fields.items())


def _print(count: int, answer: KnownAnswer, computed: bytes) -> None:
    text = _record(count, answer, computed)
    if answer.offset:
        text += f"Offset = {answer.offset}\n"
    if answer.result != "valid":
        text += f"Result = {answer.result}\n"
    print(text)


def _check_generated(implementation: Implementation, rule: str, sha256: str) -> None:
    """Print the published file as this implementation computes it, and compare its SHA-256."""
    nonce_first, plaintext_first, data_first = _FIRST_BYTES[rule]
    key = _counting(0, implementation.key_bytes)
    nonce = _counting(nonce_first, implementation.nonce_bytes)
    records: list[str] = []
    lengths = range(_MAX_GENERATED_BYTES + 1)
    for plaintext_bytes in lengths:
        plaintext = _counting(plaintext_first, plaintext_bytes)
        for data_bytes in lengths:
            data = _counting(data_first, data_bytes)
            cipher = implementation.make(key)
            sealed = cipher.encrypt(nonce, data, plaintext)
            if cipher.decrypt(nonce, data, sealed) != plaintext:
                raise RunnerError(
                    "not-verified",
                    f"a generated vector of {plaintext_bytes} bytes of plaintext and {data_bytes} of associated data: "
                    "decryption did not return the plaintext",
                )
            answer = KnownAnswer(0, key, nonce, data, plaintext)
            records.append(_record(len(records) + 1, answer, sealed) + "\n")
    text = "".join(records)
    print(text, end="")
    seen = hashlib.sha256(text.encode()).hexdigest()
    if seen != sha256:
        raise RunnerError("not-verified", f"the generated vectors have SHA-256 {seen}, the published file has {sha256}")


def _counting(first: int, size: int) -> bytes:
    return bytes(first + number & 0xFF for number in range(size))
