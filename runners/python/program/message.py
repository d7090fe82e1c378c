"""The message that operations are executed on."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from program.implementation import Cipher, Implementation
from program.requests import Requests

_PAGE_BYTES = 4096


class Message:
    """An implementation with its inputs, and the three buffers."""

    def __init__(self, implementation: Implementation | None, key: bytes, nonce: bytes) -> None:
        """Select; None is no cipher."""
        self._implementation = implementation
        self._key, self._nonce, self._data = key, nonce, b""
        self._cipher: Cipher | None = None
        self.message: Any = b""  # bytes, or the bytearray that a file was read into; the others, too
        self.ciphertext: Any = b""
        self.plaintext: Any = b""

    def load(self, requests: Requests, buffer: str, size: int, data_bytes: int, path: bytes | None) -> int:
        """Allocate and touch the buffers, and fill one of them; return the bytes that were read.

        size: bytes of that buffer. path: of a file, read until it or the buffer ends; None: the bytes follow.
        Raises MemoryError, OSError and EOFError.
        """
        data = bytearray(data_bytes)
        requests.fill(memoryview(data))
        self._data = bytes(data)
        tag_bytes = self._implementation.tag_bytes if self._implementation else 0
        plain = max(size - tag_bytes, 0) if buffer == "ciphertext" else size
        self.message, self.ciphertext, self.plaintext = map(_touched, (plain, plain + tag_bytes, plain))
        filled = _touched(size) if len(getattr(self, buffer)) != size else getattr(self, buffer)
        if path is not None:
            setattr(self, buffer, filled)
            return _read_file(path, memoryview(filled))
        requests.fill(memoryview(filled))
        # Slices of bytes are quicker than those of a bytearray, and callers have bytes.
        setattr(self, buffer, bytes(filled))
        return size

    def operation(self, name: str) -> Callable[[], Any]:
        """Return the call of an operation."""
        calls = {"key-setup": self._set_key, "encrypt": self._encrypt, "decrypt": self._decrypt, "nothing": _nothing}
        return calls[name]

    def _set_key(self) -> None:
        assert self._implementation is not None
        self._cipher = self._implementation.make(self._key)

    def _encrypt(self) -> None:
        assert self._cipher is not None
        self.ciphertext = self._cipher.encrypt(self._nonce, self._data, self.message)

    def _decrypt(self) -> None:
        assert self._cipher is not None
        self.plaintext = self._cipher.decrypt(self._nonce, self._data, self.ciphertext)


def _nothing() -> None:
    pass


def _touched(size: int) -> bytearray:
    buffer = bytearray(size)
    for at in range(0, size, _PAGE_BYTES):
        buffer[at] = 0
    return buffer


def _read_file(path: bytes, buffer: memoryview) -> int:
    done = 0
    with io.FileIO(path) as file:
        while done < len(buffer) and (count := file.readinto(buffer[done:])):
            done += count
    return done
