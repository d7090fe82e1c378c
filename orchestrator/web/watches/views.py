"""Data of the pages of watches."""

from orchestrator.watches.schemas import WatchDetail, WatchSummary
from orchestrator.web.views import View


class WatchListPage(View):
    """All watches."""

    watches: list[WatchSummary]


class WatchPage(View):
    """A watch with its latest looks, changes and reports."""

    watch: WatchDetail
