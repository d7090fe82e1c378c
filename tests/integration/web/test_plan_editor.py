"""The page of a new run without JavaScript: questions, plans to start from, preview, link and submission."""

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from orchestrator.database.models import Run
from orchestrator.service.security import tokens
from orchestrator.shared.resources import shipped
from orchestrator.web.plans.starts import MAX_LINK_CHARACTERS
from tests.support.fleet import Fleet, open_fleet
from tests.support.live_service import words_of
from tests.support.offers import add_agent

PATH = "/plans/new"
HTML = {"Accept": "text/html"}
PLAN = """\
version: 1
name: two-ciphers
repetitions: 3
matrix:
  - providers: [botan]
    algorithms: [aes-192-cbc, aes-192-ctr]
    inputs: {kinds: [text], sizes: [1 KiB]}
"""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with open_fleet(tmp_path_factory.mktemp("fleet")) as opened:
        with opened.database.write() as session:
            add_agent(session, "waiting", approved=False)
        yield opened


@contextmanager
def browser(fleet: Fleet, role: tokens.Role | None = None) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=fleet.served.url, headers=HTML, timeout=60, verify=False) as client:
        if role is not None:
            with fleet.database.write() as session:
                _, plain = tokens.create(session, role, "test")
            assert client.post("/login", data={"token": plain}).status_code == 303
        yield client


@pytest.fixture
def submitter(fleet: Fleet) -> Iterator[httpx.Client]:
    with browser(fleet, "submitter") as client:
        yield client


def text_of(page: httpx.Response) -> str:
    found = re.findall(r"<textarea [^>]*>\n(.*?)</textarea>", page.text, re.DOTALL)
    return html.unescape(found[0])


def key_of(page: httpx.Response) -> str:
    return re.findall(r'name="key" value="([0-9a-f]{32})"', page.text)[0]


def runs_stored(fleet: Fleet) -> int:
    with fleet.database.read() as session:
        return session.query(Run).count()


class TestStarts:
    def test_answers_write_a_plan(self, submitter: httpx.Client) -> None:
        names = {"algorithms": ["aes-192-ctr", "aes-192-cbc"], "providers": ["botan"], "agents": ["pi"]}
        answers = {"answered": "yes", "purpose": "short", "certainty": "quick", "lengths": "16, 48"}
        page = submitter.get(PATH, params={**names, **answers})
        text = text_of(page)
        assert "algorithms: [aes-192-ctr, aes-192-cbc]" in text
        assert "lengths: [16, 48]" in text
        assert "agents: [pi]" in text
        assert re.search(r'value="aes-192-ctr" checked', page.text)
        assert '<h2 id="preview">Preview' in page.text

    def test_plan_of_the_installation_is_shown_as_it_is(self, submitter: httpx.Client) -> None:
        assert text_of(submitter.get(PATH, params={"from": "quick"})) == (shipped("plans") / "quick.yaml").read_text()

    def test_plan_of_a_run_is_shown_again(self, fleet: Fleet, submitter: httpx.Client) -> None:
        run = fleet.submitter.post("/api/v1/runs", json={"plan_text": PLAN}).json()
        page = submitter.get(PATH, params={"run": run["id"]})
        again = fleet.submitter.post("/api/v1/runs", json={"plan_text": text_of(page)}).json()
        assert again["plan"] == run["plan"]
        assert f'href="/plans/new?run={run["id"]}"' in submitter.get(f"/runs/{run['id']}").text

    def test_plan_of_a_run_is_measured_again_with_one_button(self, fleet: Fleet, submitter: httpx.Client) -> None:
        run = fleet.submitter.post("/api/v1/runs", json={"plan_text": PLAN}).json()
        page = submitter.get(f"/runs/{run['id']}")
        text = html.unescape(re.findall(r'name="plan" value="([^"]*)"', page.text)[0])
        form, before = {"plan": text, "do": "submit", "key": key_of(page)}, runs_stored(fleet)
        again = submitter.post(PATH, data=form).headers["location"]
        assert fleet.submitter.get(f"/api/v1{again}").json()["plan"] == run["plan"]
        assert submitter.post(PATH, data=form).headers["location"] == again != f"/runs/{run['id']}"
        assert runs_stored(fleet) == before + 1
        with browser(fleet, "viewer") as viewer:
            assert 'name="plan"' not in viewer.get(f"/runs/{run['id']}").text

    @pytest.mark.parametrize("query", [{"from": "quik"}, {"run": "nothing00000"}])
    def test_unknown_start_is_not_found(self, submitter: httpx.Client, query: dict[str, str]) -> None:
        assert submitter.get(PATH, params=query).status_code == 404

    def test_invalid_answers_are_refused_with_their_names(self, submitter: httpx.Client) -> None:
        page = submitter.get(PATH, params={"purpose": "both"})
        assert (page.status_code, "purpose: expected" in page.text) == (422, True)


class TestPreview:
    def test_preview_is_that_of_the_api(self, fleet: Fleet) -> None:
        with browser(fleet) as client:
            page = client.post(PATH, data={"plan": PLAN, "do": "preview"}, headers={"Accept": "application/json"})
            preview = client.post("/api/v1/plans/preview", json={"plan_text": PLAN}).json()
        assert page.json()["preview"] == preview
        assert preview["executions_total"] == 6

    def test_page_lists_the_agents_that_do_not_match(self, fleet: Fleet, submitter: httpx.Client) -> None:
        page = submitter.post(PATH, data={"plan": PLAN, "do": "preview"})
        assert re.search(r"<dt>waiting</dt><dd>waits for approval", page.text)

    def test_errors_have_their_path_and_line(self, submitter: httpx.Client) -> None:
        wrong = PLAN.replace("[text]", "[song]").replace("repetitions: 3", "repetitions: 0")
        page = submitter.post(PATH, data={"plan": wrong, "do": "preview"})
        assert page.status_code == 422
        assert re.search(r'data-line="3">line 3</a> <code>repetitions</code> expected at least 1', words_of(page))
        assert re.search(r'data-line="7">line 7</a> <code>matrix\[0\].inputs.kinds\[0\]</code>', words_of(page))
        assert text_of(page) == wrong

    def test_error_of_the_planner_has_its_line(self, submitter: httpx.Client) -> None:
        page = submitter.post(PATH, data={"plan": PLAN.replace("aes-192-ctr", "aes-192-xts"), "do": "preview"})
        assert re.search(r'data-line="6">line 6</a> <code>matrix\[0\].algorithms', words_of(page))

    def test_text_of_the_form_keeps_its_lines_and_cannot_become_markup(self, submitter: httpx.Client) -> None:
        text = "\nname: </textarea><script>alert(1)</script>\r\nx: 1\r\n"
        page = submitter.post(PATH, data={"plan": text, "do": "preview"})
        assert "<script>alert" not in page.text
        assert text_of(page) == text.replace("\r\n", "\n")

    def test_too_long_a_form_is_refused(self, submitter: httpx.Client) -> None:
        assert submitter.post(PATH, data={"plan": "x" * 3_000_000, "do": "preview"}).status_code == 413


class TestLink:
    def test_link_contains_the_plan(self, submitter: httpx.Client) -> None:
        answer = submitter.post(PATH, data={"plan": PLAN.replace("\n", "\r\n"), "do": "link"})
        assert answer.status_code == 303
        assert parse_qs(urlsplit(answer.headers["location"]).query) == {"plan": [PLAN]}
        assert text_of(submitter.get(answer.headers["location"])) == PLAN

    def test_longest_link_is_read_and_a_longer_one_is_refused(self, submitter: httpx.Client) -> None:
        room = MAX_LINK_CHARACTERS - len(f"{PATH}?" + urlencode({"plan": PLAN + "#"}))
        longest = PLAN + "#" + "é" * (room // 6) + "x" * (room % 6)
        location = submitter.post(PATH, data={"plan": longest, "do": "link"}).headers["location"]
        assert len(location) == MAX_LINK_CHARACTERS
        assert text_of(submitter.get(location)) == longest
        refused = submitter.post(PATH, data={"plan": longest + "x", "do": "link"})
        assert (refused.status_code, "would have 16001 characters" in refused.text) == (422, True)


class TestSubmission:
    def test_form_submits_once(self, fleet: Fleet, submitter: httpx.Client) -> None:
        form = {"plan": PLAN, "do": "submit", "key": key_of(submitter.get(PATH))}
        before = runs_stored(fleet)
        first, second = submitter.post(PATH, data=form), submitter.post(PATH, data=form)
        assert first.status_code == 303
        assert first.headers["location"] == second.headers["location"]
        assert re.fullmatch(r"/runs/[a-z0-9]{12}", first.headers["location"])
        assert submitter.get(first.headers["location"]).status_code == 200
        changed = submitter.post(PATH, data={**form, "plan": PLAN.replace("two-ciphers", "changed")})
        assert changed.headers["location"] != first.headers["location"]
        assert runs_stored(fleet) == before + 2

    @pytest.mark.parametrize("role", [None, "viewer"])
    def test_viewer_cannot_submit_and_keeps_the_text(self, fleet: Fleet, role: tokens.Role | None) -> None:
        before = runs_stored(fleet)
        with browser(fleet, role) as client:
            page = client.get(PATH)
            assert 'value="submit"' not in page.text
            refused = client.post(PATH, data={"plan": PLAN, "do": "submit", "key": key_of(page)})
        assert (refused.status_code, text_of(refused)) == (403, PLAN)
        assert "requires the role submitter" in refused.text
        assert runs_stored(fleet) == before

    def test_form_without_its_key_is_refused(self, fleet: Fleet, submitter: httpx.Client) -> None:
        page = submitter.post(PATH, data={"plan": PLAN, "do": "submit"})
        assert (page.status_code, text_of(page)) == (422, PLAN)
        assert "lacks its key" in page.text


def test_api_lists_the_keys_with_their_names(fleet: Fleet) -> None:
    keys = {key["path"]: key for key in fleet.submitter.get("/api/v1/plans/keys").json()}
    assert keys["agents"]["values"] == ["pi", "waiting"]
    assert "aes-192-cbc" in keys["matrix.algorithms"]["values"]
    assert (keys["name"]["required"], keys["seed"]["required"]) == (True, False)


def test_errors_of_the_api_have_their_line(fleet: Fleet) -> None:
    answer = fleet.submitter.post("/api/v1/plans/preview", json={"plan_text": PLAN.replace("3", "0", 1)})
    assert answer.json()["errors"][0]["line"] == 3
    document = {"version": 1, "name": "a", "repetitions": 0, "matrix": []}
    errors = fleet.submitter.post("/api/v1/plans/preview", json={"plan": document}).json()["errors"]
    assert all("line" not in error for error in errors)
