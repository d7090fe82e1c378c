"""Origins of material in their order: a local file of the published work, a download, installed packages."""

import shutil
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from corpus.kinds import Kind
from corpus.material import BuildStep, Material, MaterialMissing, Progress
from corpus.packaged.audio import packaged_audio
from corpus.packaged.carried import carried_material
from corpus.packaged.packages import Packages
from corpus.packaged.random import random_material
from corpus.packaged.text import packaged_text
from corpus.packaged.video import packaged_video
from corpus.published.download import downloaded_material
from corpus.published.material import local_material
from corpus.published.sources import Source

_DOWNLOADS = ".downloads-"
_PACKAGED: Mapping[Kind, Callable[[Packages], Material]] = {
    "random": lambda _packages: random_material(),
    "audio": packaged_audio,
    "video": packaged_video,
    "text": packaged_text,
}


@dataclass(frozen=True)
class Found:
    """A material, and why better origins were not available."""

    material: Material
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Origins:
    """The origins that a build may use."""

    local_sources: Path | None  # a folder with files of the published works
    download: bool  # whether the published works may be fetched from the internet
    packages: Packages
    sources: Mapping[Kind, Source]

    def local(self, kind: Kind) -> Material:
        """Return the published work in the folder of local sources; raise MaterialMissing if it is absent."""
        if kind not in self.sources:
            raise MaterialMissing(f"there is no published work of {kind}")
        if self.local_sources is None:
            raise MaterialMissing("no folder of local sources was given")
        return local_material(kind, self.sources[kind], self.local_sources)

    @contextmanager
    def best(self, kind: Kind, needed_bytes: int, folder: Path, progress: Progress) -> Generator[Found]:
        """Yield the best material of the kind; it may use temporary files in the folder until the context ends.

        Raises MaterialMissing with every reason if there is none.
        """
        if kind == "random":
            yield Found(packaged_material(kind, self.packages))
            return
        reasons = []
        with tempfile.TemporaryDirectory(dir=folder, prefix=_DOWNLOADS) as downloads:
            try:
                found = Found(self.local(kind))
            except MaterialMissing as local_reason:
                reasons.append(local_reason.detail)
                try:
                    found = Found(self._downloaded(kind, needed_bytes, Path(downloads), progress))
                except MaterialMissing as download_reason:
                    reasons.append(download_reason.detail)
                    found = Found(self._packaged(kind, reasons), tuple(reasons))
            yield found

    def _downloaded(self, kind: Kind, needed_bytes: int, folder: Path, progress: Progress) -> Material:
        if not self.download:
            raise MaterialMissing("downloads were not permitted")
        if kind not in self.sources:
            raise MaterialMissing(f"there is no published work of {kind} to download")
        source = self.sources[kind]
        done_bytes = 0

        def on_bytes(count: int) -> None:
            nonlocal done_bytes
            done_bytes += count
            progress(BuildStep("downloading", kind, source.title, done_bytes))

        progress(BuildStep("looking", kind, f"for {source.title} at {source.address}"))
        return downloaded_material(kind, source, needed_bytes, folder, on_bytes)

    def _packaged(self, kind: Kind, reasons: list[str]) -> Material:
        try:
            return packaged_material(kind, self.packages)
        except MaterialMissing as reason:
            every_reason = "; ".join((*reasons, reason.detail))
            raise MaterialMissing(every_reason, packages=reason.packages, alternative=reason.alternative) from reason


def packaged_material(kind: Kind, packages: Packages) -> Material:
    """Return the material of installed packages, otherwise what the wheel carries.

    Raises MaterialMissing with the packages that lack.
    """
    try:
        return _PACKAGED[kind](packages)
    except MaterialMissing:
        carried = carried_material(kind, packages.carried)
        if carried is None:
            raise
        return carried


def discard_downloads(folder: Path) -> None:
    """Delete the temporary downloads of a killed build; the caller holds the build lock."""
    for leftover in folder.glob(f"{_DOWNLOADS}*"):
        shutil.rmtree(leftover)
