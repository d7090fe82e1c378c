import pytest

from orchestrator.web.runs.executions.tables import pages_of


@pytest.mark.parametrize(("total", "pages"), [(0, 1), (1, 1), (50, 1), (51, 2), (100, 2), (101, 3)])
def test_pages_contain_all_rows(total: int, pages: int) -> None:
    assert pages_of(total) == pages
