"""The papers of this installation, found in the folder published/."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from orchestrator.papers import published
from orchestrator.papers.paper import Paper
from orchestrator.shared.errors import NotFound


@cache
def papers() -> Mapping[str, Paper]:
    """Return every paper by its name: the constant PAPER of each module in published/."""
    modules = (
        importlib.import_module(f"{published.__name__}.{found.name}")
        for found in pkgutil.iter_modules(published.__path__)
    )
    found: dict[str, Paper] = {module.PAPER.name: module.PAPER for module in modules}
    return MappingProxyType(dict(sorted(found.items())))


def find_paper(name: str) -> Paper:
    """Return a paper; raises NotFound that lists the papers."""
    if name not in papers():
        raise NotFound(f"There is no paper {name[:60]!r}.", remedy=f"Papers: {', '.join(papers())}.", field="name")
    return papers()[name]
