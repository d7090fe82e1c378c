"""The passes of a run: how often each case is executed for which purpose before anything is known of it. Pure."""

from dataclasses import dataclass
from typing import Self

from orchestrator.wire.plans import Plan


@dataclass(frozen=True, slots=True)
class Passes:
    """Executions of each case, by purpose; with a precision, timing gets more of them later, in rounds."""

    timing: int
    """Blocks of timed executions: the plan's repetitions."""
    warm_up: int = 0
    memory: int = 0
    """0: memory is read in the timed executions."""
    energy: int = 0
    """Windows."""

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """Return what a plan asks for."""
        return cls(
            timing=plan.repetitions,
            warm_up=plan.warm_up,
            memory=plan.memory_repetitions if plan.memory == "apart" else 0,
            energy=plan.energy.windows if plan.energy is not None else 0,
        )

    @property
    def executions(self) -> int:
        """Of each case; an energy window counts as one."""
        return self.timing + self.warm_up + self.memory + self.energy


def most_executions(plan: Plan) -> int:
    """Return how often a case is executed at most: with a precision, until its maximum is reached."""
    passes = Passes.of(plan)
    more = plan.precision.max_repetitions - plan.repetitions if plan.precision is not None else 0
    return passes.executions + more
