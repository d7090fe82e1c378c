"""Every block of commands in the documentation is executed, or marked with the reason why not."""

from tests.support.documentation import all_blocks, problems_of


def test_no_block_of_the_documentation_escapes() -> None:
    assert [problem for block in all_blocks() for problem in problems_of(block)] == []
