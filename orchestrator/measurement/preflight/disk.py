"""Free disk: a full one stops the measuring, and a nearly full one makes every write slow."""

import shutil

from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import Condition, PreflightContext
from orchestrator.units import MIB, format_bytes_approximately
from orchestrator.wire.health import PreflightResult

LEAST_FREE_BYTES = 512 * MIB
"""Journal, chunks of the plans in the box and one more build of the runners."""


def check(_roots: Roots, context: PreflightContext) -> PreflightResult:
    """Look how much room the data folder has."""
    condition = Condition("disk", f"{format_bytes_approximately(LEAST_FREE_BYTES)} free for the data folder")
    folder = next(place for place in (context.data_folder, *context.data_folder.parents) if place.exists())
    free = shutil.disk_usage(folder).free
    found = f"{format_bytes_approximately(free)} free in {folder}"
    if free >= LEAST_FREE_BYTES:
        return condition.good(found)
    return condition.poor(found, "Make room there, or set CIPHERMARK_DATA_FOLDER to a folder on another disk")
