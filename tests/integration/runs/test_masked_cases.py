"""Masked cases from the plan to the job and to the API: the form is part of the case."""

from typing import Any

from sqlalchemy import select

from orchestrator.database.models import Build, Case, Proof
from orchestrator.runs.jobs.message import build_message
from orchestrator.shared.values.forms import Form
from tests.support.fleet import Fleet, plan

FORMS = {"shares": [2, 4], "degrees": ["full", "init"], "generators": ["chacha20", "aes-ctr"]}
LISTING: dict[str, Any] = {
    "protocol": 2, "provider": "own", "version": "1", "build": {},
    "implementations": [
        {"algorithm": "ascon-128", "variant": "opt64", "kind": "aead", "available": True, "default": True},
        {"algorithm": "ascon-128", "variant": "masked64", "kind": "aead", "available": True, "default": False,
         "masking": {"shares": [2, 3, 4, 5, 6], "degrees": ["full", "init-final"]}},
    ],
    "generators": [
        {"name": "chacha20", "secure": True, "available": True, "reason": None},
        {"name": "aes-ctr", "secure": True, "available": False, "reason": "the processor lacks aes"},
    ],
}  # fmt: skip


def add_masked_runner(fleet: Fleet) -> None:
    """Add a runner with a masked implementation, and its proofs, to the agent's build."""
    with fleet.database.write() as session:
        build = session.scalars(select(Build)).one()
        build.runners = {**build.runners, "own": {"listing": LISTING}}
        for variant in ("opt64", "masked64"):
            names = {"build_id": build.id, "provider": "own", "algorithm": "ascon-128", "variant": variant}
            session.add(Proof(**names, passed=True))


def test_masked_cases_keep_their_form_from_the_plan_to_the_job(fleet: Fleet) -> None:
    add_masked_runner(fleet)
    messages = {"lengths": [16], "operations": ["encrypt"]}
    matrix = {"providers": ["own"], "algorithms": ["ascon-128"], "protocol": "latency", "messages": messages}
    document = plan(matrix=[matrix, matrix | {"masking": FORMS}], repetitions=1)
    preview = fleet.submitter.post("/api/v1/plans/preview", json={"plan": document}).raise_for_status().json()
    assert preview["cases"] == 3
    assert {one["reason"] for one in preview["omissions"]} == {
        "masked64 exists with masking full and init-final, not init.",
        "The generator aes-ctr is not available: the processor lacks aes.",
    }
    run_id = fleet.lay_out(**{name: document[name] for name in ("matrix", "repetitions")})
    expected = [(None, None, None), (2, "full", "chacha20"), (4, "full", "chacha20")]
    with fleet.database.read() as session:
        cases = session.scalars(select(Case).where(Case.run_id == run_id).order_by(Case.number)).all()
        assert [(case.shares, case.masking, case.generator) for case in cases] == expected
        sent = {
            case.case_id: case.form
            for job in fleet.jobs(run_id)
            if (message := build_message(session, job["id"])) is not None
            for case in message.cases
        }
        assert sent == {case.id: Form.of(case) for case in cases}
    address = f"/api/v1/runs/{run_id}/cases"
    listed = fleet.submitter.get(address).raise_for_status().json()["items"]
    assert [(one["shares"], one["masking"], one["generator"]) for one in listed] == expected
    filtered = fleet.submitter.get(address, params={"shares": 4, "generator": "chacha20"}).raise_for_status().json()
    assert [one["shares"] for one in filtered["items"]] == [4]
    columns, first, *_ = fleet.submitter.get(f"/api/v1/runs/{run_id}/export").text.splitlines()
    place = columns.split(",").index("shares")
    assert columns.split(",")[place : place + 3] == ["shares", "masking", "generator"]
    assert first.split(",")[place : place + 3] == ["", "", ""]
