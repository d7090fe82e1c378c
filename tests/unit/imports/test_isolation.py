"""Only the package of imports and its pages and commands read imported results."""

import re

from tests.unit.test_layers import imported_names, python_files

READERS = ("orchestrator/results/imports/", "orchestrator/database/models/")
COMMANDS = ("orchestrator/cli/commands/imports.py",)
SIDES = "orchestrator/results/comparisons/imported.py"
"""It adds imported series to a finished comparison."""
SHOWING = ("orchestrator/results/comparisons/endpoints.py", "orchestrator/web/")
PAGES = ("orchestrator/web/imports/", "orchestrator/web/runs/comparisons/")
USERS = (*READERS, *COMMANDS, *PAGES, SIDES, "orchestrator/app.py")


def strangers(pattern: str, *known: str) -> list[str]:
    """Return the files outside known places that import a name which this pattern matches; some file imports it."""
    users = {
        path
        for path, text in python_files().items()
        if any(re.match(pattern, f"{module}.{name}") for module, name in imported_names(text))
    }
    assert users
    return [path for path in sorted(users) if not path.startswith(known)]


def test_only_imports_read_their_tables() -> None:
    assert strangers(r"orchestrator\.database\.models.*\.(Import|ImportedSeries)$", *READERS, SIDES) == []


def test_only_their_pages_and_commands_use_imports() -> None:
    assert strangers(r"orchestrator\.results\.imports", *USERS) == []


def test_only_what_shows_a_comparison_adds_imports_to_it() -> None:
    assert strangers(r"orchestrator\.results\.comparisons\.imported", *SHOWING) == []
