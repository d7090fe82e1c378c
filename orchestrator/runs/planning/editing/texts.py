"""Plans as YAML texts that people edit: plans of this installation, stored plans, and plans from answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from orchestrator.runs.planning.plan import parse_text
from orchestrator.shared.errors import NotFound
from orchestrator.shared.resources import shipped

_WIDTH = 110


@dataclass(frozen=True)
class ShippedPlan:
    """A plan of this installation."""

    name: str
    description: str
    text: str


def list_shipped_plans() -> list[ShippedPlan]:
    """Return the plans of this installation by name."""
    found = []
    for path in sorted(shipped("plans").glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        found.append(ShippedPlan(path.stem, str(parse_text(text).get("description", "")), text))
    return found


def get_shipped_plan(name: str) -> ShippedPlan:
    """Return a plan of this installation; raises NotFound."""
    plans = list_shipped_plans()
    for plan in plans:
        if plan.name == name:
            return plan
    raise NotFound(
        f"There is no plan {name[:80]!r} in this installation.",
        remedy=f"Choose one of {', '.join(plan.name for plan in plans)}.",
    )


class _PlanDumper(yaml.SafeDumper):
    """Writes lists of names and numbers in one line, as plans are written by hand."""


def _represent_list(dumper: _PlanDumper, values: list[Any]) -> yaml.Node:
    flat = not any(isinstance(value, dict | list) for value in values)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", values, flow_style=flat)


_PlanDumper.add_representer(list, _represent_list)


def plan_text(document: Mapping[str, Any]) -> str:
    """Return a plan's document as YAML, its keys in their order."""
    text: str = yaml.dump(dict(document), Dumper=_PlanDumper, sort_keys=False, allow_unicode=True, width=_WIDTH)
    return text
