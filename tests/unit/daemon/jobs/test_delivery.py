"""Every record reaches the service, in batches that end at a number of bytes that it reads."""

from pathlib import Path
from typing import Any, cast

import pytest

from orchestrator.daemon.jobs.delivery import Delivery, within_bytes
from orchestrator.daemon.jobs.journal.journal import Journal
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.wire.records import RecordBatch, RecordBatchResponse
from tests.support.job_records import record


class ServiceThatStores:
    """A service that keeps the repetitions of the records that it received."""

    def __init__(self) -> None:
        self.repetitions: list[int] = []

    def send_records(self, batch_json: str, *_: Any) -> RecordBatchResponse:
        records = RecordBatch.model_validate_json(batch_json).records
        self.repetitions += [one.repetition for one in records]
        return RecordBatchResponse(stored=len(records), known=0)


@pytest.mark.parametrize(("max_bytes", "count"), [(30, 3), (29, 2), (20, 2), (19, 1), (9, 1)])
def test_batch_has_the_first_records_that_fit_and_at_least_one(max_bytes: int, count: int) -> None:
    batch = within_bytes(dict.fromkeys([1, 2, 3], "x" * 10), max_bytes)

    assert list(batch) == [1, 2, 3][:count]


def test_nothing_waiting_is_an_empty_batch() -> None:
    assert within_bytes({}, 10) == {}


def test_every_waiting_record_is_sent_before_it_counts_as_delivered(tmp_path: Path) -> None:
    client = ServiceThatStores()
    journal = Journal(tmp_path / "journal.sqlite")
    for number in (1, 2, 3):
        journal.add(record(number))
    delivery = Delivery(journal, cast(ServiceClient, client), batch_records=2)

    assert delivery.flush()
    delivery.close()
    assert client.repetitions == [1, 2, 3]
    assert journal.waiting_count() == 0
