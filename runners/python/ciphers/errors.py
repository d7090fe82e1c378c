"""Errors of ciphers."""


class BadLength(ValueError):
    """A key, nonce or message has a length that the cipher does not take."""


class AuthenticationFailed(Exception):
    """The tag does not match; nothing was decrypted."""


def require_length(what: str, value: bytes, expected: int) -> None:
    """Raise BadLength unless the value has the expected number of bytes."""
    if len(value) != expected:
        raise BadLength(f"{what} has {len(value)} bytes, expected {expected}")
