"""The build orders of the service."""

from collections.abc import Iterable

from orchestrator.daemon.session.orders import Orders
from orchestrator.wire.builds import BuildOrder

REJECTED_REST_SECONDS = 60.0
"""How long an order is ignored after the service rejected its outcome."""


class BuildOrders(Orders[BuildOrder]):
    """The orders, with the builds to keep."""

    kept_builds: frozenset[str] = frozenset()
    """Keys of the builds that unfinished runs name."""

    def update(self, orders: Iterable[BuildOrder], keep: Iterable[str], sent_at: float) -> None:
        """Follow the response to a heartbeat that was sent at this time."""
        self.kept_builds = frozenset(keep)
        self.replace({order.request_id: order for order in orders}, sent_at)
