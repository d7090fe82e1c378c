"""Providers of a stored measured run, compared: their algorithms, one operation and length, and changes."""

import math
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support import measured_runs
from tests.support.live_service import serve


@pytest.fixture(scope="module")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with serve(tmp_path_factory.mktemp("providers") / "data") as served:
        measured_runs.store(served.database, "packets")
        with served.client("viewer") as client:
            yield client


def compared(viewer: httpx.Client) -> dict[str, Any]:
    run_id = viewer.get("/api/v1/runs").json()["items"][0]["id"]
    found = viewer.get("/api/v1/comparisons/sides", params={"run": run_id}).json()["suggested"]
    (sides,) = (one["sides"] for one in found if one["by"] == "provider")
    assert sides == [f"{run_id},provider={name}" for name in ("own", "botan", "openssl")]
    answer = viewer.get("/api/v1/comparisons", params={"run": sides, "rows": 100})
    assert answer.status_code == 200, answer.text
    return answer.json()  # type: ignore[no-any-return]


def test_all_algorithms_of_both_providers_are_compared_each_with_its_fastest_variant(viewer: httpx.Client) -> None:
    for part in compared(viewer)["parts"]:
        names = {(row["algorithm"], row["variant"]) for row in part["rows"]}
        assert {"aes-256-gcm", "chacha20-poly1305"} == {algorithm for algorithm, _ in names}
        assert len(names) == 2
        assert part["rows_total"] == 2 * 4


def test_sentence_is_about_one_operation_and_length_which_come_first(viewer: httpx.Client) -> None:
    for part in compared(viewer)["parts"]:
        assert "over the 2 cases (encrypt, 24 B) that both have" in part["sentence"]
        assert {(row["operation"], row["length_bytes"]) for row in part["rows"][:2]} == {("encrypt", 24)}
        ratio = max((row["ratio"] for row in part["rows"][:2]), key=lambda one: abs(math.log(one)))
        assert f"{ratio:.3g} times" in part["sentence"]
        assert part["better"] + part["worse"] + part["ties"] + part["undecided"] == part["rows_total"]


def test_libraries_and_hashes_of_two_providers_are_no_change(viewer: httpx.Client) -> None:
    for part in compared(viewer)["parts"]:
        assert [change["topic"] for change in part["changes"]] == []
        assert part["sentence"].endswith("Each provider has its fastest measured variant of a cipher.")
