"""Slots of the service for reading imported files: a file of 8 MiB occupies the interpreter for seconds."""

from typing import Annotated

from fastapi import Depends

from orchestrator.service.dependencies import kept_with_application
from orchestrator.service.server.admission import WorkSlots

_SLOTS = 1
_WAIT_SECONDS = 2.0
_RETRY_SECONDS = 5


def _import_slots(_database: object, _settings: object) -> WorkSlots:
    return WorkSlots(_SLOTS, _WAIT_SECONDS, _RETRY_SECONDS, "imports")


ImportSlotsDep = Annotated[WorkSlots, Depends(kept_with_application(_import_slots))]
