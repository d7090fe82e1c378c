from fastapi import APIRouter

from orchestrator.web import charts
from orchestrator.web.charts import theme, throughput
from orchestrator.web.routing import routers_in


def test_modules_with_a_router_are_found() -> None:
    found = list(routers_in(charts))
    assert throughput.router in found
    assert all(isinstance(router, APIRouter) for router in found)
    assert not hasattr(theme, "router")
