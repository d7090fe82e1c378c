"""Bound on the work of expanding a plan: steps are counted before they are made. Pure."""

from orchestrator.shared.errors import PlanRefused

MAX_STEPS = 2_000_000
"""Steps of a plan that is previewed or submitted. A step takes at most a microsecond (one x86-64 core, 2026-11)."""
CASE_STEPS = 16
"""Steps of one case, with its estimate and its part of the expected precision."""
PATTERN_STEPS = 200
"""Steps of the compilation of one pattern."""


class Budget:
    """Steps that the expansion of one plan may still take."""

    def __init__(self, max_steps: int | None = None) -> None:
        """Allow this many steps; None: any number, as for the layout of a plan that was accepted."""
        self._max_steps = max_steps
        self._spent = 0

    def spend(self, steps: int, parts: str) -> None:
        """Count steps that are about to be made; raise PlanRefused with the parts of the plan that need too many."""
        self._spent += steps
        if self._max_steps is None or self._spent <= self._max_steps:
            return
        raise PlanRefused(
            f"The plan is too large to be expanded: its {parts} take more than {self._max_steps} steps together.",
            remedy="Name fewer patterns, toolchains, inputs or copies, or submit several plans.",
            field="matrix",
            seen=self._spent,
            allowed=self._max_steps,
        )
