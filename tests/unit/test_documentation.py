"""Every block of commands in the documentation is executed, or marked with the reason why not."""

import pytest

from tests.support.documentation import Block, all_blocks, blocks_of, missing_lines, problems_of

PAGE = """# Page

<!-- not executed: needs root -->
```sh
make up
```

```yaml
version: 1
```

<!-- file: plan.yaml -->
```yaml
version: 1
```
"""


def test_blocks_have_their_line_language_and_marker() -> None:
    assert [(one.line, one.language, one.reason, one.file_name) for one in blocks_of("page.md", PAGE)] == [
        (4, "sh", "needs root", ""), (8, "yaml", "", ""), (13, "yaml", "", "plan.yaml"),
    ]  # fmt: skip
    assert blocks_of("page.md", PAGE)[0].text == "make up\n"


def test_marker_belongs_to_the_line_directly_above() -> None:
    (block,) = blocks_of("page.md", "<!-- not executed: needs root -->\n\n```sh\nmake up\n```\n")
    assert (block.reason, problems_of(block)) == ("", [])


def test_output_is_the_next_block_without_a_language() -> None:
    with_output = "```sh\nls\n```\n\n```\nplan.yaml\n```\n"
    assert [one.output for one in blocks_of("page.md", with_output)] == ["plan.yaml\n", ""]
    assert [one.output for one in blocks_of("page.md", with_output.replace("\n\n", "\n\nText\n\n"))] == ["", ""]


@pytest.mark.parametrize(
    ("shown", "missing"),
    [
        ("rank  name\n   2  own\n", []),
        ("rank  name\n   2  botan\n", ["2 botan"]),
        ("   2  own\nrank  name\n", ["rank name"]),
        ("", []),
    ],
)
def test_shown_lines_must_be_printed_in_their_order(shown: str, missing: list[str]) -> None:
    assert missing_lines(shown, "rank   name\n1  openssl\n2  own\n") == missing


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        (Block("p", 1, "bash", "make up\n", ""), "not bash"),
        (Block("p", 1, "", "sudo ciphermark daemon tune\n", ""), "no language"),
        (Block("p", 1, "", ".venv/bin/ciphermark up\n", ""), "no language"),
        (Block("p", 1, "sh", "make up\n", "not executed: "), "has no reason"),
        (Block("p", 1, "yaml", "version: 1\n", "not executed: because"), "only blocks of sh"),
        (Block("p", 1, "yaml", "seed: 1\n", ""), "is a fragment"),
        (Block("p", 1, "sh", "ls\n", "on stored results: nosuchrun", "plan.yaml\n"), "is not one of bindings, "),
        (Block("p", 1, "sh", "ls\n", "also on stored results: packets"), "no output follows"),
        (Block("p", 1, "yaml", "version: 1\n", "on stored results: packets", "ok\n"), "only blocks of sh"),
        (Block("p", 1, "sh", "ls\n", "not executed: executed by tests/unit/no_such_test.py"), "does not exist"),
    ],
)
def test_block_that_would_escape_is_found(block: Block, problem: str) -> None:
    (found,) = problems_of(block)
    assert problem in found


def test_no_block_of_the_documentation_escapes() -> None:
    assert [problem for block in all_blocks() for problem in problems_of(block)] == []
