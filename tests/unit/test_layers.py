"""The packages keep their roles, folder sizes, file names and the places of SQL; import-linter checks their layers."""

import ast
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.support.paths import REPOSITORY

# Within a feature, from top to bottom.
ROLES = ("endpoints", "service", "repository")
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


# Path and text of every Python file of the packages.
Tree = Mapping[str, str]
Rule = Callable[[Tree], list[str]]


@cache
def python_files() -> dict[str, str]:
    files = [path for package in ("orchestrator", "corpus") for path in sorted((REPOSITORY / package).rglob("*.py"))]
    return {path.relative_to(REPOSITORY).as_posix(): path.read_text(encoding="utf-8") for path in files}


@cache
def parsed(text: str) -> ast.Module:
    return ast.parse(text)


def module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


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


def import_graph(tree: Tree) -> dict[str, set[str]]:
    """Return the modules that each module of the packages imports."""
    modules = {module_name(path): text for path, text in tree.items()}
    graph = defaultdict[str, set[str]](set)
    for name, text in modules.items():
        for module, attribute in imported_names(text):
            target = f"{module}.{attribute}"
            graph[name] |= {found for found in (target if target in modules else module,) if found in modules}
    return graph


def roles_up(tree: Tree) -> list[str]:
    """Find repositories that import a service or endpoints, and services that import endpoints."""
    found = []
    for module, targets in sorted(import_graph(tree).items()):
        role, imported = module.split(".")[-1], {target: target.split(".")[-1] for target in targets}
        if role in ROLES:
            higher = ROLES[: ROLES.index(role)]
            found += [f"{module} imports {target}" for target in sorted(imported) if imported[target] in higher]
    return found


def crowded_folders(tree: Tree) -> list[str]:
    """Find folders with more than MAX_FILES Python files, without the folders of plug-ins."""
    files = defaultdict[str, int](int)
    for path in tree:
        if not path.endswith("/__init__.py"):
            files[str(Path(path).parent)] += 1
    return [f"{folder} has {n} files" for folder, n in files.items() if n > MAX_FILES and folder not in PLUG_IN_FOLDERS]


def crowded_daemon(tree: Tree) -> list[str]:
    """Find whether the daemon's folder has more than MAX_DAEMON_ENTRIES entries."""
    paths = [path.split("/") for path in tree if path.startswith("orchestrator/daemon/")]
    entries = {parts[2] for parts in paths if not parts[2].startswith("__")}
    return [f"orchestrator/daemon has {len(entries)} entries"] if len(entries) > MAX_DAEMON_ENTRIES else []


def folders_spelled_as_names(tree: Tree) -> list[str]:
    """Find files whose name ends with the name of a role, which should be a folder and a fixed file name."""
    return [path for path in tree if Path(path).stem.endswith(FOLDERS_SPELLED_AS_NAMES)]


def misplaced_sql(tree: Tree) -> list[str]:
    """Find files outside of database/, repository.py and state.py that call select, insert, update or delete."""
    others = (
        path
        for path in tree
        if not path.startswith("orchestrator/database/") and Path(path).name not in ("repository.py", "state.py")
    )
    return [path for path in others if calls_sql(tree[path])]


@cache
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


def sqlalchemy_in_pages(tree: Tree) -> list[str]:
    """Find files of web/ that import SQLAlchemy."""
    return [
        path
        for path, text in tree.items()
        if path.startswith("orchestrator/web/")
        and any(module.split(".")[0] == "sqlalchemy" for module, _ in imported_names(text))
    ]


RULES = (
    roles_up,
    crowded_folders,
    crowded_daemon,
    folders_spelled_as_names,
    misplaced_sql,
    sqlalchemy_in_pages,
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_packages_follow_the_rule(rule: Rule) -> None:
    assert rule(python_files()) == []


def test_plug_in_folders_exist() -> None:
    assert [folder for folder in PLUG_IN_FOLDERS if not (REPOSITORY / folder).is_dir()] == []
