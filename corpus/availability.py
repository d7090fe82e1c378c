"""Availability of material: whether the installed packages can make chunks of a kind, and what to install otherwise."""

from collections.abc import Iterable, Mapping

from corpus.kinds import Kind
from corpus.material import MaterialMissing
from corpus.origins import packaged_material
from corpus.packaged.packages import Packages
from orchestrator.shared.errors import SetupError

_INSTALLED = Packages()


def check_packages(kinds: Iterable[Kind], packages: Packages = _INSTALLED) -> None:
    """Raise SetupError if the installed packages cannot make a kind; its remedy is one command for all kinds."""
    missing: dict[Kind, MaterialMissing] = {}
    for kind in kinds:
        try:
            packaged_material(kind, packages)
        except MaterialMissing as reason:
            missing[kind] = reason
    if missing:
        raise setup_error(missing)


def setup_error(missing: Mapping[Kind, MaterialMissing]) -> SetupError:
    """Return the error for kinds without material: the reason of each, and one command that installs all packages."""
    by_reason: dict[str, list[Kind]] = {}
    for kind, reason in missing.items():
        by_reason.setdefault(reason.detail, []).append(kind)
    reasons = ". ".join(f"No material for {' and '.join(kinds)}: {detail}" for detail, kinds in by_reason.items())
    names = sorted({name for reason in missing.values() for name in reason.packages})
    alternatives = sorted({reason.alternative for reason in missing.values() if reason.alternative})
    remedy = "Put a file of the work into the folder of local sources."
    if names:
        remedy = f"Execute: apt-get install -y --no-install-recommends {' '.join(names)}"
    if alternatives:
        remedy += f" ({'; '.join(alternatives)})"
    return SetupError(f"{reasons}.", remedy=remedy, packages=names)
