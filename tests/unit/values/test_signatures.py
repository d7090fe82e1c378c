"""Signatures of downloads: the verification without a library agrees with RFC 8032 and with `cryptography`."""

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from orchestrator.shared.values import signatures
from orchestrator.shared.values.signatures import SignedFile, encode, is_signed

FILE = SignedFile("cross-build", "armhf 5", 1234, "a" * 64)
ORDER = 2**252 + 27742317777372353535851937790883648493

# RFC 8032, section 7.1, tests 1 to 3.
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe2465"
        "5141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d"
        "291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027"
        "beceea1ec40a",
    ),
]


@pytest.mark.parametrize(("key", "message", "signature"), VECTORS)
def test_published_vectors_verify_and_a_changed_byte_does_not(key: str, message: str, signature: str) -> None:
    parts = [bytes.fromhex(text) for text in (key, message, signature)]
    assert signatures._verify(parts[0], parts[1], parts[2])
    assert not signatures._verify(parts[0], parts[1] + b"x", parts[2])
    for position in (0, 31, 32, 63):  # the ends of R and of S
        changed = bytearray(parts[2])
        changed[position] ^= 1
        assert not verifies(parts[0], parts[1], bytes(changed))


def verifies(key: bytes, message: bytes, signature: bytes) -> bool:
    try:
        return signatures._verify(key, message, signature)
    except ValueError:
        return False


def test_second_form_of_a_signature_is_refused() -> None:
    """S and S + L verify the same equation; only the smaller one is a signature."""
    secret = Ed25519PrivateKey.generate()
    signature = secret.sign(b"x")
    larger = int.from_bytes(signature[32:], "little") + ORDER
    assert signatures._verify(secret.public_key().public_bytes_raw(), b"x", signature)
    assert not verifies(secret.public_key().public_bytes_raw(), b"x", signature[:32] + larger.to_bytes(32, "little"))


def test_signature_holds_for_one_key_and_for_every_property_of_the_file() -> None:
    secret, other = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    key, signature = encode(secret.public_key().public_bytes_raw()), encode(secret.sign(FILE.statement))

    assert is_signed(key, FILE, signature)
    assert not is_signed(encode(other.public_key().public_bytes_raw()), FILE, signature)
    for changed in (
        replace(FILE, purpose="runner-source"),
        replace(FILE, name="aarch64 5"),
        replace(FILE, size_bytes=1235),
        replace(FILE, sha256="b" * 64),
    ):
        assert not is_signed(key, changed, signature)


@pytest.mark.parametrize("text", ["", "A", "!" * 86, "A" * 86, "_" * 86, "A" * 85, "é" * 86])
def test_text_that_is_no_signature_is_refused(text: str) -> None:
    key = encode(Ed25519PrivateKey.generate().public_key().public_bytes_raw())
    assert not is_signed(key, FILE, text)
