"""A paper: bibliographic entry, plan, published figures, claims."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from orchestrator.papers.drawing import Drawing
from orchestrator.papers.names import Unit
from orchestrator.papers.quantities import Quantity
from orchestrator.papers.setting import DeviceKind, Setting
from orchestrator.papers.statements import ForEachChoice, Statement
from orchestrator.shared.errors import NotFound
from orchestrator.shared.resources import shipped


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper, or of its re-measurement, as an executable check."""

    id: str
    text: str
    statement: Statement | ForEachChoice
    device: DeviceKind | None = None
    """Kind of device that the claim itself names; other architectures do not measure it. By default the devices of the
    publication, and each device is judged for itself."""


@dataclass(frozen=True)
class Figure:
    """A published figure, and the quantity that measures the same on one's own device."""

    label: str
    value: float
    unit: Unit
    where: str
    """Table, figure or section of the paper."""
    quantity: Quantity | None = None
    """None if the paper's figure has no counterpart."""
    reason: str = ""
    """Why there is none."""


@dataclass(frozen=True)
class Paper:
    """A published benchmark."""

    name: str
    """As in `ciphermark papers run NAME`."""
    title: str
    authors: str
    year: int | None
    """None if the publication names none."""
    summary: str
    claims: tuple[Claim, ...]
    figures: tuple[Figure, ...]
    drawings: tuple[Drawing, ...] = ()
    """Figures and tables in the publication's own axes."""
    setting: Setting = field(default_factory=Setting)
    differences: tuple[str, ...] = ()
    """Intended differences from the publication, which can change figures."""
    findings: tuple[Claim, ...] = ()
    """What the re-measurement of the paper showed; a finding that is reproduced is visible in this run."""
    further_plans: Mapping[str, str] = field(default_factory=dict)
    """Plans that answer what the paper's own plan does not, such as its future work: name of the file
    plans/<name>.yaml → question, as a noun phrase."""
    quick: Mapping[str, Any] = field(default_factory=dict)
    """What --scale quick changes: `repetitions`, `toolchains`, and where a matrix has them `variants` and the keys of
    `inputs`, `messages` and `masking`. It takes fewer of the plan's values, never others."""

    def plan_text(self, further: str = "") -> str:
        """Return the plan at full scale, or a further plan by its name, as YAML; raises NotFound."""
        if further and further not in self.further_plans:
            known = ", ".join(self.further_plans) or "none"
            raise NotFound(
                f"Paper {self.name} has no further plan {further!r}.", remedy=f"Further plans: {known}.", field="plan"
            )
        return (shipped("plans") / f"{further or self.name}.yaml").read_text(encoding="utf-8")

    def reduced(self, plan: Mapping[str, Any]) -> dict[str, Any]:
        """Return a parsed plan at quick scale."""
        found = deepcopy(dict(plan))
        found["name"] = f"{self.name}-quick"
        changes = dict(self.quick)
        for key in ("repetitions", "toolchains"):
            if key in changes:
                found[key] = changes.pop(key)
        for block in found["matrix"]:
            for key, values in changes.items():
                if key in block:
                    block[key] = {**block[key], **values} if isinstance(values, Mapping) else values
        return found
