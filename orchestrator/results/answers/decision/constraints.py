"""Constraints on the candidates of an answer: AEAD, sizes, tag, constant time. A candidate is excluded with reasons.

An unknown value excludes a candidate, too: a device with 8 KiB of flash is not served by a code of unknown size.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from orchestrator.builds.schemas import FootprintFigures
from orchestrator.shared.units import format_quantity
from orchestrator.shared.values.constant_time import label
from orchestrator.shared.values.parameters import WholeNumber
from orchestrator.wire.builds import TargetName
from orchestrator.wire.messages import OperationName

BITS = 8
SizeLimit = Annotated[WholeNumber | None, Field(ge=0, le=2**40, description="At most this many bytes.")]
BitsRequired = Annotated[WholeNumber | None, Field(ge=0, le=4096, description="At least this many bits.")]
_SIZES = {
    "code size": "max_code_bytes",
    "static RAM": "max_static_ram_bytes",
    "stack": "max_stack_bytes",
    "context": "max_context_bytes",
}
"""Title of each size → its limit."""
_BITS = {"tag": "min_tag_bits", "key": "min_key_bits"}
"""Title of each value that has its bytes in the listing of the runner → its limit."""


@dataclass(frozen=True)
class Constraints:
    """Requirements on an implementation, as the query of the API has them; None and False require nothing."""

    aead: Annotated[bool, Field(description="Only authenticated encryption with associated data.")] = False
    constant_time: Annotated[
        bool, Field(description="Only code that claims constant time, if no check refutes it.")
    ] = False
    default_variants: Annotated[
        bool, Field(description="Only the variant of each algorithm that a plan without variants measures.")
    ] = False
    target: Annotated[TargetName, Field(description="Sizes are those on this processor, not those on the agent.")] = ""
    max_code_bytes: SizeLimit = None
    max_static_ram_bytes: SizeLimit = None
    max_stack_bytes: SizeLimit = None
    max_context_bytes: SizeLimit = None
    min_tag_bits: BitsRequired = None
    min_key_bits: BitsRequired = None

    @property
    def any(self) -> bool:
        """True where something is required."""
        return self != NO_CONSTRAINTS

    @property
    def labels(self) -> list[str]:
        """The requirements for users: ``AEAD``, ``code size at most 8 192 B``."""
        properties = {
            "AEAD": self.aead, "constant time": self.constant_time, "default variants": self.default_variants
        }  # fmt: skip
        found = [text for text, required in properties.items() if required]
        where = f" on {self.target}" if self.target else ""
        limits = {title: limit for title, limit in self.sizes().items() if limit is not None}
        found += [f"{title} at most {_bytes(limit)}{where}" for title, limit in limits.items()]
        return found + [
            f"{title} of at least {least} bits" for title, least in self.bits().items() if least is not None
        ]

    def sizes(self) -> dict[str, int | None]:
        """Return the limits of sizes in bytes by their titles."""
        return {title: getattr(self, name) for title, name in _SIZES.items()}

    def bits(self) -> dict[str, int | None]:
        """Return the least numbers of bits by their titles."""
        return {title: getattr(self, name) for title, name in _BITS.items()}


@dataclass(frozen=True)
class ImplementationFacts:
    """Properties of an implementation in the listing of its runner."""

    kind: str | None
    key_bytes: int
    tag_bytes: int
    constant_time: bool | None
    """Claim of the code; None: its listing has no such claim and none to the contrary."""
    leaks: int | None = None
    """Branches and addresses that depended on a secret in the check of the build; None: not checked."""
    available: bool = True
    """The processor of the agent can execute it."""
    requires: tuple[str, ...] = ()
    """Features that not every processor has: ``avx2``, ``aes``."""
    masked: bool = False
    default: bool = False
    """The variant that a plan without variants measures."""

    @property
    def portable(self) -> bool:
        """Unmasked, and every processor can execute it."""
        return not self.requires and not self.masked


NO_CONSTRAINTS = Constraints()


def size_values(footprint: FootprintFigures, operation: OperationName | None) -> dict[str, int | None]:
    """Return the sizes of an implementation in bytes by the titles of Constraints.sizes."""
    return {
        "code size": footprint.code_bytes,
        "static RAM": footprint.static_ram_bytes,
        "stack": footprint.max_stack_bytes(operation),
        "context": footprint.context_bytes,
    }


def violations(
    required: Constraints,
    facts: ImplementationFacts | None,
    footprint: FootprintFigures,
    operation: OperationName | None,
) -> list[str]:
    """Return why an implementation does not meet the constraints; empty if it does."""
    return [*_violated_properties(required, facts), *_violated_sizes(required, footprint, operation)]


def _violated_properties(required: Constraints, facts: ImplementationFacts | None) -> list[str]:
    needed = required.aead or required.constant_time or required.default_variants or any(required.bits().values())
    if facts is None:
        return ["the listing of its runner is missing, so that its properties are unknown"] if needed else []
    found = []
    if required.aead and facts.kind != "aead":
        found.append(f"it is no AEAD but a {(facts.kind or 'cipher').replace('-', ' ')}")
    if required.constant_time and not facts.constant_time:
        found.append("its code does not claim constant time")
    if required.constant_time and facts.constant_time and facts.leaks:
        found.append(f"its claim of constant time is refuted: {label(True, facts.leaks)}")
    if required.default_variants and not facts.default:
        found.append("it is not the default variant")
    for title, least in required.bits().items():
        size = getattr(facts, f"{title}_bytes")
        if least is not None and size * BITS < least:
            has = f"a {title} of {size * BITS} bits" if size else f"no {title}"
            found.append(f"it has {has}, at least {least} bits are required")
    return found


def _violated_sizes(required: Constraints, footprint: FootprintFigures, operation: OperationName | None) -> list[str]:
    found, values = [], size_values(footprint, operation)
    for title, limit in required.sizes().items():
        value = values[title]
        if limit is None:
            continue
        if value is None:
            found.append(f"its {title} is unknown: {footprint.reason or 'not measured'}")
        elif value > limit:
            found.append(f"its {title} is {_bytes(value)}, at most {_bytes(limit)} is allowed")
    return found


def nearest(
    required: Constraints, footprints: Mapping[str, FootprintFigures], operation: OperationName | None
) -> list[str]:
    """Return the lowest value of each limited size, with the name of a candidate that has it.

    footprints: by the name of the candidate. A size that no candidate reports has a sentence of its own.
    """
    found = []
    for title, limit in required.sizes().items():
        if limit is None:
            continue
        values = [
            (value, name)
            for name, one in footprints.items()
            if (value := size_values(one, operation)[title]) is not None
        ]
        if values:
            value, name = min(values)
            found.append(f"the lowest {title} is {_bytes(value)} ({name})")
        else:
            found.append(f"no candidate has a known {title}")
    return found


def missing_kinds(required: Constraints, found: Iterable[ImplementationFacts | None]) -> list[str]:
    """Return which required properties no candidate has at all."""
    known: Sequence[ImplementationFacts] = [one for one in found if one is not None]
    sentences = []
    if required.aead and not any(one.kind == "aead" for one in known):
        sentences.append("the run has no AEAD")
    if required.constant_time and not any(one.constant_time and not one.leaks for one in known):
        sentences.append("no code of the run claims constant time without being refuted")
    for title, least in required.bits().items():
        longest = max((getattr(one, f"{title}_bytes") for one in known), default=0) * BITS
        if least is not None and longest < least:
            sentences.append(f"the longest {title} has {longest} bits")
    return sentences


def _bytes(value: int) -> str:
    return format_quantity(value, "bytes")
