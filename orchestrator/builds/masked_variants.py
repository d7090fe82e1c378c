"""Masked variants that the shipped sources declare: those that a build with them has before it is made."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from orchestrator.builds.source_metrics.files import VARIANT, family_of
from orchestrator.shared.resources import shipped

MASKED_SHARES = (2, 3, 4, 5, 6)
"""Shares that every masked variant is compiled with (runners/src/masked/describe.h)."""
_FEATURES = re.compile(r"\bON((?:\s+[a-z0-9]+)+)")
_DEGREES = re.compile(r"\bkDegrees\{([^}]*)\}")
_DEGREE = re.compile(r"MaskingDegree::(\w+)")


@dataclass(frozen=True)
class MaskedVariant:
    """A masked variant of all algorithms of a family of ciphers."""

    name: str
    features: tuple[str, ...]
    """Features that a processor needs for it, as the runners name them."""
    degrees: tuple[str, ...]


def masked_variants_of(algorithm: str) -> tuple[MaskedVariant, ...]:
    """Return the masked variants that the sources declare for an algorithm; empty if there are none."""
    family = family_of(_declared(), algorithm)
    return _declared()[f"{family}/variants.cmake"] if family else ()


@cache
def _declared() -> dict[str, tuple[MaskedVariant, ...]]:
    """Return the masked variants by path of the declaration, relative to the folder of all runners."""
    root = shipped("runners")
    paths = sorted(root.glob("src/ciphers/*/*/variants.cmake"))
    return {path.relative_to(root).as_posix(): tuple(_variants(path)) for path in paths}


def _variants(declaration: Path) -> Iterator[MaskedVariant]:
    forms = declaration.with_name("masked.h")
    degrees = _DEGREES.search(forms.read_text(encoding="utf-8")) if forms.is_file() else None
    names = tuple(name.replace("_", "-") for name in _DEGREE.findall(degrees[1])) if degrees else ()
    for name, options in VARIANT.findall(declaration.read_text(encoding="utf-8")):
        if "MASKED" in options.split():
            features = _FEATURES.search(options.partition("DESCRIBE")[0])
            yield MaskedVariant(name, tuple(features[1].split()) if features else (), names)
