"""Imports of formats that are read no more are gone after an upgrade; the others stay as they are."""

from pathlib import Path

import pytest
from sqlalchemy import select

from orchestrator.database.models import ImportedSeries
from orchestrator.results.imports.service import list_imports, list_series
from tests.support.earlier_database import AT, earlier_database, migrated


@pytest.mark.long
def test_only_imports_of_formats_that_exist_stay(tmp_path: Path) -> None:
    rows = []
    for number, name in enumerate(("hyperfine", "supercop", "bencher")):
        own = {"id": name[0] * 12, "format": name, "sha256": str(number) * 64, "omissions": [], "imported_at": AT}
        series = {"import_id": own["id"], "position": 1, "name": name, "unit": "ns", "statistic": "median",
                  "remarks": [], "length_bytes": 64}  # fmt: skip
        rows += [("imports", own), ("imported_series", series)]
    with migrated(earlier_database(tmp_path, "0033", rows)) as database:
        (left,) = list_imports(database, None, 10).items
        assert left.format == "hyperfine"
        assert [one.name for one in list_series(database, left.id, None, None, 10).items] == ["hyperfine"]
        with database.read() as session:
            assert [one.name for one in session.scalars(select(ImportedSeries))] == ["hyperfine"]
