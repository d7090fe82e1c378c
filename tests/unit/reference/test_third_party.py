"""The third party is only worth something if it is driven rightly: published vectors decide."""

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.compilation.reference.third_party import (
    BLOCK_BYTES,
    ZEROS,
    Secrets,
    default_bytes,
    encryption,
    filled,
    output_sha256,
    supports,
)

# NIST SP 800-38A, appendix F: plaintext, keys, initialization vector and counter block.
PLAIN = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
KEY_128 = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
KEY_192 = bytes.fromhex("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b")
KEY_256 = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
VECTOR = default_bytes(16)
COUNTER = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")


def encrypt(algorithm: str, key: bytes, nonce: bytes, message: bytes) -> str:
    state = encryption(algorithm, Secrets(key, nonce))
    assert state is not None
    return (state.update(message) + state.finish()).hex()


class TestPublishedVectors:
    @pytest.mark.parametrize(
        ("algorithm", "key", "nonce", "ciphertext"),
        [
            ("aes-128-ecb", KEY_128, b"", "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"),  # F.1.1
            ("aes-128-cbc", KEY_128, VECTOR, "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"),
            ("aes-192-cbc", KEY_192, VECTOR, "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"),
            ("aes-256-cbc", KEY_256, VECTOR, "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"),
            ("aes-128-cfb", KEY_128, VECTOR, "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b"),
            ("aes-128-ofb", KEY_128, VECTOR, "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825"),
            ("aes-128-ctr", KEY_128, COUNTER, "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"),
            ("aes-256-ctr", KEY_256, COUNTER, "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"),
        ],
    )
    def test_sp_800_38a(self, algorithm: str, key: bytes, nonce: bytes, ciphertext: str) -> None:
        assert encrypt(algorithm, key, nonce, PLAIN) == ciphertext

    def test_triple_des_of_sp_800_67_appendix_b(self) -> None:
        key = bytes.fromhex("0123456789abcdef23456789abcdef01456789abcdef0123")
        message = b"The qufck brown fox jump"
        assert encrypt("3des-192-ecb", key, b"", message) == "a826fd8ce53b855fcce21c8112256fe668d5c05dd9b6b900"

    def test_two_keys_are_three_keys_with_the_first_repeated(self) -> None:
        key = default_bytes(16)
        assert encrypt("3des-128-cbc", key, VECTOR[:8], PLAIN) == encrypt(
            "3des-192-cbc", key + key[:8], VECTOR[:8], PLAIN
        )

    def test_original_chacha20_of_its_internet_draft(self) -> None:
        # draft-strombergson-chacha-test-vectors-00, TC1: key and nonce zero, 256 bits, 20 rounds.
        stream = encrypt("chacha20-256", bytes(32), bytes(8), bytes(32))
        assert stream == "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"

    def test_chacha20_of_rfc_8439_starts_at_block_0_here(self) -> None:
        # RFC 8439, 2.4.2, uses block counter 1; with 64 bytes before it, ours comes to the same keystream.
        nonce = bytes.fromhex("000000000000004a00000000")
        ciphertext = encrypt("chacha20-ietf", default_bytes(32), nonce, bytes(64) + b"Ladies and Gentl")
        assert ciphertext[128:] == "6e2e359a2568f98041ba0728dd0d6981"

    @given(st.binary(max_size=300))
    def test_streamed_chacha20_poly1305_is_the_librarys_own(self, message: bytes) -> None:
        key, nonce = default_bytes(32), default_bytes(12)
        assert (
            encrypt("chacha20-poly1305", key, nonce, message)
            == ChaCha20Poly1305(key).encrypt(nonce, message, None).hex()
        )


class TestCiphertextDigest:
    @pytest.mark.parametrize("algorithm", ["aes-192-cbc", "aes-128-ecb", "3des-192-cbc", "aes-256-ctr"])
    def test_pieces_do_not_change_the_digest(self, algorithm: str) -> None:
        message = default_bytes(5000)
        whole = output_sha256(algorithm, [message])
        assert whole == output_sha256(algorithm, [message[i : i + 7] for i in range(0, 5000, 7)])

    def test_cbc_is_padded_with_zeros_and_whole_messages_are_not(self) -> None:
        assert output_sha256("aes-128-cbc", [b"abc"]) == output_sha256("aes-128-cbc", [b"abc" + bytes(13)])
        assert output_sha256("aes-128-cbc", [bytes(16)]) != output_sha256("aes-128-cbc", [bytes(32)])

    @pytest.mark.parametrize("algorithm", ["salsa20-256", "chacha20-128", "3des-192-ctr", "tinyjambu-128", "aes-1-ecb"])
    def test_unsupported_algorithm_has_no_reference(self, algorithm: str) -> None:
        assert not supports(algorithm)
        assert output_sha256(algorithm, [b"abc"]) is None


class TestTimedMessages:
    @pytest.mark.parametrize("length", [0, 257, BLOCK_BYTES - 1, BLOCK_BYTES + 1, 3_000_000])
    def test_counter_continues_between_pieces(self, length: int) -> None:
        pieces = filled("counter", length)
        assert pieces is not None
        assert b"".join(pieces) == (bytes(range(256)) * (length // 256 + 1))[:length]

    def test_fills_are_reproduced_except_the_runners_own(self) -> None:
        zeros = filled("zero", 1_500_000)
        assert zeros is not None
        assert b"".join(zeros) == bytes(1_500_000)
        assert filled("random", 16) is None

    def test_a_key_of_zeros(self) -> None:
        # McGrew and Viega, The Galois/Counter Mode of Operation (2005), appendix B, test case 1: H.
        state = encryption("aes-128-ecb", ZEROS)
        assert state is not None
        assert (state.update(bytes(16)) + state.finish()).hex() == "66e94bd4ef8a2c3b884cfa59ca342b2e"
