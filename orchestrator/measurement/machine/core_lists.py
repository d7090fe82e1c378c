"""Lists of cores in the kernel's notation: ``0-3,6``."""

from pathlib import Path


def parse_core_list(text: str) -> list[int]:
    """Return the cores in the order written; raises ValueError for another notation."""
    cores: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        cores.extend(range(int(first), int(last or first) + 1))
    return cores


def format_core_list(cores: frozenset[int]) -> str:
    """Return cores as the kernel writes them, with consecutive cores as a range."""
    spans: list[tuple[int, int]] = []
    for core in sorted(cores):
        if spans and core == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], core)
        else:
            spans.append((core, core))
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)


def read_core_list(path: Path) -> frozenset[int] | None:
    """Return the cores that a kernel file lists, or None if it cannot be read; an empty file lists none."""
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return frozenset(parse_core_list(text)) if text else frozenset()
