"""Libraries of a target: packages of its distribution, downloaded and unpacked into a folder of the cache.

apt works with private folders, so the packages, sources and architectures of this machine stay as they are, and no
root is needed. It verifies the archive's signature with the keys of this machine, and each package's SHA-256.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from orchestrator.cli.cross_builds.machines import Target
from orchestrator.compilation.native.compilers import command_output
from orchestrator.compilation.native.libraries import Library
from orchestrator.compilation.native.steps import BuildObserver, execute
from orchestrator.shared.errors import BuildFailed, SetupError
from orchestrator.shared.files.identity import file_sha256
from orchestrator.shared.files.stored import StoredDocument
from orchestrator.wire.builds import TargetPackage

_PACKAGES_FILE = "packages.json"
_REQUESTED_FILE = "requested.txt"
"""Requested packages, one library per line: a sysroot is outdated when the runners gain a library."""
_LINKED_FILES = ("libc.a", "libstdc++.a", "libgcc.a")
"""Files of the cross compiler's own packages that every static program contains."""
_PACKAGES = StoredDocument[list[TargetPackage]](list[TargetPackage])
_UPDATE_SECONDS = 600.0

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Sysroot:
    """Folder with the unpacked packages."""

    folder: Path
    packages: list[TargetPackage]


def apt_configuration(target: Target, folder: Path, sources: Path | None) -> str:
    """Return an apt configuration with private folders, one architecture, and none of this machine's hooks.

    sources: file in the format of sources.list in place of this machine's sources.
    """
    private = "".join(
        f'#clear {name};\n'
        for name in ("APT::Architectures", "APT::Update::Pre-Invoke", "APT::Update::Post-Invoke",
                     "APT::Update::Post-Invoke-Success", "DPkg::Pre-Install-Pkgs", "DPkg::Post-Invoke")
    )  # fmt: skip
    lines = [
        f'Dir::State "{folder}/state";',
        f'Dir::State::status "{folder}/state/status";',
        f'Dir::Cache "{folder}/cache";',
        f'APT::Architecture "{target.debian_architecture}";',
        f'APT::Architectures {{ "{target.debian_architecture}"; }};',
        'APT::Get::AllowUnauthenticated "false";',
        'Acquire::AllowInsecureRepositories "false";',
        'Acquire::Languages "none";',
        'Acquire::Retries "2";',
    ]
    if sources is not None:
        lines += [f'Dir::Etc::sourcelist "{sources}";', 'Dir::Etc::sourceparts "/dev/null";']
    # Indexes of packages alone: neither icons nor lists of files.
    lines += [
        f'Acquire::IndexTargets::deb::{name}::DefaultEnabled "false";'
        for name in ("DEP-11", "DEP-11-icons", "DEP-11-icons-small", "DEP-11-icons-hidpi", "Contents-deb")
    ]
    return private + "\n".join(lines) + "\n"


def find_sysroot(folder: Path, libraries: Sequence[Library] = ()) -> Sysroot | None:
    """Return the sysroot that was unpacked before for these libraries; None if there is none."""
    requested = folder / _REQUESTED_FILE
    if (requested.read_text(encoding="utf-8") if requested.is_file() else "") != _requested(libraries):
        return None
    packages = _PACKAGES.read(folder / _PACKAGES_FILE)
    return None if packages is None else Sysroot(folder, packages)


def make_sysroot(
    target: Target, folder: Path, libraries: Sequence[Library], sources: Path | None, observer: BuildObserver
) -> Sysroot:
    """Download and unpack the target's libraries; an earlier sysroot is replaced when the new one is complete.

    A library that the package sources lack is left out, unless they lack all of them.
    Raises SetupError without apt, BuildFailed with apt's output, and Interrupted.
    """
    for tool in ("apt-get", "apt-cache", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise SetupError(
                f"{tool} is not installed; the target's libraries come from packages of Debian or Ubuntu.",
                remedy="Cross-build on Debian 12 or 13, Ubuntu 24.04 or Raspberry Pi OS.",
            )
    incoming = folder.with_name(f".{folder.name}.incoming")
    shutil.rmtree(incoming, ignore_errors=True)
    try:
        archives = _download(target, incoming, libraries, sources, observer)
        packages = _unpack(target, incoming, archives, observer)
        (incoming / _REQUESTED_FILE).write_text(_requested(libraries), encoding="utf-8")
        _PACKAGES.write(incoming / _PACKAGES_FILE, packages)
        shutil.rmtree(incoming / "apt")
        shutil.rmtree(folder, ignore_errors=True)
        incoming.rename(folder)
    finally:
        shutil.rmtree(incoming, ignore_errors=True)
    return Sysroot(folder, packages)


def compiler_packages(compiler: Path) -> list[TargetPackage]:
    """Return the installed packages of this machine whose libraries the compiler links into every static program."""
    packages: dict[str, TargetPackage] = {}
    for file in _LINKED_FILES:
        path = command_output(str(compiler), f"-print-file-name={file}") or ""
        owner = command_output("dpkg-query", "-S", os.path.realpath(path)) or ""
        name = owner.partition(": ")[0]
        described = command_output("dpkg-query", "-W", "-f", "${Package} ${Version} ${Architecture}", name) or ""
        fields = described.split()
        if len(fields) == 3:
            packages[name] = TargetPackage(name=fields[0], version=fields[1], architecture=fields[2], sha256=None)
    return list(packages.values())


def _requested(libraries: Sequence[Library]) -> str:
    return "".join(f"{' or '.join(library.packages)}\n" for library in libraries)


def _download(
    target: Target, folder: Path, libraries: Sequence[Library], sources: Path | None, observer: BuildObserver
) -> list[Path]:
    apt, archives = folder / "apt", folder / "apt" / "packages"
    for part in ("state/lists/partial", "cache/archives/partial", "packages"):
        (apt / part).mkdir(parents=True)
    (apt / "state" / "status").touch()
    configuration = apt / "apt.conf"
    configuration.write_text(apt_configuration(target, apt.resolve(), sources), encoding="utf-8")
    option = f"-c={configuration}"
    observer.report(f"downloading the list of packages for {target.debian_architecture}")
    update_error = None
    try:
        execute(["apt-get", option, "update"], observer, _UPDATE_SECONDS)
    except BuildFailed as error:
        # One source without this architecture, or a mirror in the middle of its synchronization, is no reason to end.
        update_error = error
    found = {" or ".join(library.packages): _available(library.packages, option) for library in libraries}
    missing = [packages for packages, name in found.items() if name is None]
    names = [name for name in found.values() if name is not None]
    if missing and not names:
        reason = f"\n{update_error}" if update_error else ""
        raise BuildFailed(
            f"No {' and no '.join(missing)} for {target.debian_architecture} in the package sources.{reason}",
            remedy="Check the network, or name sources that have this architecture: --sources FILE "
            "(in the format of /etc/apt/sources.list). Ubuntu has Arm packages in an archive of its own.",
        )
    if update_error is not None:
        _log.warning(
            "a package list is missing: the libraries may lack security updates; repeat with --refresh",
            reason=[line for line in str(update_error).splitlines() if line.startswith(("E:", "Err:"))],
        )
    if missing:
        _log.warning("libraries are not in the package sources; their runners are left out", packages=missing)
    observer.report(f"downloading {', '.join(names)}")
    execute(["env", "-C", str(archives), "apt-get", option, "download", *names], observer)
    return sorted(archives.glob("*.deb"))


def _available(alternatives: tuple[str, ...], option: str) -> str | None:
    return next((name for name in alternatives if command_output("apt-cache", option, "show", name)), None)


def _unpack(target: Target, folder: Path, archives: list[Path], observer: BuildObserver) -> list[TargetPackage]:
    packages = []
    for archive in archives:
        fields = _fields(archive)
        packages.append(
            TargetPackage(
                name=fields["Package"],
                version=fields["Version"],
                architecture=fields["Architecture"],
                sha256=file_sha256(archive),
            )
        )
        if fields["Architecture"] not in (target.debian_architecture, "all"):
            raise BuildFailed(f"{archive.name} is for {fields['Architecture']}; expected {target.debian_architecture}.")
        observer.report(f"unpacking {archive.name}")
        execute(["dpkg-deb", "-x", str(archive), str(folder)], observer)
    return packages


def _fields(archive: Path) -> Mapping[str, str]:
    names = ("Package", "Version", "Architecture")
    try:
        output = subprocess.run(
            ["dpkg-deb", "-f", str(archive), *names], capture_output=True, text=True, check=True, timeout=60
        ).stdout
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise BuildFailed(f"{archive.name} is not a Debian package: {error}.") from error
    return dict(line.split(": ", 1) for line in output.splitlines())
