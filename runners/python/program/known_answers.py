"""Known answers: the vectors of an algorithm and their check on an implementation."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ciphers.errors import AuthenticationFailed, BadLength

from program.errors import RunnerError
from program.implementation import Cipher, Implementation

VECTORS = Path(__file__).resolve().parent.parent.parent / "vectors"
_HEX_FIELDS = {"Key": "key", "Nonce": "nonce", "AD": "associated_data", "PT": "plaintext", "CT": "ciphertext"}


@dataclass
class KnownAnswer:
    """One block of a file."""

    line: int
    key: bytes = b""
    nonce: bytes = b""
    associated_data: bytes = b""
    plaintext: bytes = b""
    ciphertext: bytes = b""
    offset: int = 0
    result: str = "valid"


@dataclass
class Vectors:
    """The contents of a file."""

    answers: list[KnownAnswer] = field(default_factory=list)
    generated: tuple[str, str] | None = None
    """Rule and SHA-256 of a published file of 1089 vectors."""


def read_vectors(algorithm: str) -> bytes:
    """Return the file of an algorithm; raises RunnerError (internal) where it is missing."""
    try:
        return (VECTORS / f"{algorithm}.vec").read_bytes()
    except OSError as error:
        raise RunnerError("internal", f"vectors/{algorithm}.vec: {error.strerror}") from None


def parse(text: str) -> Vectors:
    """Return the vectors of a file; raises RunnerError (internal) for a line that is not understood."""
    vectors = Vectors()
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        content = line.strip()
        if not content:
            inside = False
        if not content or content.startswith("#"):
            continue
        name, equals, value = (part.strip() for part in content.partition("="))
        if name == "Genkat" and equals:
            rule, digest = value.split()
            vectors.generated = (rule, digest.lower())
            continue
        if not inside:
            vectors.answers.append(KnownAnswer(number))
            inside = True
        _set_field(vectors.answers[-1], name, value, number)
    return vectors


def _set_field(answer: KnownAnswer, name: str, value: str, line: int) -> None:
    if name in _HEX_FIELDS:
        setattr(answer, _HEX_FIELDS[name], bytes.fromhex(value))
    elif name == "Offset":
        answer.offset = int(value)
    elif name == "Result" and value in ("valid", "invalid", "bad-length"):
        answer.result = value
    else:
        raise RunnerError("internal", f"line {line}: {name} = {value} is not understood")


def check(implementation: Implementation, answer: KnownAnswer) -> tuple[str, bytes]:
    """Return the complaint about one vector, empty if it passes, and the ciphertext as computed."""
    if answer.result == "bad-length":
        return _check_bad_length(implementation, answer), answer.ciphertext
    cipher = implementation.make(answer.key)
    if answer.result == "invalid":
        return _check_invalid(cipher, answer), answer.ciphertext
    message = bytes(answer.offset) + answer.plaintext
    sealed = cipher.encrypt(answer.nonce, answer.associated_data, message)
    computed = sealed[answer.offset :]
    if computed != answer.ciphertext:
        return f"encrypt gave {computed.hex()}, expected {answer.ciphertext.hex()}", computed
    try:
        opened = cipher.decrypt(answer.nonce, answer.associated_data, sealed)
    except AuthenticationFailed:
        return "decrypt gave authentication-failed, expected ok", computed
    return "" if opened == message else f"decrypt gave {opened.hex()}, expected {message.hex()}", computed


def _check_invalid(cipher: Cipher, answer: KnownAnswer) -> str:
    try:
        opened = cipher.decrypt(answer.nonce, answer.associated_data, answer.ciphertext)
    except AuthenticationFailed:
        return ""
    return f"decrypt gave {opened.hex()}, expected authentication-failed"


def _check_bad_length(implementation: Implementation, answer: KnownAnswer) -> str:
    try:
        cipher = implementation.make(answer.key)
        if answer.ciphertext:
            cipher.decrypt(answer.nonce, answer.associated_data, answer.ciphertext)
        else:
            cipher.encrypt(answer.nonce, answer.associated_data, answer.plaintext)
    except BadLength:
        return ""
    except AuthenticationFailed:
        return "a wrong length gave authentication-failed, expected bad-length"
    return "a wrong length gave ok, expected bad-length"
