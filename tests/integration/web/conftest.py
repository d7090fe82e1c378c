from datetime import timedelta

import pytest

from tests.support.database import Shape, add_agent, fill
from tests.support.live_service import Served


@pytest.fixture(scope="module")
def filled(served: Served) -> Served:
    """A service with a verified run, a run with wrong and failed executions, and a silent emulated agent."""
    fill(served.database, Shape(run_id="good00000001", name="good", repetitions=6))
    fill(served.database, Shape(run_id="troubled0001", name="troubled", repetitions=3, trouble=True))
    with served.database.write() as session:
        add_agent(session, "qemu-arm", silent_for=timedelta(minutes=9), emulated=True)
    return served
