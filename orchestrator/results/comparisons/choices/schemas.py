"""API schemas of the parts of a run that can be sides of a comparison."""

from typing import Literal

from orchestrator.results.comparisons.schemas import Property, SideFields
from orchestrator.wire.base import ServiceResponse

ComparedBy = Literal[Property, "former run"]


class SideValue(ServiceResponse):
    """One value of a property, which narrows a side to the cases with it."""

    value: str
    cases: int
    """Cases with a verified result, of this value and of the side's other properties."""
    label: str
    """The side with this value: ``4f1c…,toolchain=gcc -O3``."""


class SideProperty(ServiceResponse):
    """A property of a run's cases with its values, by which a side can be narrowed."""

    name: Property
    selected: str
    """The side's value; empty where the side has all values."""
    values: list[SideValue]


class SuggestedComparison(ServiceResponse):
    """A comparison inside of the run, or with the run before it."""

    by: ComparedBy
    sides: list[str]
    """As the comparison takes them, the first one first."""


class SideChoices(SideFields):
    """A side of a comparison with the properties by which it can be narrowed."""

    properties: list[SideProperty]


class RunSides(SideChoices):
    """A side with the comparisons that its run suggests."""

    suggested: list[SuggestedComparison]
    """Comparisons of the whole run: of its agents, toolchains, libraries …, and with the earlier run of its plan."""
