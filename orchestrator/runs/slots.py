"""Slots of the service for the expansion of plans, which API and pages share."""

from typing import Annotated

from fastapi import Depends

from orchestrator.service.dependencies import kept_with_application
from orchestrator.service.server.admission import WorkSlots

PLANNING_SLOTS = 1
"""Plans that are expanded at the same time: the longest expansion occupies the interpreter for more than a second."""
_PLANNING_WAIT_SECONDS = 0.5
_PLANNING_RETRY_SECONDS = 2


def _planning_slots(_database: object, _settings: object) -> WorkSlots:
    return WorkSlots(PLANNING_SLOTS, _PLANNING_WAIT_SECONDS, _PLANNING_RETRY_SECONDS, "plans")


PlanningSlotsDep = Annotated[WorkSlots, Depends(kept_with_application(_planning_slots))]
