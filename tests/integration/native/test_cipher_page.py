"""``docs/ciphers.md`` lists what the own runner offers."""

import re

import pytest

from orchestrator.cli.cipher_page import algorithm_table, identity
from orchestrator.wire.runners import ListReport
from tests.support.runner_programs import REPOSITORY, Runner

PAGE = REPOSITORY / "docs" / "ciphers.md"
REMEDY = "generate docs/ciphers.md again: ciphermark runners document"


@pytest.fixture(scope="module")
def listing(own: Runner) -> ListReport:
    return ListReport.model_validate(own.list())


def rows(section: str) -> list[str]:
    """Return the table of a section, a line each."""
    text = PAGE.read_text(encoding="utf-8").partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\|.*\|$", text, flags=re.MULTILINE)


def test_every_algorithm_is_described_as_list_describes_it(listing: ListReport) -> None:
    assert rows("Algorithms") == algorithm_table(listing.implementations), REMEDY


def test_every_implementation_for_the_same_processors_is_named(listing: ListReport) -> None:
    if f"As built for `{listing.build['target']}`" not in PAGE.read_text(encoding="utf-8"):
        pytest.skip("the page lists the implementations for other processors")
    named = [tuple(cell.strip() for cell in row.split("|")[1:6]) for row in rows("Implementations")[2:]]
    assert sorted(named) == sorted(identity(row) for row in listing.implementations), REMEDY
