"""The parts of a run that can be compared and the comparisons that it suggests: API, command line and page."""

import csv
import html
import io
import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from sqlalchemy import update

from orchestrator.database.models import Build, Case, Run, now
from tests.support.commands import Command, printed
from tests.support.database import Shape, fill
from tests.support.latency_results import Shape as CallShape
from tests.support.latency_results import fill_calls
from tests.support.live_service import Served

FIRST, AGAIN, OTHER_PLAN, CALLS, VERSIONS, EMPTY, APART = (
    "first0000001", "again0000001", "other0000001", "calls0000001", "versions0001", "empty0000001", "apart0000001",
)  # fmt: skip
SMALL: dict[str, Any] = {
    "algorithms": ("aes-128-ctr", "chacha20-256"), "kinds": ("text",), "repetitions": 6, "with_curves": False,
}  # fmt: skip
OF_AGENT = 3 * 2 * 2  # providers, algorithms, sizes


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    """A run of two agents, the same plan again, another plan of its name, calls of two toolchains, two versions."""
    agents = ("raspberrypi", "pi5")
    fill(served.database, Shape(run_id=FIRST, agents=agents, **SMALL))
    fill(served.database, Shape(run_id=OTHER_PLAN, agents=agents, **{**SMALL, "repetitions": 7}))
    fill(served.database, Shape(run_id=AGAIN, agents=agents, **SMALL))
    apart = {("own", "aes-128-ctr"): 92.0, ("botan", "chacha20-256"): 1903.0}
    fill(served.database, Shape(run_id=APART, name="apart", rates=apart, **SMALL))
    fill(served.database, Shape(run_id=EMPTY, name="empty", done=0.0, state="running", **SMALL))
    fill_calls(served.database, CallShape(run_id=CALLS, agent="pi4"))
    fill(served.database, Shape(run_id=VERSIONS, name="versions", **SMALL))
    _give_two_versions(served)
    with served.database.write() as session:
        for minutes, run_id in enumerate((FIRST, OTHER_PLAN, AGAIN)):
            session.execute(update(Run).where(Run.id == run_id).values(submitted_at=now().replace(minute=minutes)))
    return served


def _give_two_versions(served: Served) -> None:
    """Let the cases of one size of a run belong to another build, with another version of botan."""
    with served.database.write() as session:
        old = session.query(Build).join(Case, Case.build_id == Build.id).filter(Case.run_id == VERSIONS).first()
        assert old is not None
        listing = {**old.runners["botan"]["listing"], "version": "10.0.0"}
        runners = {**old.runners, "botan": {**old.runners["botan"], "listing": listing}}
        library = {"provider": "botan", "version": "10.0.0"}
        new = Build(
            agent_id=old.agent_id, build_key="e" * 64, source_sha256=old.source_sha256,
            toolchain={**old.toolchain, "library": library}, compiler_version=old.compiler_version, runners=runners,
        )  # fmt: skip
        session.add(new)
        session.flush()
        cases = session.query(Case).filter_by(run_id=VERSIONS, provider="botan").order_by(Case.number).all()
        # The same inputs with both versions.
        for case, other in zip(cases[::2], cases[1::2], strict=True):
            other.build_id, other.algorithm = new.id, case.algorithm
            for name in ("chunk_id", "input_sha256", "input_kind", "message_bytes"):
                setattr(other, name, getattr(case, name))


def sides(served: Served, side: str) -> Any:
    return served.json("/api/v1/comparisons/sides", run=side)


def values(document: Any) -> dict[str, dict[str, int]]:
    return {one["name"]: {value["value"]: value["cases"] for value in one["values"]} for one in document["properties"]}


def compared(served: Served, labels: list[str]) -> httpx.Response:
    return served.viewer.get("/api/v1/comparisons", params={"run": labels})


def get_page(served: Served, address: str, follow: bool = True) -> httpx.Response:
    return served.visitor.get(address, headers={"Accept": "text/html"}, follow_redirects=follow)


class TestParts:
    def test_run_lists_what_its_verified_cases_have(self, served: Served) -> None:
        found = sides(served, FIRST)
        assert found["cases"] == 2 * OF_AGENT
        assert values(found) == {
            "agent": {"pi5": OF_AGENT, "raspberrypi": OF_AGENT},
            "toolchain": {"gcc -O2": 24},
            "library": {"botan 2.19.3": 8, "cryptopp 8.7.0": 8},
            "provider": {"botan": 8, "cryptopp": 8, "own": 8},
            "language": {"C and C++": 24},
            "variant": {"default": 16, "ref": 8},
        }

    def test_selection_narrows_the_other_properties(self, served: Served) -> None:
        found = values(sides(served, f"{FIRST},agent=pi5,provider=own"))
        assert found["agent"] == {"pi5": 4, "raspberrypi": 4}
        assert found["provider"] == {"botan": 4, "cryptopp": 4, "own": 4}
        assert found["variant"] == {"ref": 4}
        assert "library" not in found

    def test_label_of_each_value_is_a_side_with_its_cases(self, served: Served) -> None:
        for one in sides(served, f"{FIRST},agent=pi5")["properties"]:
            for value in one["values"]:
                result = compared(served, [value["label"], value["label"]])
                assert result.json()["first"]["cases"] == value["cases"], value

    def test_unknown_run_is_not_found(self, served: Served) -> None:
        assert served.viewer.get("/api/v1/comparisons/sides", params={"run": "nosuchrun000"}).status_code == 404


class TestSuggested:
    @pytest.mark.parametrize(
        ("run_id", "by", "expected"),
        [
            (FIRST, "agent", [f"{FIRST},agent=pi5", f"{FIRST},agent=raspberrypi"]),
            (FIRST, "provider", [f"{FIRST},provider={one}" for one in ("botan", "cryptopp", "own")]),
            (CALLS, "toolchain", [f"{CALLS},toolchain=clang -O3", f"{CALLS},toolchain=gcc -O3"]),
            (VERSIONS, "library", [f"{VERSIONS},library=botan 2.19.3", f"{VERSIONS},library=botan 10.0.0"]),
            (AGAIN, "former run", [FIRST, AGAIN]),
        ],
    )
    def test_comparison_is_suggested_and_can_be_made(
        self, served: Served, run_id: str, by: str, expected: list[str]
    ) -> None:
        suggested = {one["by"]: one["sides"] for one in sides(served, run_id)["suggested"]}
        assert suggested[by] == expected
        result = compared(served, expected)
        assert result.status_code == 200, result.text
        assert all(part["rows_total"] for part in result.json()["parts"])

    def test_only_an_earlier_run_of_the_same_plan_is_the_former_one(self, served: Served) -> None:
        for run_id in (FIRST, OTHER_PLAN):
            assert "former run" not in {one["by"] for one in sides(served, run_id)["suggested"]}


class TestErrors:
    @pytest.mark.parametrize(
        ("side", "sentence", "offered"),
        [
            ("toolchain=gcc -O9", "has none with toolchain 'gcc -O9'", "toolchain: gcc -O2"),
            ("agent=pi6", "has none with agent 'pi6'", "agent: pi5, raspberrypi"),
            ("provider=own,variant=default", "but not together", "variant: ref"),
            ("color=red", "names no side", "ciphermark compare --sides RUN"),
        ],
    )
    def test_unknown_part_is_answered_with_those_that_exist(
        self, served: Served, side: str, sentence: str, offered: str
    ) -> None:
        problem = compared(served, [FIRST, f"{FIRST},{side}"]).json()
        assert sentence in problem["detail"]
        assert offered in problem["remedy"]

    def test_runs_without_a_common_case_are_answered_with_what_each_has(self, served: Served) -> None:
        problem = compared(served, [FIRST, CALLS]).json()
        assert "share no case. One has aes-128-ctr, chacha20-256 with 24 cases" in problem["detail"]
        assert "tinyjambu-128, tinyjambu-256 with 36 cases of 0 B to 4 KiB" in problem["detail"]


class TestCommand:
    def test_sides_are_listed_with_cases_and_commands(self, command: Command) -> None:
        text = printed(command("compare", "--sides", FIRST))
        assert f"{FIRST}, demo: 24 cases with a verified result" in text
        assert f"agent pi5 12 {FIRST},agent=pi5" in text
        assert f"By agent: ciphermark compare {FIRST},agent=pi5 {FIRST},agent=raspberrypi" in text

    def test_json_is_that_of_the_api(self, command: Command, served: Served) -> None:
        document = json.loads(command("compare", "--sides", CALLS, f"{FIRST},agent=pi5", "--json").stdout)
        assert document == [sides(served, CALLS), sides(served, f"{FIRST},agent=pi5")]


class TestPage:
    def test_lists_are_those_of_the_api(self, served: Served) -> None:
        labels = [f"{FIRST},agent=pi5", FIRST]
        forms = served.visitor.get("/compare", params={"run": labels, "format": "json"}).json()["forms"]
        for form, label in zip(forms, labels, strict=False):
            assert {**form, "suggested": sides(served, label)["suggested"]} == sides(served, label)

    def test_lists_lead_to_the_address_of_the_sides(self, served: Served) -> None:
        query = f"run={FIRST}&part1=agent%3Dpi5&part1=&run={FIRST}&part2=agent%3Draspberrypi&run=&q=&measure="
        answer = get_page(served, f"/compare?{query}", follow=False)
        assert answer.status_code == 303
        address = urlsplit(answer.headers["location"])
        assert parse_qs(address.query) == {"run": [f"{FIRST},agent=pi5", f"{FIRST},agent=raspberrypi"]}
        text = get_page(served, answer.headers["location"]).text
        assert '<option value="agent=pi5" selected>' in text
        assert "tie in" in text

    @pytest.mark.parametrize(
        ("run_id", "links"),
        [(AGAIN, {"agent", "provider", "variant", "former run"}), (EMPTY, set()), (APART, set())],
    )
    def test_run_links_to_its_comparisons(self, served: Served, run_id: str, links: set[str]) -> None:
        for address in (f"/runs/{run_id}", f"/compare?run={run_id}"):
            answer = get_page(served, address)
            assert answer.status_code == 200, answer.text
            shown = served.visitor.get(address, headers={"Accept": "application/json"}).json()
            assert set(shown["comparable"]) == links, address
            assert all(f"by={by.replace(' ', '%20')}" in answer.text for by in links)

    def test_each_link_compares_what_the_api_suggests(self, served: Served) -> None:
        for one in sides(served, AGAIN)["suggested"]:
            shown = served.visitor.get(
                "/compare", params={"run": AGAIN, "by": one["by"], "format": "json"}, follow_redirects=True
            ).json()
            assert shown["sides"] == one["sides"]
            assert shown["comparison"] is not None

    def test_charts_of_several_sides_have_the_verdicts_of_their_common_correction(self, served: Served) -> None:
        labels = [f"{FIRST},agent=pi5,provider={one}" for one in ("botan", "cryptopp", "own")]
        parts = compared(served, labels).json()["parts"]
        for number, part in enumerate(parts, 1):
            chart = served.visitor.get("/compare/charts/ratios.csv", params={"run": labels, "part": number})
            drawn = [(row["ratio"], row["verdict"]) for row in csv.DictReader(io.StringIO(chart.text))]
            assert drawn == [(str(row["ratio"]), row["verdict"]) for row in part["rows"]]
        refused = served.visitor.get("/compare/charts/ratios.csv", params={"run": labels, "part": len(labels)})
        assert refused.status_code == 422
        assert "Parts: 1 to 2." in refused.text

    def test_chart_of_each_part_names_all_sides(self, served: Served) -> None:
        text = get_page(served, f"/compare?run={FIRST}&by=provider").text
        sides = [f"{FIRST},provider={one}" for one in ("botan", "cryptopp", "own")]
        addresses = re.findall(r'data-spec="([^"]+)"', text)
        assert len(addresses) == len(sides) - 1
        for number, address in enumerate(addresses, 1):
            query = parse_qs(urlsplit(html.unescape(address)).query)
            assert (query["run"], query["part"]) == (sides, [str(number)])

    def test_unknown_part_keeps_the_form_and_names_what_exists(self, served: Served) -> None:
        answer = get_page(served, f"/compare?run={FIRST},agent=pi6&run={FIRST}")
        assert answer.status_code == 409
        assert "Select what its run has: agent: pi5, raspberrypi." in answer.text
        assert '<option value="agent=pi5">' in answer.text

    def test_parts_are_listed_without_a_comparison(self, served: Served) -> None:
        text = get_page(served, f"/compare?run={FIRST}&run={AGAIN}&show=parts").text
        assert "Choose parts of the runs" in text
        assert "<h2>Cases</h2>" not in text

    def test_offered_runs_are_searched(self, served: Served) -> None:
        text = get_page(served, f"/compare?run={FIRST}&q=versions").text
        assert f'<option value="{VERSIONS}">' in text
        assert f'<option value="{FIRST}" selected>' in text
        assert f'<option value="{CALLS}">' not in text

    def test_part_that_is_no_text_is_refused(self, served: Served) -> None:
        assert get_page(served, f"/compare?run={FIRST}&part1=agent%3D%00").status_code == 422
