"""Signatures of the programs that a device downloads and executes: Ed25519 (RFC 8032) by the service's own key.

The device has the public key from the script with which it joined, whose SHA-256 is in the line that the operator
pasted. Verification handles public values only and needs the standard library alone: `cffi`, which `cryptography`
needs, has no wheel for 32-bit Arm. It takes 7 ms on a server, once per download.
"""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha512
from typing import Literal

SIGNATURE_HEADER = "Ciphermark-Download-Signature"
"""Header of a download: 64 bytes in base64url."""


@dataclass(frozen=True)
class SignedFile:
    """Properties of a download that its signature covers."""

    purpose: Literal["runner-source", "cross-build"]
    name: str
    size_bytes: int
    sha256: str

    @property
    def statement(self) -> bytes:
        """The bytes that are signed."""
        return f"ciphermark download\n{self.purpose}\n{self.name}\n{self.size_bytes}\n{self.sha256}\n".encode()


def encode(data: bytes) -> str:
    """Return bytes in base64url without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def is_signed(key: str, file: SignedFile, signature: str) -> bool:
    """Return whether the service with this public key signed the file; key and signature in base64url."""
    try:
        return _verify(_decode(key), file.statement, _decode(signature))
    except (binascii.Error, ValueError):
        return False


def _decode(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


# ---- Ed25519, in the terms of RFC 8032, section 5.1 --------------------------------------------------------------

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
"""Order of the base point."""
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_1 = pow(2, (_P - 1) // 4, _P)

_Point = tuple[int, int, int, int]
"""Extended coordinates X, Y, Z and T: x = X/Z, y = Y/Z, xy = T/Z."""
_NEUTRAL: _Point = (0, 1, 1, 0)


def _verify(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether S·B = R + k·A; raises ValueError for a point that is not on the curve."""
    if len(key) != 32 or len(signature) != 64:
        return False
    public, commitment = _point(key), _point(signature[:32])
    response = int.from_bytes(signature[32:], "little")
    challenge = int.from_bytes(sha512(signature[:32] + key + message).digest(), "little") % _L
    x, y, z, _ = _times(response, _BASE)
    other_x, other_y, other_z, _ = _sum(commitment, _times(challenge, public))
    return response < _L and (x * other_z - other_x * z) % _P == 0 and (y * other_z - other_y * z) % _P == 0


def _point(encoded: bytes) -> _Point:
    """Return the point of 32 bytes: y, with the lowest bit of x as the highest bit."""
    number = int.from_bytes(encoded, "little")
    y, odd = number & ((1 << 255) - 1), number >> 255
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT_OF_MINUS_1 % _P
    if (x * x - square) % _P or y >= _P or (x == 0 and odd):
        raise ValueError("not a point of the curve")
    x = _P - x if x & 1 != odd else x
    return x, y, 1, x * y % _P


def _sum(one: _Point, other: _Point) -> _Point:
    a = (one[1] - one[0]) * (other[1] - other[0])
    b = (one[1] + one[0]) * (other[1] + other[0])
    c = 2 * one[3] * other[3] * _D
    d = 2 * one[2] * other[2]
    e, f, g, h = (b - a) % _P, (d - c) % _P, (d + c) % _P, (b + a) % _P
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(factor: int, point: _Point) -> _Point:
    product = _NEUTRAL
    while factor:
        if factor & 1:
            product = _sum(product, point)
        point = _sum(point, point)
        factor >>= 1
    return product


_BASE = _point((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))
