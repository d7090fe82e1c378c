"""All runners give the same bytes for the same message, and the same as Python's ``cryptography`` where it can."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.decrepit.ciphers.modes import CFB, OFB
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from tests.support.runner_programs import Message, Runner

COMMON_ALGORITHMS = [
    *(f"aes-{bits}-{mode}" for bits in (128, 192, 256) for mode in ("ecb", "cbc", "ofb", "ctr", "cfb", "gcm")),
    *(f"3des-{bits}-{mode}" for bits in (192, 128) for mode in ("ecb", "cbc", "ofb", "ctr", "cfb")),
    *("salsa20-128", "salsa20-256", "chacha20-128", "chacha20-256", "chacha20-ietf", "chacha20-poly1305"),
]
QUICK = ("aes-256-gcm", "3des-192-cbc")
"""One with and one without a tag; test_all.sh executes the others, whose known answers every build has passed."""
EACH = [pytest.param(name, marks=[] if name in QUICK else pytest.mark.long) for name in COMMON_ALGORITHMS]
MEBIBYTE = 1 << 20
LARGE_LENGTHS = (4096, 65_536 + 7, MEBIBYTE + 1)
MODES: dict[str, Callable[[bytes], Any]] = {
    "ecb": lambda _: modes.ECB(),
    "cbc": modes.CBC,
    "ofb": OFB,
    "ctr": modes.CTR,
    "cfb": CFB,
}


def _bytes(purpose: str, count: int) -> bytes:
    """Return bytes that look random and are the same each time."""
    return hashlib.shake_256(purpose.encode()).digest(count)


def _lengths(row: dict[str, Any]) -> list[int]:
    """Return the lengths to a block + 1 and around 4 blocks that the mode takes, and some large ones.

    Only the first block is walked through byte by byte: each length is a process per provider, and prop_test takes all
    of them inside one.
    """
    block = row["block_bytes"]
    around = {blocks * block + beside for blocks in range(1, 5) for beside in (-1, 0, 1)}
    lengths = [*sorted({*range(block + 2), *around}), *LARGE_LENGTHS]
    return [length for length in lengths if not row["whole_blocks_only"] or length % block == 0]


def message_of(row: dict[str, Any], length: int) -> Message:
    """Return the message of this length with key, nonce and associated data, the same each time."""
    associated_data = _bytes("associated data", length % 50) if row["kind"] == "aead" else b""
    key, nonce = _bytes("key", row["key_bytes"]), _bytes("nonce", row["nonce_bytes"])
    return Message(key, nonce, _bytes(row["algorithm"], length), associated_data)


def _block_cipher(algorithm: str, key: bytes) -> Any:
    # With two keys the third key is the first one.
    return TripleDES((key + key[:8])[:24]) if algorithm.startswith("3des") else algorithms.AES(key)


def _third_party(algorithm: str, message: Message) -> bytes | None:
    """Encrypt with ``cryptography``; None where it lacks the algorithm."""
    name, _, mode = algorithm.rpartition("-")
    if algorithm == "chacha20-poly1305":
        return ChaCha20Poly1305(message.key).encrypt(message.nonce, message.data, message.associated_data)
    if mode == "gcm":
        return AESGCM(message.key).encrypt(message.nonce, message.data, message.associated_data)
    if algorithm in {"chacha20-256", "chacha20-ietf"}:
        # OpenSSL takes the block counter and the nonce as one value of 16 bytes.
        cipher = Cipher(algorithms.ChaCha20(message.key, message.nonce.rjust(16, b"\0")), mode=None)
    elif mode in MODES and (name, mode) not in {("3des-192", "ctr"), ("3des-128", "ctr")}:
        cipher = Cipher(_block_cipher(name, message.key), MODES[mode](message.nonce))
    else:
        return None
    encryptor = cipher.encryptor()
    return encryptor.update(message.data) + encryptor.finalize()


@pytest.fixture(scope="module")
def offers(runners: dict[str, Runner]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return what each provider has, by provider and algorithm."""
    return {provider: runner.available() for provider, runner in runners.items()}


def test_the_common_catalogue_is_what_the_libraries_offer(offers: dict[str, dict[str, dict[str, Any]]]) -> None:
    for provider in offers.keys() - {"own"}:
        assert offers[provider].keys() >= set(COMMON_ALGORITHMS)


def test_descriptions_of_one_algorithm_agree(offers: dict[str, dict[str, dict[str, Any]]]) -> None:
    for field in ("kind", "key_bytes", "nonce_bytes", "tag_bytes", "block_bytes", "whole_blocks_only"):
        for algorithm in COMMON_ALGORITHMS:
            assert len({offer[algorithm][field] for offer in offers.values() if algorithm in offer}) == 1


@pytest.mark.parametrize("algorithm", EACH)
def test_all_runners_give_the_same_bytes(
    algorithm: str,
    runners: dict[str, Runner],
    offers: dict[str, dict[str, dict[str, Any]]],
    tmp_path: Path,
) -> None:
    having = [provider for provider, offer in offers.items() if algorithm in offer]
    row = offers[having[0]][algorithm]
    for length in _lengths(row):
        message = message_of(row, length)
        ciphertexts = {
            provider: runners[provider].crypt("encrypt", algorithm, message, tmp_path) for provider in having
        }
        if (reference := _third_party(algorithm, message)) is not None:
            ciphertexts["cryptography"] = reference
        assert len(ciphertexts) > 1
        assert len(set(ciphertexts.values())) == 1, f"{algorithm}, {length} bytes: {sorted(ciphertexts)}"


@pytest.mark.parametrize("algorithm", EACH)
def test_all_runners_decrypt_what_another_encrypted(
    algorithm: str,
    runners: dict[str, Runner],
    offers: dict[str, dict[str, dict[str, Any]]],
    tmp_path: Path,
) -> None:
    having = [provider for provider, offer in offers.items() if algorithm in offer]
    row = offers[having[0]][algorithm]
    for length in (0, row["block_bytes"], 65_536, MEBIBYTE):
        message = message_of(row, length)
        ciphertext = runners[having[-1]].crypt("encrypt", algorithm, message, tmp_path)
        sealed = Message(message.key, message.nonce, ciphertext, message.associated_data)
        for provider in having:
            assert runners[provider].crypt("decrypt", algorithm, sealed, tmp_path) == message.data
