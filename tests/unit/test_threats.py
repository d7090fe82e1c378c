"""The threat model names tests that exist."""

import ast
import re
from functools import cache

import pytest

from tests.support.paths import REPOSITORY

ROWS = [
    line
    for line in (REPOSITORY / "docs" / "security.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and "`tests/" in line
]
REFERENCE = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


@cache
def names_of_tests(path: str) -> set[str]:
    tree = ast.parse((REPOSITORY / path).read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds) and node.name.lower().startswith("test")}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[2].strip()[:60])
def test_threat_names_an_existing_test(row: str) -> None:
    named = REFERENCE.findall(row)
    assert named
    for path, test in named:
        assert (REPOSITORY / path).is_file(), path
        assert not test or test in names_of_tests(path), f"{path} has no {test}"


def test_every_row_of_a_threat_names_a_test() -> None:
    text = (REPOSITORY / "docs" / "security.md").read_text(encoding="utf-8")
    table = text.partition("\n## Threats\n")[2].partition("\n## ")[0]
    rows = [
        line for line in table.splitlines() if line.startswith("| ") and not line.startswith(("| attempt", "| fault |"))
    ]
    assert rows
    assert [row for row in rows if not REFERENCE.search(row)] == []
