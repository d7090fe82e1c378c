"""The pages as a browser without scripts sees them, over a real database."""

import re
from collections.abc import Iterator

import httpx
import pytest

from orchestrator.database.models import CaseStatistics, Execution
from orchestrator.web import formats
from tests.support.live_service import Served

HTML = {"Accept": "text/html,application/xhtml+xml"}


@pytest.fixture
def browser(filled: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=filled.url, headers=HTML, timeout=30) as client:
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
        *("/cases/1", "/executions/1", "/agents"),
    )

    @pytest.mark.parametrize("path", PATHS)
    def test_it_has_a_twin_in_json(self, browser: httpx.Client, path: str) -> None:
        page = browser.get(path)
        assert page.headers["content-type"].startswith("text/html")
        assert '<link rel="alternate" type="application/json"' in page.text
        by_query = browser.get(path, params={"format": "json"}).json()
        by_header = browser.get(path, headers={"Accept": "application/json"}).json()
        assert by_query.keys() == by_header.keys()

    @pytest.mark.parametrize("path", PATHS)
    def test_nothing_comes_from_elsewhere_and_no_script_is_inline(self, browser: httpx.Client, path: str) -> None:
        page = browser.get(path)
        assert "script-src 'self'" in page.headers["content-security-policy"]
        assert "unsafe" not in page.headers["content-security-policy"]
        assert not re.findall(r"""(?:src|href)=["'](?:https?:)?//""", page.text)
        assert not re.findall(r"<script(?![^>]*\bsrc=)", page.text)
        assert " style=" not in page.text

    def test_an_error_is_a_page_for_people_and_a_problem_for_programs(self, browser: httpx.Client) -> None:
        page = browser.get("/runs/nothing")
        assert page.status_code == 404
        assert "There is no run &#39;nothing&#39;" in page.text
        problem = browser.get("/runs/nothing", headers={"Accept": "application/json"})
        assert problem.headers["content-type"] == "application/problem+json"

    def test_an_unusable_address_is_explained(self, browser: httpx.Client) -> None:
        page = browser.get("/runs/good00000001", params={"page": "many"})
        assert page.status_code == 422
        assert "unusable value for page" in page.text


class TestRunPage:
    def test_wrong_executions_are_loud_and_before_everything_else(self, browser: httpx.Client) -> None:
        page = browser.get("/runs/troubled0001").text
        assert "1 execution did not verify" in page
        assert page.index('id="troubles"') < page.index("data-fragment") < page.index('id="results-title"')
        states = re.findall(r'<span class="state (\w+)">', page[page.index('id="troubles"') :])
        assert states[:2] == ["wrong", "failed"]

    def test_a_case_with_a_wrong_execution_is_not_called_verified(self, browser: httpx.Client) -> None:
        wrong = [row for page in (1, 2, 3, 4) for row in self.rows(browser, page) if row["wrong"]]
        assert len(wrong) == 1
        assert wrong[0]["ok"] == 2

    @staticmethod
    def rows(browser: httpx.Client, page: int) -> list[dict[str, object]]:
        answer = browser.get("/runs/troubled0001", params={"format": "json", "page": page}).json()
        return list(answer["results"]["rows"])

    def test_below_six_executions_there_is_a_dash_with_its_reason(self, browser: httpx.Client) -> None:
        page = browser.get("/runs/troubled0001").text
        assert "an interval needs 6 verified executions, this case has 3" in page
        assert column(page, 5)[0].startswith(formats.ABSENT)

    def test_six_executions_have_an_interval(self, browser: httpx.Client) -> None:
        assert all(
            re.fullmatch(r"[\d\u202f.]+ – [\d\u202f.]+", text)
            for text in column(browser.get("/runs/good00000001").text, 5)
        )

    @pytest.mark.parametrize(("sort", "descending"), [("-encrypt", True), ("encrypt", False), ("-work", True)])
    def test_sorting(self, browser: httpx.Client, sort: str, descending: bool) -> None:
        rows = browser.get("/runs/good00000001", params={"format": "json", "sort": sort}).json()["results"]["rows"]
        values = [row["work_wall_ns"] if "work" in sort else row["encrypt_bytes_per_second"]["median"] for row in rows]
        assert values == sorted(values, reverse=descending)
        assert len(set(values)) > 1

    def test_filters_narrow_and_survive_sorting(self, browser: httpx.Client) -> None:
        wanted = {"provider": "botan", "kind": "text", "length": str(1024 * 1024)}
        page = browser.get("/runs/good00000001", params=wanted).text
        assert set(column(page, 0)) == {"botan"}
        assert set(column(page, 2)) == {"text"}
        assert "provider=botan&amp;kind=text&amp;length=1048576&amp;sort=provider" in page

    def test_pages_hold_all_cases_once(self, browser: httpx.Client) -> None:
        first = browser.get("/runs/good00000001?format=json").json()["results"]
        ids = [row["case_id"] for row in first["rows"]]
        for number in range(2, first["pages"] + 1):
            rows = browser.get("/runs/good00000001", params={"format": "json", "page": number}).json()["results"][
                "rows"
            ]
            ids += [row["case_id"] for row in rows]
        assert len(ids) == len(set(ids)) == first["total"]
        assert len(first["rows"]) <= 100

    def test_an_unknown_column_is_refused(self, browser: httpx.Client) -> None:
        assert browser.get("/runs/good00000001", params={"sort": "colour"}).status_code == 422

    def test_what_was_left_out_and_the_noise_floor_are_told(self, browser: httpx.Client) -> None:
        page = browser.get("/runs/good00000001").text
        assert "own has no 3DES" in page
        assert "2.10 % of work_wall_ns" in page

    def test_the_answer_names_the_fastest(self, browser: httpx.Client) -> None:
        page = browser.get("/runs/good00000001/answer").text
        assert "aes-128-ctr by cryptopp has the highest encryption throughput" in page
        assert ">tie</span>" in page
        assert "comparisons of this run taken together (Holm)" in page
        assert "of the blocks" in page

    def test_start_up_and_cost_per_byte_need_three_lengths_and_say_so(self, browser: httpx.Client) -> None:
        assert 'id="scaling"' not in browser.get("/runs/good00000001").text
        assert "no line, it was measured with 2 lengths" in browser.get("/runs/good00000001/scaling").text

    def test_what_a_case_costs_beside_time_is_shown_where_it_was_read(
        self, filled: Served, browser: httpx.Client
    ) -> None:
        assert "nJ a byte" not in browser.get("/cases/2").text
        with filled.database.write() as session:
            kept = session.get_one(CaseStatistics, 2)
            kept.median_cycles_per_instruction, kept.warm_ups, kept.outliers = 0.417, 3, 1
            kept.median_energy_per_execution_joules, kept.median_energy_per_byte_joules = 0.0032, 3.1e-9
        page = browser.get("/cases/2").text
        for told in ("0.417", "3.20", "3.10 nJ a byte", "3 warm-ups not counted", "1 outlier<"):
            assert told in page


class TestExecutionPage:
    def test_a_failure_is_shown_with_its_signal_and_its_error_as_text(
        self, filled: Served, browser: httpx.Client
    ) -> None:
        page = browser.get(f"/executions/{execution_id(filled, 'failed')}").text
        assert "The runner ended with signal 11" in page
        # What a runner prints must never become part of the page.
        assert "&lt;b&gt;not markup&lt;/b&gt;" in page
        assert "<b>not markup</b>" not in page

    def test_a_wrong_one_shows_both_digests(self, filled: Served, browser: httpx.Client) -> None:
        page = browser.get(f"/executions/{execution_id(filled, 'wrong')}").text
        assert "Its ciphertext is wrong" in page
        assert "f" * 64 in page

    def test_an_absent_reading_tells_why(self, browser: httpx.Client) -> None:
        page = browser.get("/executions/1").text
        assert "the kernel grants no hardware counters here" in page

    def test_phases_add_up_to_the_work(self, browser: httpx.Client) -> None:
        view = browser.get("/executions/1?format=json").json()
        assert sum(phase["wall_ns"] for phase in view["phases"]) == view["detail"]["work_wall_ns"]
        assert [phase["name"] for phase in view["phases"]] == ["start", "load", "key setup", "encrypt", "decrypt"]


class TestAgents:
    def test_a_silent_and_emulated_one_is_marked(self, browser: httpx.Client) -> None:
        cards = {card["agent"]["name"]: card for card in browser.get("/agents?format=json").json()["agents"]}
        assert cards["qemu-arm"]["emulated"]
        assert not cards["qemu-arm"]["agent"]["live"]

    def test_refused_implementations_are_named(self, browser: httpx.Client) -> None:
        agent = browser.get("/agents?format=json").json()["agents"][0]["agent"]["id"]
        page = browser.get(f"/agents/{agent}").text
        assert "1 refused and never timed" in page
        assert "own aes-128-ofb ref: vector 3 of 12" in page


class TestCharts:
    @pytest.mark.parametrize("query", ["", "?kind=text", "?measure=pass"])
    def test_a_run_is_drawn_as_specification_and_as_picture(self, browser: httpx.Client, query: str) -> None:
        spec = browser.get(f"/runs/good00000001/charts/throughput.json{query}").json()
        assert spec["usermeta"]["panels"] == 3
        picture = browser.get(f"/runs/good00000001/charts/throughput.svg{query}")
        assert picture.headers["content-type"].startswith("image/svg+xml")
        assert "cryptopp" in picture.text

    def test_an_execution_without_a_curve_says_so(self, filled: Served, browser: httpx.Client) -> None:
        answer = browser.get(f"/executions/{execution_id(filled, 'failed')}/charts/memory.json")
        assert answer.status_code == 404


class TestAssets:
    def test_they_are_kept_by_browsers_and_compressed(self, browser: httpx.Client) -> None:
        page = browser.get("/").text
        for address in re.findall(r'(?:src|href)="(/static/[^"]+)"', page):
            answer = browser.get(address)
            assert "immutable" in answer.headers["cache-control"]
            assert answer.headers["content-encoding"] == "gzip"

    def test_nothing_else_is_served(self, browser: httpx.Client) -> None:
        assert browser.get("/static/..%2frouter.py").status_code == 404
        assert browser.get("/static/router.py").status_code == 404


class TestLogin:
    def test_a_token_opens_a_session_that_may_write(self, filled: Served, browser: httpx.Client) -> None:
        with filled.client("submitter") as client:
            token = client.headers["Authorization"].removeprefix("Bearer ")
        answer = browser.post("/login", data={"token": token})
        assert answer.status_code == 303
        assert "HttpOnly" in answer.headers["set-cookie"]
        assert "samesite=strict" in answer.headers["set-cookie"].lower()
        assert "Log out" in browser.get("/").text

    def test_a_wrong_token_is_refused_with_words(self, browser: httpx.Client) -> None:
        answer = browser.post("/login", data={"token": "cm_submitter_guess"})
        assert answer.status_code == 401
        assert "unknown" in answer.text

    def test_an_agent_token_opens_no_dashboard(self, filled: Served, browser: httpx.Client) -> None:
        with filled.client("join") as client:
            token = client.headers["Authorization"].removeprefix("Bearer ")
        assert browser.post("/login", data={"token": token}).status_code == 403

    def test_another_sites_form_cannot_log_in(self, browser: httpx.Client) -> None:
        answer = browser.post("/login", data={"token": "x" * 20}, headers={"Origin": "http://evil.example"})
        assert answer.status_code == 403
