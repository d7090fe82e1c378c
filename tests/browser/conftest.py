from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect

from tests.integration.conftest import fresh, served  # noqa: F401 - fixtures
from tests.support import latency_results as latency_filling
from tests.support.browser import launched
from tests.support.database import Shape, fill
from tests.support.live_service import Served
from tests.support.waiting import GENEROUS_SECONDS

# Playwright gives up after 5 s, which a busy machine exceeds.
expect.set_options(timeout=1000 * GENEROUS_SECONDS)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def filled(served: Served) -> Served:  # noqa: F811
    """A service with a finished, a troubled, a latency and a waiting run."""
    fill(served.database, Shape(run_id="good00000001", name="good", repetitions=6))
    fill(served.database, Shape(run_id="troubled0001", name="troubled", repetitions=6, trouble=True))
    lengths = Shape(run_id="lengths00001", name="lengths", sizes=(4096, 65536, 1048576), with_curves=False)
    fill(served.database, replace(lengths, algorithms=("aes-128-ctr", "chacha20-256"), kinds=("text",)))
    latency_filling.fill_calls(served.database, latency_filling.Shape(agent="pi4"))
    latency_filling.fill_waiting(served.database)
    return served
