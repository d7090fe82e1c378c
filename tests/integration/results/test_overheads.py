"""The overhead of a process (`noop`) next to an answer: a line of its own, and never a row."""

from collections.abc import Iterator

import pytest

from tests.support.live_service import Served, serve
from tests.support.result_world import CHUNK, CHUNK_SHA256, make_world, record

RUN = "/api/v1/runs/run000000001"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("overheads")
    world = make_world(folder)
    common = {"protocol": "process", "input_kind": "random", "input_sha256": CHUNK_SHA256, "message_bytes": len(CHUNK)}
    cipher = common | {"operation": "key-setup+encrypt+decrypt", "algorithm": "aes-128-ctr", "variant": "ref"}
    noop = common | {"operation": "noop", "algorithm": "noop", "variant": "ref", "provider": "own"}
    cases = world.lay_out({"own": cipher | {"provider": "own"}, "botan": cipher | {"provider": "botan"}, "noop": noop})
    records = [record(cases[name], repetition) for name in ("own", "botan") for repetition in range(1, 7)]
    # A copy of 4 KiB in 100 ns has 38 GiB/s, which headed the table and stretched its logarithmic scale.
    records += [
        record(cases["noop"], repetition, work_wall_ns=900_000 + repetition, encrypt_wall_ns=100, decrypt_wall_ns=100,
               output_sha256=CHUNK_SHA256)
        for repetition in range(1, 7)
    ]  # fmt: skip
    world.store(*records)
    world.database.close()
    with serve(folder / "data", database_url=world.settings.database_url) as running:
        yield running


class TestOverheads:
    def test_answer_has_the_overhead_and_no_row_for_it(self, served: Served) -> None:
        (agent,) = served.viewer.get(f"{RUN}/answer").json()["agents"]
        assert {row["algorithm"] for row in agent["rows"]} == {"aes-128-ctr"}
        (overhead,) = agent["overheads"]
        assert overhead["sentence"] == "own: 900 µs with 4 KiB"
        (point,) = overhead["points"]
        assert (point["length_bytes"], point["n"]) == (4096, 6)
        assert point["interval"]["low"] == pytest.approx(900_001)
        assert point["interval"]["high"] == pytest.approx(900_006)

    def test_table_of_a_run_has_no_row_and_no_choice_for_it(self, served: Served) -> None:
        page = served.viewer.get("/runs/run000000001", params={"format": "json"}).json()
        html = served.html("/runs/run000000001")
        answer = served.html("/runs/run000000001/answer")
        assert {row["algorithm"] for row in page["results"]["rows"]} == {"aes-128-ctr"}
        assert page["results"]["total"] == 2
        assert page["choices"]["algorithms"] == ["aes-128-ctr"]
        (line,) = page["results"]["overheads"]
        case_id = line["overhead"]["points"][0]["case_ids"][0]
        assert f'<a href="/cases/{case_id}">4 KiB</a> 0.900 ms' in html
        assert "own: 900 µs with 4 KiB" in answer

    def test_cases_of_it_remain_in_the_list_and_have_a_page(self, served: Served) -> None:
        cases = served.viewer.get(f"{RUN}/cases").json()["items"]
        (noop,) = [case for case in cases if case["algorithm"] == "noop"]
        assert served.viewer.get(f"/cases/{noop['id']}").status_code == 200
