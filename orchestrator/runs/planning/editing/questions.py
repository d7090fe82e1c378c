"""The usual questions, and the plan that answers them. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field

from orchestrator.shared.values.parameters import SearchText, TypedText
from orchestrator.wire.plans import PLAN_VERSION

Purpose = Literal["long", "short", "size"]
PURPOSES: dict[Purpose, str] = {
    "long": "Throughput on long inputs, each in a process of its own",
    "short": "Time of single messages, timed inside one process",
    "size": "Size of code and memory: single messages, every variant of each cipher",
}
Certainty = Literal["quick", "usual", "precise"]
CERTAINTIES: dict[Certainty, str] = {
    "quick": "A first look: 9 repetitions",
    "usual": "Intervals and ties: 20 repetitions",
    "precise": "Each median to ± 1 %: up to 300 repetitions",
}
_REPETITIONS: dict[Certainty, dict[str, Any]] = {
    "quick": {"repetitions": 9},
    "usual": {"repetitions": 20},
    "precise": {
        "repetitions": 12,
        "precision": {"relative_interval": 0.01, "max_repetitions": 300, "seconds_per_case": 30},
    },
}
_LENGTHS: dict[Purpose, str] = {"long": "128 KiB, 1 MiB", "short": "16, 64, 1 KiB", "size": "16, 64, 1 KiB"}
_NAMES: dict[Purpose, str] = {"long": "long-inputs", "short": "short-messages", "size": "sizes"}
USUAL_ALGORITHMS = ("aes-256-ctr", "chacha20-ietf", "chacha20-poly1305")
USUAL_PROVIDERS = ("own", "cryptopp", "botan")
USUAL_KINDS = ("text", "video")
USUAL_OPTIMIZATIONS = ("O2", "O3")
Names = Annotated[Sequence[Annotated[SearchText, Field(max_length=80)]], Query(max_length=300)]


@dataclass(frozen=True)
class Questions:
    """Answers to the usual questions, as a form sends them; empty ones are replaced by the usual choice."""

    purpose: Purpose = "long"
    certainty: Certainty = "usual"
    algorithms: Names = ()
    providers: Names = ()
    agents: Names = ()
    """Empty: all agents."""
    label: Annotated[TypedText, Field(max_length=80)] = ""
    """Label that the agents must have; empty for none."""
    kinds: Names = ()
    lengths: Annotated[SearchText, Field(max_length=400)] = ""
    """Lengths with commas between them: ``16, 1 KiB``."""
    compilers: Names = ()
    """Empty: the default build of each agent."""
    optimizations: Names = ()

    def document(self) -> dict[str, Any]:
        """Return the plan; names and lengths that do not exist are refused when it is read."""
        plan: dict[str, Any] = {"version": PLAN_VERSION, "name": _NAMES[self.purpose], **_REPETITIONS[self.certainty]}
        if self.agents:
            plan["agents"] = list(self.agents)
        if self.label:
            plan["requires"] = {"labels": [self.label]}
        if self.compilers:
            optimizations = list(self.optimizations or USUAL_OPTIMIZATIONS)
            plan["toolchains"] = [{"compiler": list(self.compilers), "optimization": optimizations}]
        return plan | {"matrix": [self._matrix()]}

    def _matrix(self) -> dict[str, Any]:
        names = {
            "providers": list(self.providers or USUAL_PROVIDERS),
            "algorithms": list(self.algorithms or USUAL_ALGORITHMS),
        }
        lengths = _lengths(self.lengths) or _lengths(_LENGTHS[self.purpose])
        if self.purpose == "long":
            return {**names, "inputs": {"kinds": list(self.kinds or USUAL_KINDS), "sizes": lengths}}
        if self.purpose == "size":
            # The default variant is the fastest one here, often vector code that is larger than the others.
            names["variants"] = ["*"]
        return {"protocol": "latency", **names, "messages": {"lengths": lengths}}


def _lengths(text: str) -> list[int | str]:
    """Return the lengths of a text with commas between them; those without a unit are numbers of bytes."""
    parts = (part.strip() for part in text.split(","))
    return [int(part) if part.isascii() and part.isdecimal() else part for part in parts if part]
