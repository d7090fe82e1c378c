"""Pages as a browser without JavaScript receives them, from a filled database."""

import re
from collections.abc import Iterator

import httpx
import pytest
from sqlalchemy import event

from orchestrator.database.models import CaseStatistics, Execution, SensorReading, now
from orchestrator.web import formats
from tests.support.live_service import Served, words_of
from tests.support.waiting import GENEROUS_SECONDS

HTML = {"Accept": "text/html,application/xhtml+xml"}


@pytest.fixture
def browser(filled: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=filled.url, headers=HTML, timeout=GENEROUS_SECONDS, verify=False) as client:
        yield client


def execution_id(filled: Served, state: str) -> int:
    with filled.database.read() as session:
        found = session.query(Execution).filter_by(run_id="troubled0001", state=state).first()
    assert found is not None
    return found.id


def column(page: str, number: int) -> list[str]:
    """Return the text of one column of the result table."""
    table = page[page.index('<table class="results">') :]
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", table[: table.index("</table>")], re.DOTALL)[1:]
    cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)[number] for row in rows]
    return [re.sub(r"<[^>]+>", "", cell).strip() for cell in cells]


class TestEveryPage:
    PATHS = (
        *("/", "/runs/good00000001", "/runs/good00000001/answer", "/runs/good00000001/scaling"),
        *("/cases/1", "/executions/1", "/agents", "/agents/add"),
        *("/papers", "/papers/evalme-2021", "/papers/evalme-2021?run=good00000001"),
    )

    def test_page_is_available_as_json(self, browser: httpx.Client) -> None:
        path = "/papers/evalme-2021?run=good00000001"
        page = browser.get(path)
        assert page.headers["content-type"].startswith("text/html")
        assert '<link rel="alternate" type="application/json"' in page.text
        by_query = browser.get(path, params={"format": "json"}).json()
        by_header = browser.get(path, headers={"Accept": "application/json"}).json()
        assert by_query.keys() == by_header.keys()

    @pytest.mark.parametrize("path", PATHS)
    def test_page_has_no_other_origin_and_no_inline_script(self, browser: httpx.Client, path: str) -> None:
        page = browser.get(path)
        assert "script-src 'self'" in page.headers["content-security-policy"]
        assert "unsafe" not in page.headers["content-security-policy"]
        assert not re.findall(r"""(?:src|href)=["'](?:https?:)?//""", page.text)
        assert not re.findall(r"<script(?![^>]*\bsrc=)", page.text)
        assert " style=" not in page.text

    def test_error_is_html_for_browsers_and_a_problem_for_programs(self, browser: httpx.Client) -> None:
        page = browser.get("/runs/nothing")
        assert page.status_code == 404
        assert "There is no run &#39;nothing&#39;" in page.text
        problem = browser.get("/runs/nothing", headers={"Accept": "application/json"})
        assert problem.headers["content-type"] == "application/problem+json"

    def test_invalid_query_is_explained(self, browser: httpx.Client) -> None:
        page = browser.get("/runs/good00000001", params={"page": "many"})
        assert page.status_code == 422
        assert "page: expected a whole number (seen: &#34;many&#34;)" in page.text

    def test_unknown_query_parameter_is_named_with_those_that_exist(self, browser: httpx.Client) -> None:
        page = browser.get("/", params={"status": "done"})
        assert page.status_code == 422
        assert "has the parameter &#39;status&#39;, which does not exist here" in page.text
        assert re.search(r"Expected: [^<]*\bstate\b", page.text)


class TestRunPage:
    def test_wrong_executions_come_first(self, browser: httpx.Client) -> None:
        page = browser.get("/runs/troubled0001").text
        assert "1 execution did not verify" in page
        assert page.index('id="troubles"') < page.index("data-fragment") < page.index('id="results-title"')
        states = re.findall(r'<span class="state (\w+)">', page[page.index('id="troubles"') :])
        assert states[:2] == ["wrong", "failed"]

    def test_run_is_read_once_in_one_transaction(self, browser: httpx.Client, filled: Served) -> None:
        # 15 transactions read the row of the run 9 times before, and could see different states of it.
        transactions: list[object] = []
        statements: list[str] = []
        engine = filled.database.engine
        event.listen(engine, "begin", transactions.append)
        event.listen(engine, "before_cursor_execute", lambda *seen: statements.append(seen[2]))
        assert browser.get("/runs/troubled0001").status_code == 200
        # The first one includes changed statistics.
        assert len(transactions) <= 2
        assert sum("FROM runs \nWHERE runs.id" in statement for statement in statements) == 1

    def test_interval_below_six_executions_is_a_dash_with_its_reason(self, browser: httpx.Client) -> None:
        page = browser.get("/runs/troubled0001").text
        assert "an interval needs 6 verified executions, this case has 3" in page
        assert column(page, 5)[0].startswith(formats.ABSENT)

    def test_six_executions_have_an_interval(self, browser: httpx.Client) -> None:
        assert all(
            re.fullmatch(r"[\d\u202f.]+ – [\d\u202f.]+", text)
            for text in column(browser.get("/runs/good00000001").text, 5)
        )

    @pytest.mark.parametrize(("sort", "descending"), [("-encrypt", True), ("encrypt", False), ("-work", True)])
    def test_table_is_sorted_by_the_chosen_column(self, browser: httpx.Client, sort: str, descending: bool) -> None:
        rows = browser.get("/runs/good00000001", params={"format": "json", "sort": sort}).json()["results"]["rows"]
        values = [
            row["summary"]["median_work_wall_ns"]
            if "work" in sort
            else row["summary"]["phases"]["encrypt"]["median_bytes_per_second"]
            for row in rows
        ]
        assert values == sorted(values, reverse=descending)
        assert len(set(values)) > 1

    def test_filters_are_kept_while_sorting(self, browser: httpx.Client) -> None:
        filters = {"provider": "botan", "kind": "text", "length_bytes": 2**20, "algorithm": "", "shares": ""}
        page = browser.get("/runs/good00000001", params=filters).text
        assert set(column(page, 0)) == {"botan"}
        assert set(column(page, 2)) == {"text"}
        assert "provider=botan&amp;kind=text&amp;length_bytes=1048576&amp;sort=provider" in page

    def test_omissions_and_noise_floor_are_shown(self, browser: httpx.Client) -> None:
        page = browser.get("/runs/good00000001").text
        assert "own has no 3DES" in page
        assert "2.10 % of work_wall_ns" in page

    def test_answer_names_the_fastest(self, browser: httpx.Client) -> None:
        page = words_of(browser.get("/runs/good00000001/answer"))
        assert "aes-128-ctr by cryptopp has the highest encryption throughput" in page
        assert re.search(r'title="Proven better than it: 4; rank 5–7 is possible.">5–7 a</span>', page)
        assert "comparisons of this run taken together (Holm)" in page
        assert "of the blocks" in page

    def test_list_of_runs_has_the_doubt_before_the_first_candidate(self, browser: httpx.Client) -> None:
        # The run has 3 blocks.
        assert re.search(r"undecided against \d+:</small> <b>", words_of(browser.get("/runs/troubled0001/winner")))
        assert "undecided" not in browser.get("/runs/good00000001/winner").text

    def test_scaling_requires_three_lengths(self, browser: httpx.Client) -> None:
        assert 'id="scaling"' not in browser.get("/runs/good00000001").text
        assert "no line, it was measured with 2 input lengths" in browser.get("/runs/good00000001/scaling").text

    def test_case_shows_cycles_and_energy_where_they_were_read(self, filled: Served, browser: httpx.Client) -> None:
        assert "nJ per byte" not in browser.get("/cases/2").text
        with filled.database.write() as session:
            kept = session.get_one(CaseStatistics, 2)
            kept.median_cycles_per_instruction, kept.warm_ups, kept.outliers = 0.417, 3, 1
            kept.median_energy_per_execution_joules, kept.median_energy_per_byte_joules = 0.0032, 3.1e-9
        page = browser.get("/cases/2").text
        for text in ("0.417", "3.20", "3.10 nJ per byte", "3 warm-ups not counted", "1 outlier<"):
            assert text in page


class TestExecutionPage:
    def test_failure_shows_its_signal_and_its_error_as_text(self, filled: Served, browser: httpx.Client) -> None:
        page = browser.get(f"/executions/{execution_id(filled, 'failed')}").text
        assert "The runner ended with signal 11" in page
        # What a runner prints must never become part of the page.
        assert "&lt;b&gt;not markup&lt;/b&gt;" in page
        assert "<b>not markup</b>" not in page

    def test_wrong_execution_shows_both_digests(self, filled: Served, browser: httpx.Client) -> None:
        page = words_of(browser.get(f"/executions/{execution_id(filled, 'wrong')}"))
        assert "Wrong ciphertext" in page
        assert "f" * 64 in page

    def test_absent_reading_shows_its_reason(self, browser: httpx.Client) -> None:
        page = browser.get("/executions/1").text
        assert "the kernel grants no hardware counters here" in page


class TestAgents:
    def test_agents_are_filtered_grouped_and_sorted(self, browser: httpx.Client) -> None:
        view = browser.get("/agents?format=json&group=label").json()
        assert view["groups"] == [{"title": "without a label", "agent_ids": [one["id"] for one in view["agents"]]}]
        found = browser.get("/agents?format=json&q=QEMU&state=silent&sort=-heartbeat").json()
        assert [agent["name"] for agent in found["agents"]] == ["qemu-arm"]
        page = browser.get("/agents?q=qemu&group=architecture").text
        assert '<th scope="rowgroup" colspan="9">' in page
        assert 'value="qemu"' in page
        assert "raspberrypi</a>" not in page
        assert "No agent found" in browser.get("/agents?q=none-such").text
        assert browser.get("/agents?group=color").status_code == 422

    def test_implementations_with_failed_proofs_are_named(self, browser: httpx.Client) -> None:
        agent = browser.get("/agents?format=json").json()["agents"][0]["id"]
        page = words_of(browser.get(f"/agents/{agent}"))
        assert "1 refused, and never timed" in page
        assert "own aes-128-ofb ref: vector 3 of 12" in page

    def test_sensors_of_many_cores_are_chosen_in_the_address(self, browser: httpx.Client, filled: Served) -> None:
        agent = browser.get("/agents?q=qemu&format=json").json()["agents"][0]["id"]
        with filled.database.write() as session:
            session.add_all(
                SensorReading(
                    agent_id=agent, sensor=f"frequency_hz cpu{core}", unit="Hz", read_at=now(), value=1e9 + core
                )
                for core in range(16)
            )
        page = words_of(browser.get(f"/agents/{agent}"))
        assert "of each quantity the 12 sensors with the largest values" in page
        assert 'href="?top=all#charts"' in page
        all_of_them = browser.get(f"/agents/{agent}?top=all").text
        assert f"/agents/{agent}/charts/sensors.csv?top=all" in all_of_them
        for top, drawn in (("", 12), ("all", 16)):
            table = browser.get(f"/agents/{agent}/charts/sensors.csv?top={top}").text.splitlines()
            assert len(table) == 1 + drawn
        assert browser.get(f"/agents/{agent}?top=many").status_code == 422


class TestCharts:
    def test_memory_chart_without_a_curve_is_not_found(self, filled: Served, browser: httpx.Client) -> None:
        answer = browser.get(f"/executions/{execution_id(filled, 'failed')}/charts/memory.json")
        assert answer.status_code == 404


class TestAssets:
    def test_assets_are_cacheable_and_compressed(self, browser: httpx.Client) -> None:
        page = browser.get("/").text
        for address in re.findall(r'(?:src|href)="(/static/[^"]+)"', page):
            answer = browser.get(address)
            assert "immutable" in answer.headers["cache-control"]
            assert answer.headers["content-encoding"] == "gzip"

    def test_other_files_are_not_served(self, browser: httpx.Client) -> None:
        assert browser.get("/static/..%2frouter.py").status_code == 404
        assert browser.get("/static/router.py").status_code == 404


class TestLogin:
    def test_unknown_token_is_refused_with_a_reason(self, browser: httpx.Client) -> None:
        answer = browser.post("/login", data={"token": "cm_submitter_guess"})
        assert answer.status_code == 401
        assert "unknown" in answer.text
