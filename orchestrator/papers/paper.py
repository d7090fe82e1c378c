"""A paper: bibliographic entry, plan, published figures, claims."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from orchestrator.papers.names import AxisScale, DrawingKind, Unit
from orchestrator.papers.quantities import Device, Quantity
from orchestrator.papers.statements import ForEachChoice, Statement
from orchestrator.shared.errors import NotFound
from orchestrator.shared.resources import shipped


@dataclass(frozen=True)
class DeviceKind:
    """A kind of device that a publication or a claim is about: a rule over an inventory."""

    label: str
    """As in "measured on …"."""
    architectures: tuple[str, ...]
    """Such as `x86_64`."""
    models: tuple[str, ...] = ()
    """Lower-case texts of which the model of the device or of its processor contains one. Empty for a kind that the
    publication did not measure."""
    virtual_machine: bool = False
    """The publication measured in a virtual machine; otherwise none is of this kind, whatever processor it shows."""

    def includes(self, device: Device) -> bool:
        """Return whether a device is of this kind."""
        if device.virtual_machine and not self.virtual_machine:
            return False
        model = device.facts.model.lower()
        return device.architecture in self.architectures and any(one in model for one in self.models)


@dataclass(frozen=True)
class Setting:
    """Conditions of the measurements of a publication."""

    devices: tuple[DeviceKind, ...] = ()
    lengths: tuple[int, ...] = ()
    """Bytes of its inputs; claims are judged with these alone. Empty if it names none: then with every length."""
    flags: str = ""
    """Such as `-O3`; empty if it names none."""
    compilers: str = ""
    code: str = ""
    """How the code of a run differs from the measured one, as a noun phrase."""


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
class Spot:
    """A point of a chart, or a cell of a table."""

    x: str
    """Category of the horizontal axis, or row."""
    series: str
    """Color of a chart, or column of a table."""
    published: float | None = None
    """None where the publication shows a value that it does not print."""
    quantity: Quantity | None = None
    """None if it has no counterpart."""
    panel: str = ""
    unit: Unit | None = None
    """If it is not that of the drawing."""
    reason: str = ""
    """Why there is no counterpart."""


@dataclass(frozen=True)
class Drawing:
    """A figure or table. Panels, categories and series have the order in which the spots name them first."""

    name: str
    """As in the addresses of pages: `figure-1`."""
    title: str
    """`Figure 1: performance by mode`."""
    kind: DrawingKind
    x: str
    """Title of the categories."""
    y: str
    """Title of the values, without the unit."""
    unit: Unit
    spots: tuple[Spot, ...]
    series: str = ""
    """Title of the legend."""
    scale: AxisScale = "linear"
    remark: str = ""
    """What the publication does not print or state about the drawing."""


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
