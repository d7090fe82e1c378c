"""Disk space: a full disk stops measuring, and a nearly full one slows down every write."""

import shutil

from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import PreflightContext, Requirement
from orchestrator.shared.units import MIB, format_bytes_approximately
from orchestrator.wire.health import PreflightResult

MIN_FREE_BYTES = 512 * MIB
"""Space for the journal, the chunks of the plans that come with Ciphermark and one more build of the runners."""


def check(_roots: Roots, context: PreflightContext) -> PreflightResult:
    """Check how much space is free for the data folder."""
    requirement = Requirement("disk", f"{format_bytes_approximately(MIN_FREE_BYTES)} free for the data folder")
    folder = next(place for place in (context.data_folder, *context.data_folder.parents) if place.exists())
    free = shutil.disk_usage(folder).free
    found = f"{format_bytes_approximately(free)} free in {folder}"
    if free >= MIN_FREE_BYTES:
        return requirement.good(found)
    return requirement.poor(found, "Free some space there, or set CIPHERMARK_DATA_FOLDER to a folder on another disk")
