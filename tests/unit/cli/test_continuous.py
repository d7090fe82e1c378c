"""Reports of a comparison in continuous integration: every case is in each, also where there are more than fit."""

import json
from xml.etree import ElementTree

from orchestrator.cli.continuous.annotations import code_quality, github, markdown
from orchestrator.cli.continuous.junit import junit
from orchestrator.results.schemas import Interval
from orchestrator.watches.schemas import LeftOutCase, RegressionRow, Regressions

CASES = [f"aes-{number}" for number in range(120)]


def change(words: str, *, worse: bool) -> RegressionRow:
    return RegressionRow.model_construct(
        case_words=words, worse=worse, ratio=1.1, interval=Interval(low=1.05, high=1.2), new_runs=3, former_runs=5
    )


def found(**given: object) -> Regressions:
    values: dict[str, object] = {
        "run_id": "r", "baseline_run_ids": ["b"], "former_run_ids": [],
        "state": "decided", "measure": "call", "unit": "ns", "undecided_cases": [], "lost": [],
        "left_out": [], "changes": [], "differences": [], "detectable_change": None, "compared": CASES,
        "sentence": "Some | cases changed.", "method": "By runs.",
    }  # fmt: skip
    return Regressions.model_construct(**(values | given))  # type: ignore[arg-type]


def test_reports_name_what_does_not_fit() -> None:
    worse = [change(words, worse=True) for words in CASES]
    left_out = [LeftOutCase(case_words=words, reason="withdrawn") for words in CASES]
    many = found(changes=worse, left_out=left_out)
    text = markdown(many, "plan", "https://service/runs/r")
    assert "Some \\| cases changed." in text
    assert text.startswith("## plan against 1 former run\n")
    assert text.count("… and ") == 2
    assert "[Run r](https://service/runs/r)" in text
    commands = list(github(many, "plan.yaml"))
    assert [sum(one.startswith(f"::{level} ") for one in commands) for level in ("error", "warning")] == [10, 10]
    assert "112 more cases are in the summary." in commands[9]
    assert len(json.loads(code_quality(many, "plan", "plan.yaml"))) == 241


def test_run_without_changes_is_a_notice_and_states_what_would_have_been_seen() -> None:
    none = found(detectable_change=0.031)
    assert "In half of the cases, changes below 3.1 % cannot be detected." in markdown(none, "plan", None)
    (only,) = github(none, "plan.yaml")
    assert only.startswith("::notice ")
    assert json.loads(code_quality(none, "plan", "plan.yaml")) == []


def test_case_that_is_left_out_for_two_reasons_is_skipped_once_with_both() -> None:
    twice = [LeftOutCase(case_words="aes-0", reason=reason) for reason in ("Omitted.", "Withdrawn.")]
    suite = ElementTree.fromstring(junit(found(left_out=twice, changes=[change("aes-1", worse=False)]), "plan"))
    assert suite.get("tests") == "120"
    first, second = suite.findall("testcase")[:2]
    skipped, better = first.find("skipped"), second.find("system-out")
    assert skipped is not None
    assert skipped.get("message") == "Omitted. Withdrawn."
    assert better is not None
