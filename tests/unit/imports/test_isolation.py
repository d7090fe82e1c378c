"""Only the package of imports and its pages and commands read imported results."""

from tests.unit.test_layers import imported_names, python_files

TABLES = {"Import", "ImportedSeries"}
READERS = ("orchestrator/results/imports/", "orchestrator/database/models/")
COMMANDS = ("orchestrator/cli/commands/imports.py",)
SIDES = "orchestrator/results/comparisons/imported.py"
"""It adds imported series to a finished comparison."""
SHOWING = ("orchestrator/results/comparisons/endpoints.py", "orchestrator/web/")
PAGES = ("orchestrator/web/imports/", "orchestrator/web/runs/comparisons/")
USERS = (*READERS, *COMMANDS, *PAGES, SIDES, "orchestrator/app.py")


def importers(word: str) -> list[tuple[str, str, str]]:
    """Return the imports of each file that contains a word: file, module and name."""
    files = {path: text for path, text in python_files().items() if word in text}
    return [(path, module, name) for path, text in files.items() for module, name in imported_names(text)]


def test_only_imports_read_their_tables() -> None:
    readers = {
        path
        for path, module, name in importers("Import")
        if module.startswith("orchestrator.database.models") and name in TABLES
    }
    assert readers
    assert [path for path in sorted(readers) if not path.startswith((*READERS, SIDES))] == []


def test_only_their_pages_and_commands_use_imports() -> None:
    users = {
        path
        for path, module, name in importers("imports")
        if f"{module}.{name}".startswith("orchestrator.results.imports")
    }
    assert [path for path in sorted(users) if not path.startswith(USERS)] == []


def test_only_what_shows_a_comparison_adds_imports_to_it() -> None:
    users = {
        path
        for path, module, name in importers("imported")
        if f"{module}.{name}".startswith("orchestrator.results.comparisons.imported")
    }
    assert users
    assert [path for path in sorted(users) if not path.startswith(SHOWING)] == []
