"""Cross-built runners that this service offers: the archives that ``ciphermark runners cross-build`` stored.

``<cache_folder>/cross-builds/<machine>/`` holds the archive, named by its SHA-256, and ``offer.json``, which is written
last. Every request reads the files, so a new archive is offered without a restart of the service. A wheel with runners
carries the same files, which are offered where the cache has none of the service's sources.
"""

from pathlib import Path
from typing import get_args

from orchestrator.shared.errors import NotFound
from orchestrator.shared.files.stored import StoredDocument
from orchestrator.shared.resources import CROSS_BUILDS, carried
from orchestrator.wire.builds import DeviceMachine
from orchestrator.wire.cross_builds import CrossBuildOffer, CrossBuildOffers

PATH = "/api/v1/downloads/cross-builds"
MACHINES: tuple[DeviceMachine, ...] = get_args(DeviceMachine)
OFFER_FILE = "offer.json"

STORED_OFFER = StoredDocument[CrossBuildOffer](CrossBuildOffer)


def cross_builds_folder(cache_folder: Path, machine: DeviceMachine) -> Path:
    """Return the folder with the archive for this kind of device."""
    return cache_folder / CROSS_BUILDS / machine


def archive_path(cache_folder: Path, machine: DeviceMachine, offer: CrossBuildOffer) -> Path:
    """Return the path of the archive of an offer."""
    return cross_builds_folder(cache_folder, machine) / f"{offer.sha256}.tar.gz"


def read_offer(cache_folder: Path, machine: DeviceMachine) -> CrossBuildOffer | None:
    """Return the stored offer for this kind of device; None if there is none, or it or its archive is not complete."""
    offer = STORED_OFFER.read(cross_builds_folder(cache_folder, machine) / OFFER_FILE)
    if offer is None:
        return None
    archive = archive_path(cache_folder, machine, offer)
    return offer if archive.is_file() and archive.stat().st_size == offer.size_bytes else None


def list_offers(cache_folder: Path, source_sha256: str) -> CrossBuildOffers:
    """Return the offers of the service's runner sources, and the reason for each machine without one."""
    offers: list[CrossBuildOffer] = []
    absent: dict[str, str] = {}
    for machine in MACHINES:
        found = [offer for _, offer in _offers(cache_folder, machine)]
        current = next((offer for offer in found if offer.manifest.source_sha256 == source_sha256), None)
        remedy = f"On the machine of the service: ciphermark runners cross-build --machine {machine}."
        if current is not None:
            offers.append(current)
        elif not found:
            absent[machine] = f"No runners were cross-built for {machine}. {remedy}"
        else:
            made_of = found[0].manifest.source_sha256[:12]
            absent[machine] = (
                f"The runners for {machine} were cross-built from sources {made_of}, "
                f"but the service has {source_sha256[:12]}. {remedy}"
            )
    return CrossBuildOffers(offers=offers, absent=absent)


def find_archive(cache_folder: Path, machine: DeviceMachine, source_sha256: str) -> tuple[CrossBuildOffer, Path]:
    """Return the offer for this kind of device and its archive; raises NotFound with the reason and remedy."""
    for folder, offer in _offers(cache_folder, machine):
        if offer.manifest.source_sha256 == source_sha256:
            return offer, archive_path(folder, machine, offer)
    raise NotFound(list_offers(cache_folder, source_sha256).absent[machine])


def _offers(cache_folder: Path, machine: DeviceMachine) -> list[tuple[Path, CrossBuildOffer]]:
    """Return the offers of the cache and of the installed wheel, each with the folder that has its archive."""
    folders = (cache_folder, carried(CROSS_BUILDS).parent)
    return [(folder, offer) for folder in folders if (offer := read_offer(folder, machine)) is not None]
