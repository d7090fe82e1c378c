"""Check rules that no general linter has: tracked files, and the length of files and functions."""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LONG_FILE_LINES = 600
LONG_FUNCTION_LINES = 80
LONG_TEMPLATE_LINE = 140
# The tree must not contain the host of a package registry or an absolute path of one machine.
REGISTRY_HOSTS = re.compile(
    r"\b(?:[a-z0-9-]+\.)*(?:py" r"pi|python" r"hosted|npm" r"js|crates|deb" r"ian)\.(?:org|com|io)\b"
)
MACHINE_PATHS = re.compile(r"(?<![\w.])/(?:work|root|home/[a-z]+)/")
GENERATED_ENDINGS = (".pyc", ".o", ".so", ".sqlite", ".whl", ".mp4", ".mp3")


def tracked_files() -> list[Path]:
    """Return the files that git tracks."""
    listing = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True).stdout
    return [Path(name) for name in listing.split("\0") if name and Path(name).is_file()]


def findings(path: Path) -> Iterator[str]:
    """Yield every violation in one file."""
    if path.suffix in GENERATED_ENDINGS:
        yield f"{path}: is a generated file, which git must not track"
        return
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if REGISTRY_HOSTS.search(line):
            yield f"{path}:{number}: names the host of a package registry"
        if MACHINE_PATHS.search(line):
            yield f"{path}:{number}: names a path of one particular machine"
        if path.suffix == ".html" and len(line) > LONG_TEMPLATE_LINE:
            yield f"{path}:{number}: has {len(line)} characters, at most {LONG_TEMPLATE_LINE}"
    lines = text.count("\n")
    if path.suffix in (".py", ".cpp", ".h", ".js") and lines > LONG_FILE_LINES:
        yield f"{path}: has {lines} lines, at most {LONG_FILE_LINES}: split it by meaning"
    if path.suffix == ".py" and path.parts[0] != "migrations":  # a migration is a list of changes
        yield from long_functions(path, ast.parse(text))


def long_functions(path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield every function that is too long."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > LONG_FUNCTION_LINES:
                yield f"{path}:{node.lineno}: {node.name} has {lines} lines, at most {LONG_FUNCTION_LINES}"


def repeated_migrations(paths: list[Path]) -> Iterator[str]:
    """Yield every number that several migrations have: a database would have two newest revisions."""
    numbers = Counter(path.name[:4] for path in paths if path.match("migrations/versions/*.py"))
    yield from (f"migrations/versions/{number}_*.py: {n} files" for number, n in numbers.items() if n > 1)


def main() -> int:
    """Print the findings; 1 when there are any."""
    paths = tracked_files()
    found = [*repeated_migrations(paths), *(finding for path in paths for finding in findings(path))]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
