"""Operations on byte strings."""


def xor(left: bytes, right: bytes) -> bytes:
    """Return the exclusive or of two byte strings of the same length."""
    return (int.from_bytes(left, "little") ^ int.from_bytes(right, "little")).to_bytes(len(left), "little")


def equal_tags(computed: bytes, received: bytes) -> bool:
    """Compare two tags of the same length without a branch on their contents."""
    difference = 0
    for one, other in zip(computed, received):
        difference |= one ^ other
    return difference == 0
