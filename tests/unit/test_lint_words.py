"""The word lint finds words that the project does not write, and leaves identifiers and allowed uses alone."""

import pytest

from scripts.lint_words import Allowed, check


def words(path: str, source: str) -> list[tuple[int, str]]:
    """Return the line and word of each finding in one file."""
    found, _ = check({path: source}, allowed=())
    return [(finding.line, finding.word) for finding in found]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('"""Tell it."""\n', [(1, "Tell"), (1, "Tell … as an opener")]),
        ('def f():\n    """What f does."""\n', [(2, "What … as an opener")]),
        ("x = 1  # it stands here\n", [(1, "stands")]),
        ("# put\n# back\n", [(1, "put back")]),
        ('log.info("an agent was heard")\n', [(1, "heard")]),
        ('log.info(f"{agent} was heard")\n', [(1, "heard")]),
        ("def test_what_is_asked_is_given(): ...\n", [(1, "asked")]),
        ("told = 1\n", [(1, "told in told")]),
        ("def f(is_told): ...\n", [(1, "told in is_told")]),
        ("class HygieneReport: ...\n", [(1, "hygiene in HygieneReport")]),
        ('KEY = "asked"\n', []),
        ("# The method `told()` and https://example.net/tell/it\n", []),
        ("file.tell()\n", []),
        ('"""Optimise and randomisation of colours."""\n', [(1, "Optimise"), (1, "colours"), (1, "randomisation")]),
        ('"""Exercise, precise, advertised, emphasis, size, comparison."""\n', []),
    ],
)
def test_python_docstrings_comments_messages_and_names_are_checked(
    source: str, expected: list[tuple[int, str]]
) -> None:
    assert words("module.py", source) == expected


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("a.cpp", "int told = 0;\n/* told\n * it lies */\n", [(2, "told"), (3, "lies")]),
        ("a.h", '/// Says so.\nfail("nobody is here");\n', [(1, "Says"), (2, "nobody")]),
        ("a.js", 'const a = "http://x"; // asked\n', [(1, "asked")]),
        ("a.css", ".beside { color: red } /* beside */\n", [(1, "beside")]),
        (
            "a.html",
            "{# told #}\n<p class='told' title=\"lies here\">{{ told }} anew</p>\n",
            [(1, "told"), (2, "anew"), (2, "lies")],
        ),
        ("a.html", "{{ f('nobody is there') }}\n", [(1, "nobody")]),
        ("a.md", "# Likewise\n\n`told`, see\n", [(1, "Likewise")]),
        ("a.yaml", "told: likewise  # anew\n", [(1, "anew"), (1, "likewise")]),
        ("a.sh", 'say() { echo "nobody here"; } # let go\n', [(1, "let go"), (1, "nobody")]),
        (
            "a.md",
            "hold the ciphertext against the digest; hold it. Then against it.",
            [(1, "hold the ciphertext against")],
        ),
        ("orchestrator/hygiene/data.txt", "", [(1, "hygiene in hygiene")]),
    ],
)
def test_comments_and_texts_of_other_languages_are_checked(
    path: str, source: str, expected: list[tuple[int, str]]
) -> None:
    assert words(path, source) == expected


def test_migrations_may_contain_old_names_in_sql() -> None:
    assert words("migrations/versions/0001.py", 'op.execute("ALTER TABLE asked RENAME TO told")  # anew\n') == [
        (1, "anew")
    ]


def test_an_allowed_phrase_is_not_reported_and_an_unused_entry_is() -> None:
    used = Allowed("open government licence", "docs/*", "the name of a license")
    unused = Allowed("open government licence", "web/*", "the name of a license")
    text = "Under the Open Government\nLicence; no other licence\n"

    found, without_match = check({"docs/a.md": text}, (used, unused))

    assert [(finding.line, finding.word) for finding in found] == [(2, "licence")]
    assert without_match == [unused]
