"""Wheel that a device installs: the version of the running service.

A service in a checkout builds it (PEP 517, once for each state of the sources). A service that was installed from a
wheel packs it from the installed files, which the RECORD of its installation lists.
"""

import base64
import csv
import hashlib
import importlib.util
import io
import subprocess
import sys
import threading
import zipfile
from concurrent.futures import Future
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from orchestrator.errors import Unavailable
from orchestrator.resources import checkout

_BUILD_SECONDS = 300
_SOURCES = ("orchestrator", "corpus", "runners", "migrations", "plans", "deploy")
_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)


class AgentWheel:
    """Wheel of this service, made once per process by a background thread. Safe to use from several threads.

    A build can take long if the packages of the build backend have to be downloaded, so requests do not wait for it.
    """

    def __init__(self, cache_folder: Path) -> None:
        """Store wheels in the cache folder."""
        self._folder = cache_folder / "wheels"
        self._lock = threading.Lock()
        self._made: Future[Path] | None = None

    def path(self) -> Path:
        """Return the path of the wheel after it was made; raises Unavailable with the reason of a failure."""
        return self._begun().result()

    def path_if_made(self) -> Path | None:
        """Return the path of the wheel, or None while it is being made; raises Unavailable like `path`."""
        begun = self._begun()
        return begun.result() if begun.done() else None

    def _begun(self) -> "Future[Path]":
        with self._lock:
            if self._made is None:
                self._made = Future()
                # A daemon thread: the service can end during a build.
                threading.Thread(target=self._make, args=(self._made,), name="agent-wheel", daemon=True).start()
            return self._made

    def _make(self, made: "Future[Path]") -> None:
        try:
            root = checkout()
            made.set_result(self._built(root) if root else self._repacked())
        except Unavailable as failure:
            made.set_exception(failure)
        except OSError as failure:
            made.set_exception(
                Unavailable(
                    f"The wheel could not be written: {failure}.", remedy="Free disk space or correct the permissions."
                )
            )
        except Exception as failure:  # Outermost handler of the thread: requests that wait must end.
            made.set_exception(failure)
            raise

    def _built(self, root: Path) -> Path:
        target = self._folder / _fingerprint(root)
        ready = sorted(target.glob("*.whl"))
        if ready:
            return ready[0]
        if importlib.util.find_spec("build") is None:
            raise Unavailable(
                "This service runs from a checkout and the package 'build' is not installed.",
                remedy="Install it (pip install build), or install Ciphermark from a wheel.",
            )
        isolation = [] if importlib.util.find_spec("hatchling") is None else ["--no-isolation"]
        command = [sys.executable, "-m", "build", "--wheel", *isolation, "--outdir", str(target), str(root)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_BUILD_SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise Unavailable(
                f"Building the wheel took more than {_BUILD_SECONDS} s.", remedy="Repeat the request."
            ) from error
        ready = sorted(target.glob("*.whl"))
        if done.returncode != 0 or not ready:
            tail = "\n".join((done.stdout + done.stderr).strip().splitlines()[-10:])
            raise Unavailable(
                f"The wheel could not be built: {tail}",
                remedy="Correct the error in these lines and restart the service.",
            )
        return ready[0]

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


def repack(installed: Distribution) -> bytes:
    """Return an installed distribution as a wheel: its package files and metadata, with a new RECORD.

    Files that the installer added (scripts, compiled files, its metadata) are omitted; each device creates its own.
    """
    members: dict[str, bytes] = {}
    for file in installed.files or ():
        name = file.as_posix()
        if name.startswith("..") or "__pycache__" in name or file.name in _INSTALLER_FILES:
            continue
        members[name] = Path(str(installed.locate_file(file))).read_bytes()
    info = next((name.partition("/")[0] for name in members if name.partition("/")[0].endswith(".dist-info")), None)
    if info is None:
        raise Unavailable("The installed Ciphermark has no metadata for a wheel.", remedy="Install it again.")
    members[f"{info}/RECORD"] = _record(members, f"{info}/RECORD")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(members):
            archive.writestr(zipfile.ZipInfo(name, _ZIP_EPOCH), members[name], zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


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
