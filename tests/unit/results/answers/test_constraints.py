from dataclasses import replace

from orchestrator.builds.schemas import FootprintFigures
from orchestrator.results.answers.decision.constraints import (
    Constraints,
    ImplementationFacts,
    missing_kinds,
    nearest,
    violations,
)

CTR = ImplementationFacts("block-mode", key_bytes=16, tag_bytes=0, constant_time=True)
SIZES = FootprintFigures(
    code_bytes=700, static_ram_bytes=None, context_bytes=352, reason="no object file",
    stack_bytes={"key-setup": 96, "encrypt": 64, "decrypt": 128},
)  # fmt: skip


def test_each_violated_requirement_has_its_reason() -> None:
    required = Constraints(aead=True, max_code_bytes=512, max_static_ram_bytes=64, min_key_bits=256)
    assert violations(required, CTR, SIZES, "encrypt") == [
        "it is no AEAD but a block mode",
        "it has a key of 128 bits, at least 256 bits are required",
        "its code size is 700 B, at most 512 B is allowed",
        "its static RAM is unknown: no object file",
    ]


def test_variant_that_no_plan_measures_by_default_is_excluded_on_request() -> None:
    assert violations(Constraints(default_variants=True), CTR, SIZES, None) == ["it is not the default variant"]
    assert violations(Constraints(default_variants=True), replace(CTR, default=True), SIZES, None) == []


def test_what_no_candidate_has_is_named_and_the_nearest_size() -> None:
    required = Constraints(aead=True, min_tag_bits=64, min_key_bits=256, max_code_bytes=512, max_static_ram_bytes=64)
    assert missing_kinds(required, [CTR, None]) == [
        "the run has no AEAD", "the longest tag has 0 bits", "the longest key has 128 bits",
    ]  # fmt: skip
    assert nearest(required, {"aes-128-ctr by own": SIZES}, None) == [
        "the lowest code size is 700 B (aes-128-ctr by own)", "no candidate has a known static RAM",
    ]  # fmt: skip


def test_stack_is_that_of_key_setup_and_operation() -> None:
    assert [SIZES.max_stack_bytes(operation) for operation in ("encrypt", "decrypt", None)] == [96, 128, 128]
    assert SIZES.max_stack_bytes("digest") is None
