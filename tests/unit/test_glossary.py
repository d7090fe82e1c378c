"""The glossary defines the words of tables, API, plans and pages, each once."""

import re
from collections import Counter
from collections.abc import Iterable

from orchestrator.database import models
from orchestrator.wire import plans
from scripts.update_reference import openapi
from tests.support.paths import REPOSITORY

PAGE = (REPOSITORY / "docs" / "glossary.md").read_text(encoding="utf-8")
TEMPLATES = REPOSITORY / "orchestrator" / "web"

# Words with their everyday or technical meaning, which need no definition here.
EVERYDAY_WORDS = """
    a absent add against all and api at available awaited batch because been before binary body bound broker by
    celsius changed column combinations command compile compiled cookie created current date description detail
    disturbed error estimated every fact failure field figures file first form found from generator granted has hash
    held here high how hz id idle in instruction is it its joule json label laid language last latest left length
    level limit link list log low made match max mcpu measured measuring mib min missing ms mtune name new no not
    nothing ns number omitted on one open optimization or other out output over page passed password place point
    position present processor question ratio read relative requested require required response result row rss
    second seen series sha sha256 since speed step submitted summary sure take temperature than the timeout title to
    total tries typical unit used value version wait was what which with without worse yet you your
"""
EVERYDAY = set(re.findall(r"\w+", EVERYDAY_WORDS))
# What a schema is for, at the end of its name.
SCHEMA_ROLES = {"Created", "Detail", "Message", "Report", "Request", "Requested", "Response", "Summary", "Page"}


def singular(word: str) -> str:
    word = word.lower()
    for ending, replacement in (("ies", "y"), ("tches", "tch"), ("sses", "ss"), ("axes", "axis"), ("s", "")):
        if word.endswith(ending) and not word.endswith(("ss", "us", "is", "has", "was")):
            return word.removesuffix(ending) + replacement
    return word


def terms() -> list[str]:
    return [term.lower() for term in re.findall(r"\*\*([^*]+)\*\*", PAGE)]


def defined_words() -> set[str]:
    cryptography = PAGE.partition("\n## Cryptography\n")[2]
    states = " ".join(re.findall(r"`([^`]+)`", PAGE))
    return {singular(word) for text in (*terms(), cryptography, states) for word in re.findall(r"\w+", text)}


def undefined(names: Iterable[str]) -> dict[str, set[str]]:
    """Return the words of the names that are neither in the glossary nor everyday words, each with its names."""
    known = defined_words() | {singular(word) for word in EVERYDAY} | EVERYDAY
    found: dict[str, set[str]] = {}
    for name in names:
        for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name):
            if singular(word) not in known:
                found.setdefault(singular(word), set()).add(name)
    return found


def test_every_term_is_defined_once() -> None:
    assert [term for term, count in Counter(terms()).items() if count > 1] == []


def test_words_of_tables_and_columns_are_defined() -> None:
    tables = models.Base.metadata.tables.values()
    columns = {column.name for table in tables for column in table.columns if not column.name.endswith("_at")}
    assert undefined(columns | {table.name for table in tables}) == {}


def test_words_of_api_schemas_are_defined() -> None:
    names = {name.strip("_") for name in openapi()["components"]["schemas"]}
    assert undefined("".join(set(re.findall(r"[A-Z][a-z]+", name)) - SCHEMA_ROLES) for name in names) == {}


def test_keys_of_plans_are_defined() -> None:
    messages = (
        plans.Plan, plans.Matrix, plans.Inputs, plans.Messages, plans.ToolchainAxes, plans.Precision, plans.Energy,
        plans.Conditions, plans.Masking,
    )  # fmt: skip
    assert undefined(name for message in messages for name in message.model_fields) == {}


def test_titles_of_pages_are_defined() -> None:
    pages = "\n".join(path.read_text(encoding="utf-8") for path in TEMPLATES.rglob("*.html"))
    titles = re.findall(r"<h[12][^>]*>([^<{]+)|block title %\}([^{]+)", pages)
    assert undefined(title for pair in titles for title in pair) == {}
