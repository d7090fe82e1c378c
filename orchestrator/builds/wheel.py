"""Wheel that a device installs: the version of the running service.

A service in a checkout builds it with hatchling, once for each state of the sources. A service that was installed from
a wheel packs it from the installed files, which the RECORD of its installation lists. Neither needs a network.
"""

import base64
import csv
import hashlib
import io
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from concurrent.futures import Future
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from orchestrator.shared.errors import Unavailable
from orchestrator.shared.resources import CROSS_BUILDS, checkout

_BUILD_SECONDS = 300
_RETRY_SECONDS = 10.0
"""Age of a failure at which `path_if_made` starts another attempt."""
_SOURCES = ("orchestrator", "corpus", "runners", "migrations", "plans", "deploy", "requirements", "scripts")
_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)


class AgentWheel:
    """Wheel of this service, made by a background thread. Safe to use from several threads.

    A success is kept for the life of the process; a failure is not, so a later request tries again.
    """

    def __init__(self, cache_folder: Path) -> None:
        """Store wheels in the cache folder."""
        self._folder = cache_folder / "wheels"
        self._lock = threading.Lock()
        self._made: Future[Path] | None = None
        self._failed_at: float | None = None

    def path(self) -> Path:
        """Return the path of the wheel after it was made; raises Unavailable with the reason of a failure.

        Waits for an attempt that is under way, and starts another one after a failure.
        """
        return self._attempt(retry_after_seconds=0.0).result()

    def path_if_made(self) -> Path | None:
        """Return the path of the wheel, or None while it is being made; raises Unavailable like `path`."""
        attempt = self._attempt(retry_after_seconds=_RETRY_SECONDS)
        return attempt.result() if attempt.done() else None

    def _attempt(self, retry_after_seconds: float) -> "Future[Path]":
        with self._lock:
            failed_at = self._failed_at
            if failed_at is not None and time.monotonic() - failed_at >= retry_after_seconds:
                self._made = self._failed_at = None
            if self._made is None:
                self._made = Future()
                # A daemon thread: the service can end during a build.
                threading.Thread(target=self._make, args=(self._made,), name="agent-wheel", daemon=True).start()
            return self._made

    def _fail(self, made: "Future[Path]", failure: Exception) -> None:
        with self._lock:
            self._failed_at = time.monotonic()
        made.set_exception(failure)

    def _make(self, made: "Future[Path]") -> None:
        try:
            root = checkout()
            made.set_result(self._built(root) if root else self._repacked())
        except Unavailable as failure:
            self._fail(made, failure)
        except OSError as failure:
            text = f"The wheel could not be written: {failure}."
            self._fail(made, Unavailable(text, remedy="Free disk space or correct the permissions."))
        except Exception as failure:  # Outermost handler of the thread: requests that wait must end.
            self._fail(made, failure)
            raise

    def _built(self, root: Path) -> Path:
        target = self._folder / _fingerprint(root)
        ready = sorted(target.glob("*.whl"))
        if ready:
            return ready[0]
        self._folder.mkdir(parents=True, exist_ok=True)
        # Built next to its place and renamed: an interrupted build leaves no wheel that a later request takes.
        with tempfile.TemporaryDirectory(prefix="building-", dir=self._folder) as incoming:
            _run_hatchling(root, Path(incoming))
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir()
            (built,) = Path(incoming).glob("*.whl")
            return built.rename(target / built.name)

    def _repacked(self) -> Path:
        try:
            installed = distribution("ciphermark")
        except PackageNotFoundError as error:
            raise Unavailable("Ciphermark is not installed as a package.", remedy="Install its wheel.") from error
        target = self._folder / f"ciphermark-{installed.version}-py3-none-any.whl"
        data = repack(installed)
        self._folder.mkdir(parents=True, exist_ok=True)
        if not target.is_file() or target.read_bytes() != data:
            fresh = target.with_suffix(".new")
            fresh.write_bytes(data)
            fresh.replace(target)
        return target


def _run_hatchling(root: Path, target: Path) -> None:
    """Build the wheel of a checkout into a folder; raises Unavailable with the last lines of a failure."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(target)]
    try:
        # A process of its own: hatchling reads the current folder, and its memory is returned.
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=_BUILD_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise Unavailable(
            f"Building the wheel took more than {_BUILD_SECONDS} s.", remedy="Repeat the request."
        ) from error
    if done.returncode != 0 or len(list(target.glob("*.whl"))) != 1:
        tail = "\n".join((done.stdout + done.stderr).strip().splitlines()[-10:])
        raise Unavailable(
            f"The wheel could not be built: {tail}",
            remedy="Correct the error in these lines and repeat the request; 'make up' installs missing packages.",
        )


def repack(installed: Distribution) -> bytes:
    """Return an installed distribution as a wheel: its package files and metadata, with a new RECORD.

    Files that the installer added (scripts, compiled files, its metadata) are omitted; each device creates its own.
    """
    members: dict[str, bytes] = {}
    for file in installed.files or ():
        name = file.as_posix()
        if name.startswith(_OMITTED) or "__pycache__" in name or file.name in _INSTALLER_FILES:
            continue
        members[name] = Path(str(installed.locate_file(file))).read_bytes()
    info = next((name.partition("/")[0] for name in members if name.partition("/")[0].endswith(".dist-info")), None)
    if info is None:
        raise Unavailable("The installed Ciphermark has no metadata for a wheel.", remedy="Install it again.")
    # Without what was for this machine alone, the wheel is for every machine.
    members[f"{info}/WHEEL"] = re.sub(rb"(?m)^Tag: .*$", b"Tag: py3-none-any", members[f"{info}/WHEEL"])
    members[f"{info}/RECORD"] = _record(members, f"{info}/RECORD")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(members):
            archive.writestr(zipfile.ZipInfo(name, _ZIP_EPOCH), members[name], zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


_OMITTED = ("..", f"orchestrator/shipped/{CROSS_BUILDS}/", "orchestrator/shipped/corpus/")
"""Paths of what the installer added, and of what a wheel with runners carries: a device has it from the service."""
_INSTALLER_FILES = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json"})


def _record(members: dict[str, bytes], own_name: str) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    for name in sorted(members):
        digest = base64.urlsafe_b64encode(hashlib.sha256(members[name]).digest()).decode().rstrip("=")
        writer.writerow([name, f"sha256={digest}", len(members[name])])
    writer.writerow([own_name, "", ""])
    return text.getvalue().encode()


def _fingerprint(root: Path) -> str:
    """Return a fingerprint of the sources that a wheel is built from."""
    digest = hashlib.sha256((root / "pyproject.toml").read_bytes())
    for path in sorted(path for part in _SOURCES for path in (root / part).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(root)}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:32]
