"""The size of the code by room, each with its budget, and counts that show repeated or overloaded ideas.

    scripts/structure.py          prints the table; ends with 1 where a figure is above its bound

Raising a bound needs a sentence in the commit: what became possible.
"""

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MAX_PARAMETERS = 8
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

# Lines of Python.
ROOMS = {
    "orchestrator/agents": 1730, "orchestrator/builds": 2440, "orchestrator/cli": 11205,
    "orchestrator/compilation": 4495, "orchestrator/daemon": 5950, "orchestrator/database": 2245,
    "orchestrator/measurement": 6365, "orchestrator/papers": 5040, "orchestrator/queue": 805,
    "orchestrator/results": 13245, "orchestrator/runs": 7925, "orchestrator/scheduler": 830,
    "orchestrator/service": 4450, "orchestrator/shared": 2410, "orchestrator/statistics": 3110,
    "orchestrator/watches": 2915, "orchestrator/web": 5470, "orchestrator/wire": 3405,
    "bench": 4490, "corpus": 1720, "runners/python/program": 315, "scripts": 2620, "tests": 57495,
}  # fmt: skip
COUNTS = {
    f"functions with more than {MAX_PARAMETERS} parameters": 7,
    "names of several classes": 2,
    "untyped dictionaries in cli/": 8,
    "settings": 30,
}


@dataclass(frozen=True)
class Figure:
    """A size or count with its bound."""

    name: str
    value: int
    bound: int

    @property
    def complaint(self) -> str:
        """Return a sentence where the bound is exceeded; otherwise an empty text."""
        if self.value <= self.bound:
            return ""
        return f"{self.name}: {self.value}, at most {self.bound}. Delete what it makes superfluous, or raise the bound."


def figures(root: Path) -> Iterator[Figure]:
    """Yield the figures of a checkout."""
    files = subprocess.run(["git", "ls-files", "*.py"], cwd=root, capture_output=True, text=True, check=True)
    texts = {name: (root / name).read_text(encoding="utf-8") for name in files.stdout.split() if (root / name).exists()}
    for room, bound in ROOMS.items():
        inside = (text for name, text in texts.items() if name.startswith(f"{room}/"))
        yield Figure(f"lines of {room}", sum(text.count("\n") for text in inside), bound)
    trees = {name: ast.parse(text) for name, text in texts.items() if name.startswith("orchestrator/")}
    nodes = [node for tree in trees.values() for node in ast.walk(tree)]
    classes = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    counts = (
        sum(isinstance(node, _FUNCTIONS) and _parameters(node) > MAX_PARAMETERS for node in nodes),
        sum(count > 1 for count in classes.values()),
        sum(text.count("dict[str, Any]") for name, text in texts.items() if name.startswith("orchestrator/cli/")),
        sum(_settings(tree) for name, tree in trees.items() if name.endswith("shared/settings.py")),
    )
    for (name, bound), value in zip(COUNTS.items(), counts, strict=True):
        yield Figure(name, value, bound)


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    given = function.args
    return len([one for one in (*given.posonlyargs, *given.args, *given.kwonlyargs) if one.arg not in ("self", "cls")])


def _settings(tree: ast.Module) -> int:
    fields = (node for one in tree.body if isinstance(one, ast.ClassDef) for node in one.body)
    return sum(isinstance(node, ast.AnnAssign) for node in fields)


def main() -> int:
    """Print the table and the complaints."""
    found = list(figures(Path(__file__).resolve().parents[1]))
    width = max(len(one.name) for one in found)
    for one in found:
        print(f"{one.name:{width}} {one.value:7} of {one.bound}")
    complaints = [one.complaint for one in found if one.complaint]
    print("\n".join(complaints), end="\n" if complaints else "", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
