"""Source files of implementations: the cipher, what it refers to, and nothing of the harness."""

import re
from itertools import product

import pytest

from orchestrator.builds.source_metrics.files import source_files
from orchestrator.wire.languages.contract import ALGORITHMS
from tests.support.paths import REPOSITORY

RUNNERS = REPOSITORY / "runners"
SUFFIXES = {".cpp", ".h", ".cmake", ".py", ".js", ".go", ".rs", ".java"}
TEXTS = {
    path.relative_to(RUNNERS).as_posix(): path.read_text() for path in RUNNERS.rglob("*") if path.suffix in SUFFIXES
}


def files(provider: str, algorithm: str, variant: str, kind: str = "aead") -> set[str]:
    return set(source_files(TEXTS, provider, algorithm, variant, kind))


@pytest.mark.parametrize(
    ("provider", "expected"),
    [
        ("own", {"src/ciphers/aead/tinyjambu/scalar.cpp", "src/ciphers/aead/tinyjambu/cipher.h"}),
        ("python", {"python/ciphers/tinyjambu.py", "python/ciphers/errors.py"}),
        ("javascript", {"javascript/ciphers/tinyjambu.js", "javascript/ciphers/errors.js"}),
        ("go", {"go/internal/tinyjambu/tinyjambu.go"}),
        ("rust", {"rust/src/ciphers/tinyjambu.rs", "rust/src/ciphers/mod.rs"}),
        ("java", {"java/src/ciphermark/ciphers/TinyJambu.java", "java/src/ciphermark/ciphers/Bytes.java"}),
    ],
)
def test_cipher_and_what_it_refers_to(provider: str, expected: set[str]) -> None:
    found = files(provider, "tinyjambu-128", "scalar" if provider == "own" else "ref")

    assert expected <= found
    assert not [path for path in found if re.search(r"/(cli|measure|provider|program|known_?answers)/", path)]
    assert not [path for path in found if re.search(r"aes|simon|speck|chacha", path, re.IGNORECASE)]


def test_every_algorithm_of_every_language_has_files() -> None:
    providers = ("python", "javascript", "go", "rust", "java")
    missing = [
        (provider, algorithm, variant)
        for provider, (algorithm, facts) in product(providers, ALGORITHMS.items())
        for variant in facts.variants
        if not files(provider, algorithm, variant, facts.kind)
    ]
    assert missing == []


def test_every_declared_variant_of_own_ciphers_has_files() -> None:
    declared = [
        (path.rpartition("/")[0], name)
        for path, text in TEXTS.items()
        if path.endswith("/variants.cmake")
        for name in re.findall(r"^ciphermark_variant\((\S+)", text, re.MULTILINE)
    ]
    assert len(declared) > 50
    for folder, variant in declared:
        family = folder.rpartition("/")[2].replace("_", "-")
        found = files("own", f"{family}-128", variant)
        assert any(path.startswith(f"{folder}/") for path in found), (folder, variant, found)


@pytest.mark.parametrize(
    ("algorithm", "variant", "path"),
    [
        ("aes-128-gcm", "aesni", "src/ciphers/aead/aes_gcm/aesni.cpp"),
        ("aes-128-ctr", "ref", "src/ciphers/block/aes/ref.cpp"),
        ("chacha20-ietf", "words", "src/ciphers/stream/chacha20/cipher.h"),
        ("drygascon128k16", "opt64", "src/ciphers/aead/drygascon/cipher.h"),
        ("3des-192-ecb", "tables", "src/ciphers/block/3des/cipher.cpp"),
        ("ascon-128", "masked64", "src/masked/gadgets.h"),
    ],
)
def test_family_is_found_by_the_name_of_the_algorithm(algorithm: str, variant: str, path: str) -> None:
    family = re.sub(r"^src/ciphers/(\w+)/.*", r"\1", path)
    declared = re.findall(r"ciphermark_variant\((\S+)", TEXTS.get(f"{path.rpartition('/')[0]}/variants.cmake", ""))
    chosen = variant if variant not in ("words",) or variant in declared else declared[0]

    assert path in files("own", algorithm, chosen, "block-mode" if family == "block" else "aead")


def test_lists_of_bits_are_a_file_of_their_own_and_modes_belong_to_block_ciphers() -> None:
    for provider in ("python", "javascript", "go", "rust", "java"):
        words, bits = (files(provider, "simon-128-256-ecb", one, "block-mode") for one in ("words", "bits"))
        assert words < bits, provider
        assert [path for path in words if "mode" in path.lower()], provider
        assert not [path for path in words if "speck" in path.lower()], provider


@pytest.mark.parametrize(
    ("provider", "algorithm", "variant"),
    [("botan", "aes-128-ctr", "library"), ("own", "unknown-1", "ref"), ("python", "rot13", "ref")],
)
def test_what_has_no_sources_here_has_no_files(provider: str, algorithm: str, variant: str) -> None:
    assert files(provider, algorithm, variant) == set()
