"""Cases of earlier versions had one share; unmasked cases have none."""

from pathlib import Path

import pytest
from sqlalchemy import inspect, select

from orchestrator.database.models import Case
from tests.support.earlier_database import downgraded, earlier_database, migrated

pytestmark = pytest.mark.long  # a migration that no commit changes any more

RUN, AGENT = "run000000001", "agent0000001"


def test_earlier_cases_have_no_shares(tmp_path: Path) -> None:
    url = earlier_database(tmp_path, "0019", [
        ("agents", {"id": AGENT, "name": "pi"}),
        ("builds", {"id": 1, "agent_id": AGENT, "build_key": "2" * 64}),
        ("runs", {"id": RUN, "state": "running", "start": "together"}),
        ("cases", {
            "id": 1, "run_id": RUN, "agent_id": AGENT, "build_id": 1, "protocol": "process",
            "operation": "encrypt-decrypt", "provider": "own", "algorithm": "ascon-128", "variant": "opt64",
            "input_sha256": "3" * 64, "message_bytes": 16, "shares": 1, "copy": 1,
        }),
    ])  # fmt: skip
    with migrated(url) as database:
        with database.read() as session:
            (case,) = session.scalars(select(Case)).all()
            assert (case.variant, case.shares, case.masking, case.generator) == ("opt64", None, None, None)
        # The table was made again: its indexes and its unique numbers are still there.
        found = inspect(database.engine)
        assert "ix_cases_digest" in {index["name"] for index in found.get_indexes("cases")}
        assert [one["column_names"] for one in found.get_unique_constraints("cases")] == [["run_id", "number"]]
    with downgraded(url, "0019") as connection:
        assert connection.exec_driver_sql("SELECT shares FROM cases").scalars().all() == [1]
