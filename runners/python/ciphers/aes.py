"""AES with keys of 128, 192 and 256 bits (FIPS 197), on columns of 32 bits with tables of SubBytes and MixColumns."""

from struct import Struct

from ciphers.errors import BadLength

_COLUMNS = Struct(">4I")


def _double(value: int) -> int:
    """Multiply by x in the field of section 4.2."""
    value <<= 1
    return value ^ 0x11B if value & 0x100 else value


def _make_sbox() -> list[int]:
    """Return the S-box of section 5.1.1: the inverse in the field, then the affine transformation."""
    powers, value = [], 1
    for _ in range(255):
        powers.append(value)
        value ^= _double(value)  # 3 generates all elements but 0.
    logarithms = {power: exponent for exponent, power in enumerate(powers)}
    sbox = []
    for byte in range(256):
        inverse = powers[-logarithms[byte] % 255] if byte else 0
        spread = inverse | inverse << 8
        rotations = spread ^ spread >> 4 ^ spread >> 5 ^ spread >> 6 ^ spread >> 7
        sbox.append(rotations & 0xFF ^ 0x63)
    return sbox


def _rotations(table: list[int]) -> tuple[list[int], list[int], list[int], list[int]]:
    """Return the table for each of the four rows."""
    first, second, third = (
        [value >> bits | value << 32 - bits & 0xFFFFFFFF for value in table] for bits in (8, 16, 24)
    )
    return table, first, second, third


def _multiply(value: int, factors: tuple[int, int, int, int]) -> int:
    """Return a column: the value times four factors."""
    column = 0
    for factor in factors:
        product, power = 0, value
        for bit in range(4):
            product ^= power if factor >> bit & 1 else 0
            power = _double(power)
        column = column << 8 | product
    return column


_SBOX = _make_sbox()
_INVERSE_SBOX = [_SBOX.index(byte) for byte in range(256)]
_E0, _E1, _E2, _E3 = _rotations([_multiply(byte, (2, 1, 1, 3)) for byte in _SBOX])
_M0, _M1, _M2, _M3 = _rotations([_multiply(byte, (14, 9, 13, 11)) for byte in range(256)])
_D0, _D1, _D2, _D3 = ([table[byte] for byte in _INVERSE_SBOX] for table in (_M0, _M1, _M2, _M3))


class Aes:
    """AES with one key."""

    block_bytes = 16

    def __init__(self, key: bytes) -> None:
        """Expand the key (section 5.2)."""
        if len(key) not in (16, 24, 32):
            raise BadLength(f"key has {len(key)} bytes, expected 16, 24 or 32")
        self._encrypting = _expand(key)
        self._decrypting = _inverse(self._encrypting)

    def encrypt_block(self, block: bytes) -> bytes:
        """Return the ciphertext of 16 bytes (section 5.1)."""
        keys = self._encrypting
        e0, e1, e2, e3 = _E0, _E1, _E2, _E3
        a, b, c, d = (column ^ key for column, key in zip(_COLUMNS.unpack(block), keys[0]))
        for k0, k1, k2, k3 in keys[1:-1]:
            a, b, c, d = (
                e0[a >> 24] ^ e1[b >> 16 & 255] ^ e2[c >> 8 & 255] ^ e3[d & 255] ^ k0,
                e0[b >> 24] ^ e1[c >> 16 & 255] ^ e2[d >> 8 & 255] ^ e3[a & 255] ^ k1,
                e0[c >> 24] ^ e1[d >> 16 & 255] ^ e2[a >> 8 & 255] ^ e3[b & 255] ^ k2,
                e0[d >> 24] ^ e1[a >> 16 & 255] ^ e2[b >> 8 & 255] ^ e3[c & 255] ^ k3,
            )
        return _final((a, b, c, d), 1, _SBOX, keys[-1])

    def decrypt_block(self, block: bytes) -> bytes:
        """Return the plaintext of 16 bytes: the equivalent inverse cipher of section 5.3.5."""
        keys = self._decrypting
        d0, d1, d2, d3 = _D0, _D1, _D2, _D3
        a, b, c, d = (column ^ key for column, key in zip(_COLUMNS.unpack(block), keys[0]))
        for k0, k1, k2, k3 in keys[1:-1]:
            a, b, c, d = (
                d0[a >> 24] ^ d1[d >> 16 & 255] ^ d2[c >> 8 & 255] ^ d3[b & 255] ^ k0,
                d0[b >> 24] ^ d1[a >> 16 & 255] ^ d2[d >> 8 & 255] ^ d3[c & 255] ^ k1,
                d0[c >> 24] ^ d1[b >> 16 & 255] ^ d2[a >> 8 & 255] ^ d3[d & 255] ^ k2,
                d0[d >> 24] ^ d1[c >> 16 & 255] ^ d2[b >> 8 & 255] ^ d3[a & 255] ^ k3,
            )
        return _final((a, b, c, d), -1, _INVERSE_SBOX, keys[-1])


_RoundKey = tuple[int, ...]


def _final(state: tuple[int, int, int, int], step: int, sbox: list[int], key: _RoundKey) -> bytes:
    """Return the last round, which has no MixColumns; step: direction of the row shift."""
    columns = [
        sbox[state[i] >> 24] << 24
        ^ sbox[state[(i + step) % 4] >> 16 & 255] << 16
        ^ sbox[state[(i + 2 * step) % 4] >> 8 & 255] << 8
        ^ sbox[state[(i + 3 * step) % 4] & 255]
        ^ key[i]
        for i in range(4)
    ]
    return _COLUMNS.pack(*columns)


def _substitute(word: int) -> int:
    s = _SBOX
    return s[word >> 24] << 24 | s[word >> 16 & 255] << 16 | s[word >> 8 & 255] << 8 | s[word & 255]


def _expand(key: bytes) -> list[_RoundKey]:
    length = len(key) // 4
    words = [int.from_bytes(key[4 * i : 4 * i + 4], "big") for i in range(length)]
    constant = 1
    for i in range(length, 4 * (length + 7)):
        word = words[-1]
        if i % length == 0:
            word = _substitute((word << 8 | word >> 24) & 0xFFFFFFFF) ^ constant << 24
            constant = _double(constant)
        elif length == 8 and i % 8 == 4:
            word = _substitute(word)
        words.append(words[i - length] ^ word)
    return [tuple(words[i : i + 4]) for i in range(0, len(words), 4)]


def _inverse(keys: list[_RoundKey]) -> list[_RoundKey]:
    middle = [
        tuple(_M0[w >> 24] ^ _M1[w >> 16 & 255] ^ _M2[w >> 8 & 255] ^ _M3[w & 255] for w in key)
        for key in keys[-2:0:-1]
    ]
    return [keys[-1], *middle, keys[0]]
