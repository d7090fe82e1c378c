"""Least work of algorithms: cycles that no core falls below for a byte of one message. Pure.

Two arguments, each with much room, so that a time below them is a false report on any machine:

- **Width**: no core executes vector operations on more than ``LOGIC_BITS_PER_CYCLE`` bits in a cycle, twice the four
  units of 512 bits of the widest known core (Zen 5). The bits are those of the shortest known form, in which an
  operation of three inputs, and an exclusive or with a rotation, count once.
- **Depth**: where a block needs the one before it, each dependent operation takes at least one cycle. A round has two:
  its nonlinear and its linear layer.

Algorithms without a row are held to the stores of their output alone. Masked and small code takes longer, so the same
bounds apply. What a mode does besides (nonces, tags, key setup) is left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from orchestrator.wire.messages import Call

LOGIC_BITS_PER_CYCLE = 2 * 4 * 512
STORE_BYTES_PER_CYCLE = 128
"""Two stores of 64 bytes, the widest of AVX-512 and SVE cores: a cipher stores each byte of its output."""


def _width(bits_per_byte: float) -> float:
    return bits_per_byte / LOGIC_BITS_PER_CYCLE


_AES_ROUNDS = {"128": 10, "192": 12, "256": 14}
_AES_BITS = {f"aes-{key}": rounds * 128 / 16 for key, rounds in _AES_ROUNDS.items()}  # an instruction for each round
_WIDTH = {
    **{f"{name}-*": bits for name, bits in _AES_BITS.items()},
    "chacha20-*": 80 * 8 * 32 / 64,  # 80 quarter rounds of 4 additions and 4 exclusive or with rotation
    "salsa20-*": 80 * 8 * 32 / 64,
    "speck-64-*": 26 * 3 * 32 / 8,  # at least 26 rounds: two rotations with an addition or exclusive or, the key
    "speck-128-*": 32 * 3 * 64 / 16,
    "simon-64-*": 42 * 2 * 32 / 8,  # at least 42 rounds; in bit slices, rotations cost nothing
    "simon-128-*": 68 * 2 * 64 / 16,
    "present-*": 31 * 64 / 8,  # at least one operation for each bit of a round's output
    "3des-*": 48 * 32 / 8,
}
_DEPTH = {
    **{f"aes-{key}-{mode}": rounds / 16 for key, rounds in _AES_ROUNDS.items() for mode in ("cbc", "cfb", "ofb")},
    "ascon-128": 6 * 2 / 8,
    "ascon-80pq": 6 * 2 / 8,
    "ascon-128a": 8 * 2 / 16,
    "ascon-aead128": 8 * 2 / 16,
    # A bit is read 37 rounds later, in two operations (runners/src/ciphers/aead/tinyjambu/cipher.h).
    **{
        f"tinyjambu-{name}": rounds // 37 * 2 / 4
        for name, rounds in (("128", 1024), ("128-v1", 1024), ("192", 1152), ("256", 1280))
    },
    "xoodyak": 12 * 2 / 24,
    "gimli-24": 24 * 2 / 16,
    "gift-cofb": 40 * 2 / 16,
    "knot-aead-128-256": 28 * 2 / 8,
    "knot-aead-128-384": 28 * 2 / 24,
    "knot-aead-192-384": 40 * 2 / 12,
    "knot-aead-256-512": 52 * 2 / 16,
}
_PARALLEL_DECRYPTION = ("*-cbc", "*-cfb")
"""Modes in which only encryption needs the block before."""


@dataclass(frozen=True)
class LeastWork:
    """Cycles that the phases of an execution, or a call, take at least."""

    by_phase: Mapping[str, float]

    @property
    def cycles(self) -> float:
        """Sum over the phases."""
        return sum(self.by_phase.values())


def work_of(algorithm: str, operation: str, message_bytes: int) -> LeastWork:
    """Return the least work of an operation, or of a sequence ``a+b``; 0 cycles for those that are not a cipher's."""
    width = max((_width(bits) for pattern, bits in _WIDTH.items() if fnmatchcase(algorithm, pattern)), default=0.0)
    width = max(width, 1 / STORE_BYTES_PER_CYCLE)
    depth = _DEPTH.get(algorithm, 0.0)
    in_parallel = any(fnmatchcase(algorithm, pattern) for pattern in _PARALLEL_DECRYPTION)
    known = {
        "encrypt": message_bytes * max(width, depth),
        "decrypt": message_bytes * max(width, 0.0 if in_parallel else depth),
    }
    if Call.of(operation).is_batch:
        # Other messages fill the time in which a block waits for the one before it.
        known[operation] = message_bytes * width
    return LeastWork({phase: known.get(phase, 0.0) for phase in operation.split("+")})
