"""A batch of records ends at a number of bytes that the service reads."""

import pytest

from orchestrator.daemon.jobs.delivery import within_bytes
from orchestrator.daemon.jobs.journal.journal import UndeliveredRecords


@pytest.mark.parametrize(("max_bytes", "count"), [(30, 3), (29, 2), (20, 2), (19, 1), (9, 1)])
def test_batch_has_the_first_records_that_fit_and_at_least_one(max_bytes: int, count: int) -> None:
    batch = within_bytes(UndeliveredRecords([1, 2, 3], ["x" * 10] * 3), max_bytes)

    assert (batch.numbers, len(batch.documents)) == ([1, 2, 3][:count], count)


def test_nothing_waiting_is_an_empty_batch() -> None:
    assert within_bytes(UndeliveredRecords([], []), 10) == UndeliveredRecords([], [])
