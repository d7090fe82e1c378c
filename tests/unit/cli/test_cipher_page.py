"""The page of own ciphers; tests/integration/native/test_cipher_page.py compares its tables with the runner."""

from typing import Any

import pytest

from orchestrator.cli.cipher_page import DescribedBuild, cipher_page, implementation_table
from orchestrator.shared.errors import BuildFailed
from orchestrator.wire.builds import FootprintResult
from orchestrator.wire.runners import Implementation, ListReport

DIGEST = "ab" * 32


def implementation(algorithm: str, variant: str | None = "ref", **changes: Any) -> Implementation:
    facts: dict[str, Any] = {
        "kind": "aead",
        "key_bytes": 16,
        "nonce_bytes": 12,
        "tag_bytes": 8,
        "block_bytes": 4,
        "available": True,
        "source": "A document, section 3",
        "vectors_sha256": DIGEST,
    }
    return Implementation(algorithm=algorithm, variant=variant, **facts | changes)


def footprint(algorithm: str, variant: str, code_bytes: int | None) -> FootprintResult:
    return FootprintResult(
        provider="own",
        algorithm=algorithm,
        variant=variant,
        code_bytes=code_bytes,
        static_ram_bytes=0,
        context_bytes=32,
        stack_bytes={"key-setup": 48, "encrypt": 160, "decrypt": 176},
    )


@pytest.mark.parametrize(("code_bytes", "shown"), [(5120, "5120"), (None, "—")])
def test_sizes_follow_the_fixed_properties(code_bytes: int | None, shown: str) -> None:
    row = implementation(
        "aead-128", "avx2", requires=["avx2", "bmi2"], messages_at_once=8, constant_time=True, default=True
    )
    table = implementation_table([row], [footprint("aead-128", "avx2", code_bytes)], [])
    sizes = f"{shown} | 0 | 32 | 48 | 160 | 176"
    assert table[2] == f"| `aead-128` | `avx2` | avx2 bmi2 | 8 | yes | yes | yes, not checked | {sizes} |"


def test_page_names_the_build_of_its_sizes() -> None:
    listing = ListReport(
        protocol=2, provider="own", version="1", build={"target": "riscv"}, implementations=[implementation("x")]
    )
    page = cipher_page(DescribedBuild(listing, [footprint("x", "ref", 8)], [], "gcc -O2 (GNU 12.2.0)"))
    assert "As built for `riscv` with gcc -O2 (GNU 12.2.0)." in page
    assert page.endswith("|\n")


def test_page_without_any_code_size_is_refused_with_the_reason() -> None:
    """Regression: every code size was a dash where the sizes of an interrupted build could not be measured."""
    listing = ListReport(protocol=2, provider="own", version="1", build={}, implementations=[implementation("x")])
    unknown = footprint("x", "ref", None).model_copy(update={"reason": "it was not compiled"})
    with pytest.raises(BuildFailed, match="no code size is known: it was not compiled"):
        cipher_page(DescribedBuild(listing, [unknown], [], "gcc -O2"))
