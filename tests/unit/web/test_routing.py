import pytest
from fastapi import APIRouter

from orchestrator.web import charts
from orchestrator.web.charts import theme, throughput
from orchestrator.web.routing import pages_of, routers_in


def test_modules_with_a_router_are_found() -> None:
    found = list(routers_in(charts))
    assert throughput.router in found
    assert all(isinstance(router, APIRouter) for router in found)
    assert not hasattr(theme, "router")


@pytest.mark.parametrize(("total", "pages"), [(0, 1), (1, 1), (50, 1), (51, 2), (100, 2), (101, 3)])
def test_pages_contain_all_rows(total: int, pages: int) -> None:
    assert pages_of(total, 50) == pages
