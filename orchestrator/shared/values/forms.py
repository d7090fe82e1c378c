"""Forms of masked variants: number of shares, degree of masking and random generator. They are parameters of a case."""

from dataclasses import dataclass
from typing import Any

FORM_FIELDS = ("shares", "masking", "generator")


@dataclass(frozen=True, order=True, slots=True)
class Form:
    """Form of an implementation in a case; without values, that of an unmasked implementation."""

    shares: int = 0
    degree: str = ""
    generator: str = ""

    @classmethod
    def of(cls, row: Any) -> "Form":
        """Return the form of a row with the fields shares, masking and generator, which are None for unmasked ones."""
        return cls(row.shares or 0, row.masking or "", row.generator or "")

    @property
    def fields(self) -> dict[str, Any]:
        """The fields shares, masking and generator; all are None for an unmasked implementation."""
        values = (self.shares, self.degree, self.generator) if self.shares else (None, None, None)
        return dict(zip(FORM_FIELDS, values, strict=True))

    @property
    def options(self) -> tuple[str, ...]:
        """Options of a runner's commands; empty for an unmasked implementation."""
        if not self.shares:
            return ()
        return ("--shares", str(self.shares), "--masking", self.degree, "--generator", self.generator)

    def label(self, variant: str) -> str:
        """Return variant and form for users: ``masked64 · 3 shares · full · chacha20``."""
        return f"{variant} · {self.shares} shares · {self.degree} · {self.generator}" if self.shares else variant


UNMASKED = Form()


def variant_label(row: Any) -> str:
    """Return the variant of a row with the fields variant, shares, masking and generator, with its form."""
    return Form.of(row).label(row.variant)


def candidate_label(row: Any) -> str:
    """Return a name that no other candidate of an agent has: ``aes-128-ctr own vaes #2, gcc -O3``."""
    copy = f" #{row.copy_number}" if row.copy_number > 1 else ""
    return f"{row.algorithm} {row.provider} {variant_label(row)}{copy}, {row.toolchain}"
