"""The inheritance of a root from this machine: the Debian archive, and the configuration of apt, pip and certificates.

No address is named here. Everything is taken from the machine's own configuration.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.roots.machines import TrialError

SUITES = ("bookworm", "trixie")
SUITE = SUITES[0]
MIRROR_VARIABLE = "DEBIAN_MIRROR"

_AUTHORITIES = Path("/usr/local/share/ca-certificates")
_BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
# Variables of proxies, certificates and pip. Their values are paths in the root, too, or addresses.
_INHERITED = re.compile(r"^(?:(?:https?|no|all)_proxy|(?:PIP|UV)_\w+|SSL_CERT_\w+|CURL_CA_BUNDLE|\w+_CA_BUNDLE)$", re.I)


@dataclass(frozen=True)
class Archive:
    """One index of a Debian archive: address and code name."""

    address: str
    code_name: str


def debian_archives(index_targets: str, mirror: str | None) -> list[Archive]:
    """Return the archives of `SUITE`; the first one is that of the distribution itself.

    index_targets: lines ``ADDRESS CODE_NAME ORIGIN`` of this machine's apt. mirror: replaces what apt knows.
    Raises TrialError if apt has no Debian archive and there is no mirror.
    """
    if mirror:
        return [Archive(mirror, SUITE)]
    rows = [line.split() for line in dict.fromkeys(index_targets.splitlines())]
    debian = [(row[0], row[1]) for row in rows if len(row) == 3 and row[2] == "Debian"]
    if not debian:
        raise TrialError(f"This machine's apt has no Debian archive. Name one: {MIRROR_VARIABLE}=http://…")
    # On another release of Debian, the same archives have the suites of this one.
    own = min((name for _, name in debian), key=len)
    found = [Archive(address, name.replace(own, SUITE, 1)) for address, name in debian]
    return sorted(found, key=lambda archive: archive.code_name != SUITE)


def read_archives() -> list[Archive]:
    """Return the archives of this machine's apt; the environment variable DEBIAN_MIRROR replaces them."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME) $(ORIGIN)", "Created-By: Packages"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return debian_archives(done.stdout, os.environ.get(MIRROR_VARIABLE))


def sources_list(archives: Iterable[Archive]) -> str:
    """Return the text of /etc/apt/sources.list."""
    return "".join(f"deb {archive.address} {archive.code_name} main\n" for archive in archives)


def inherited(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that reach package archives from inside a root as from this machine."""
    return {name: value for name, value in environment.items() if _INHERITED.match(name)}


def configure(root: Path) -> None:
    """Write this machine's package configuration into a root: apt's archives and proxy, pip's index, authorities."""
    write(root / "etc/apt/sources.list", sources_list(read_archives()))
    proxy = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=False).stdout
    lines = [line for line in proxy.splitlines() if re.match(r"Acquire::https?::(proxy|\S+::proxy) ", line, re.I)]
    write(root / "etc/apt/apt.conf.d/90trial", "".join(f"{line}\n" for line in lines))
    kept = " ".join(inherited(os.environ))
    write(root / "etc/sudoers.d/90trial", f'Defaults env_keep += "{kept}"\n' if kept else "")
    for path in (Path("/etc/pip.conf"), Path.home() / ".config/pip/pip.conf"):
        if path.exists():
            shutil.copy(path, root / "etc/pip.conf")
    for path in sorted(_AUTHORITIES.glob("*.crt")) if _AUTHORITIES.is_dir() else ():
        shutil.copy(path, root / str(_AUTHORITIES).lstrip("/") / path.name)
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf", follow_symlinks=True)


def name(root: Path, host_name: str) -> None:
    """Name the machine of a root, so that its own name has an address."""
    write(root / "etc/hostname", f"{host_name}\n")
    write(root / "etc/hosts", f"127.0.0.1 localhost\n::1 localhost\n127.0.1.1 {host_name}\n")


def write(path: Path, text: str) -> None:
    """Write a file and make its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
