from typing import Any

from orchestrator.builds.schemas import NOT_CHECKED
from orchestrator.results.schemas import Interval
from orchestrator.results.traffic.schemas import AgentTraffic, TrafficRow
from orchestrator.results.traffic.sentences import summary
from tests.support.models import built


def row(**changes: Any) -> Any:
    values = {
        "rank": 1, "last_rank": 2, "cost_ns": 5000.0, "measured_share": 1.0, "constant_time": True,
        "interval": Interval(low=4900.0, high=5100.0), "constant_time_check": NOT_CHECKED,
        "algorithm": "aes-128-ctr", "provider": "own",
    }  # fmt: skip
    return built(TrafficRow, values, **changes)


def test_summary_begins_with_a_doubt_about_the_cheapest() -> None:
    doubt = "undecided against aes: fewer than 6 blocks are shared"
    rows = [row(), row(verdict="undecided", cost_ns=6000.0, reason=doubt)]
    agent = built(AgentTraffic, device="pi", rows=rows)
    assert summary(agent, ["aes", "chacha20"]).startswith(
        "On pi, it is undecided which candidate is the cheapest: chacha20 is undecided against aes: fewer than 6 "
        "blocks are shared. By its median, aes costs 5 µs"
    )
