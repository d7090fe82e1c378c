"""The packages keep their folder sizes, file names and places of SQL; import-linter checks their layers and roles."""

import ast
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.support.paths import REPOSITORY

# Folders with one file per plug-in, which grow with what they offer.
PLUG_IN_FOLDERS = (
    "orchestrator/cli/commands",
    "orchestrator/shared/exporters",
    "orchestrator/results/imports/formats",
    "orchestrator/wire/languages",
    "orchestrator/wire/metrics",
    "orchestrator/papers/published",
    "orchestrator/measurement/preflight",
    "orchestrator/measurement/sensors",
    "orchestrator/web/charts",
)
MAX_FILES = 14
MAX_DAEMON_ENTRIES = 10
FOLDERS_SPELLED_AS_NAMES = ("_service", "_repository", "_rows", "_view")
SQL_FUNCTIONS = {"select", "insert", "update", "delete"}
IMPORT_TABLES = {"Import", "ImportedSeries"}
# Nothing else judges or ranks by the results of other tools; the file adds them to a finished comparison.
THEIR_READERS = (
    "orchestrator/results/imports/",
    "orchestrator/database/models/",
    "orchestrator/results/comparisons/imported.py",
)


@cache
def python_files() -> dict[str, str]:
    """Return the text of every Python file of the packages by its path."""
    files = [path for package in ("orchestrator", "corpus") for path in sorted((REPOSITORY / package).rglob("*.py"))]
    return {path.relative_to(REPOSITORY).as_posix(): path.read_text(encoding="utf-8") for path in files}


@cache
def parsed(text: str) -> ast.Module:
    return ast.parse(text)


@cache
def imported_names(text: str) -> list[tuple[str, str]]:
    """Return each import as module and name; the name is empty for ``import module``."""
    found = []
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.module, alias.name) for alias in node.names]
    return found


def crowded_folders() -> list[str]:
    """Find folders with more than MAX_FILES Python files, without the folders of plug-ins."""
    files = defaultdict[str, int](int)
    for path in python_files():
        if not path.endswith("/__init__.py"):
            files[str(Path(path).parent)] += 1
    return [f"{folder} has {n} files" for folder, n in files.items() if n > MAX_FILES and folder not in PLUG_IN_FOLDERS]


def crowded_daemon() -> list[str]:
    """Find whether the daemon's folder has more than MAX_DAEMON_ENTRIES entries."""
    paths = [path.split("/") for path in python_files() if path.startswith("orchestrator/daemon/")]
    entries = {parts[2] for parts in paths if not parts[2].startswith("__")}
    return [f"orchestrator/daemon has {len(entries)} entries"] if len(entries) > MAX_DAEMON_ENTRIES else []


def folders_spelled_as_names() -> list[str]:
    """Find files whose name ends with the name of a role, which should be a folder and a fixed file name."""
    return [path for path in python_files() if Path(path).stem.endswith(FOLDERS_SPELLED_AS_NAMES)]


def misplaced_sql() -> list[str]:
    """Find files outside of database/, repository.py and state.py that call select, insert, update or delete."""
    others = (
        path
        for path in python_files()
        if not path.startswith("orchestrator/database/") and Path(path).name not in ("repository.py", "state.py")
    )
    return [path for path in others if calls_sql(python_files()[path])]


def calls_sql(text: str) -> bool:
    functions = SQL_FUNCTIONS & {name for module, name in imported_names(text) if module.startswith("sqlalchemy")}
    for node in ast.walk(parsed(text)) if "sqlalchemy" in text else ():
        name = node.func if isinstance(node, ast.Call) else None
        direct = isinstance(name, ast.Name) and name.id in functions
        qualified = (
            isinstance(name, ast.Attribute)
            and name.attr in SQL_FUNCTIONS
            and isinstance(name.value, ast.Name)
            and name.value.id in ("sa", "sqlalchemy")
        )
        if direct or qualified:
            return True
    return False


def imports_read_elsewhere() -> list[str]:
    """Find files that import the tables of imported results, without their readers."""
    users = [
        path for path, text in python_files().items() if IMPORT_TABLES & {name for _, name in imported_names(text)}
    ]
    return [path for path in users if not path.startswith(THEIR_READERS)]


RULES = (crowded_folders, crowded_daemon, folders_spelled_as_names, misplaced_sql, imports_read_elsewhere)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_packages_follow_the_rule(rule: Callable[[], list[str]]) -> None:
    assert rule() == []


def test_plug_in_folders_exist() -> None:
    assert [folder for folder in PLUG_IN_FOLDERS if not (REPOSITORY / folder).is_dir()] == []
