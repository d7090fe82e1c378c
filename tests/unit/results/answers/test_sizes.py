"""Remarks of an answer about sizes: processor, extensions of it, and variants that were not measured."""

from typing import Any

from orchestrator.results.answers.decision.constraints import ImplementationFacts
from orchestrator.results.answers.decision.sizes import Implementations, size_remarks
from orchestrator.results.answers.readings import Candidate

DEVICE, RUN = "vm (EPYC 9R14)", "abcdef123456"


def listed(*names: tuple[str, str, dict[str, Any]]) -> Implementations:
    return {
        (1, "own", algorithm, variant): ImplementationFacts("aead", 16, 16, True, **properties)
        for algorithm, variant, properties in names
    }


def measured(*names: tuple[str, str]) -> list[Candidate]:
    return [Candidate("agent0000001", "own", algorithm, variant, 1) for algorithm, variant in names]


XOODYAK = [("xoodyak", "words", {}), ("xoodyak", "avx512", {"requires": ("avx512f", "avx512vl")})]


def test_remarks_name_the_processor_and_code_for_its_extensions() -> None:
    text = size_remarks(DEVICE, "", listed(*XOODYAK), measured(("xoodyak", "words"), ("xoodyak", "avx512")), RUN)
    assert text == (
        "Sizes are those of code that was compiled for vm (EPYC 9R14); on another processor they differ. No sizes of "
        "firmware, because they use instructions of this processor (avx512f, avx512vl): xoodyak by own [avx512]."
    )


def test_single_variant_is_named_with_the_command_that_measures_the_others() -> None:
    text = size_remarks(
        DEVICE,
        "",
        listed(*XOODYAK, ("gimli-24", "words", {})),
        measured(("xoodyak", "avx512"), ("gimli-24", "words")),
        RUN,
    )
    assert text.endswith(
        "A single variant was measured of xoodyak by own, and another one may be smaller: "
        "ciphermark submit abcdef123456 --variant '*' --watch measures all."
    )


def test_variants_that_cannot_be_executed_or_are_masked_are_not_missed() -> None:
    others = [("spix", "words", {}), ("spix", "neon", {"available": False}), ("spix", "masked64", {"masked": True})]
    assert "single variant" not in size_remarks(DEVICE, "", listed(*others), measured(("spix", "words")), RUN)


def test_sizes_on_a_target_are_distinguished_from_times_on_the_device() -> None:
    text = size_remarks(
        DEVICE, "cortex-m3", listed(*XOODYAK), measured(("xoodyak", "words"), ("xoodyak", "avx512")), RUN
    )
    assert text.startswith("Sizes are those on cortex-m3, times those on vm (EPYC 9R14)")
    assert "No sizes of firmware" not in text
