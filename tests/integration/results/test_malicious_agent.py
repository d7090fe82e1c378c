"""A malicious agent with many kinds of deceptions changes no other agent's result, and is named and quarantined.

One service, two honest agents with finished results, and one agent for each kind of deception, so that none hides
another.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from corpus.catalogue import chunk_store
from corpus.store import file_blocks
from orchestrator.compilation.reference.known_answers import own_source_sha256
from orchestrator.compilation.reference.third_party import output_sha256
from orchestrator.database.models import Agent, Build, Calibration, Case, Execution, FalseReport, Job, Proof
from orchestrator.results.answers.agents import WITHDRAWN
from orchestrator.results.digests.service import resolve_pending
from orchestrator.results.freshness.service import catch_up
from orchestrator.runs.scheduling.service import lay_out_next
from orchestrator.service.trust import service as trust
from orchestrator.service.trust.kinds import Finding
from orchestrator.shared.units import MIB
from tests.support.agent_reports import health_check, inventory
from tests.support.exported import rows_of_csv
from tests.support.live_service import Served, serve
from tests.support.offers import SESSION, add_agent, add_chunks
from tests.support.phases import with_phases

HONEST = ("honest-1", "honest-2")
CAUGHT = "caught"
KNOWN, UNKNOWN = "aes-192-cbc", "salsa20-256"
"""Algorithms that the service computes itself, and that it does not."""
TRUTH = {UNKNOWN: "a" * 64}
FALSE = "e" * 64
LATEST = 2**63 - 1
Document = dict[str, Any]


@dataclass
class Liar:
    """An agent, its executions, and a victim."""

    served: Served
    agent_id: str
    client: httpx.Client
    victim_id: str
    session_id: str = "b" * 32
    claim_id: int = 0

    def executions(self, agent_id: str = "", algorithm: str = KNOWN) -> list[tuple[Execution, Case]]:
        with self.served.database.read() as session:
            rows = session.execute(
                select(Execution, Case)
                .join(Case, Case.id == Execution.case_id)
                .where(Case.agent_id == (agent_id or self.agent_id), Case.algorithm == algorithm)
                .order_by(Execution.id)
            )
            return [(execution, case) for execution, case in rows]

    def record(self, row: tuple[Execution, Case], **changes: Any) -> Document:
        execution, case = row
        values = {
            "case_id": case.id, "repetition": execution.repetition, "purpose": execution.purpose,
            "position": execution.position, "job_id": execution.job_id, "attempt": 1, "session_id": self.session_id,
            "claim_id": self.claim_id or None, "since_claim_ns": 0, "inventory_sha256": "a" * 64,
            "started_at": datetime.now(UTC).isoformat(), "state": "ok", "work_wall_ns": 4_000_000,
            "process_wall_ns": 4_100_000, "encrypt_wall_ns": 800_000, "decrypt_wall_ns": 800_000,
            "work_cpu_ns": 3_900_000, "input_bytes": case.message_bytes,
            "output_sha256": TRUTH[case.algorithm],
        }  # fmt: skip
        return with_phases(**values | changes)

    def send(self, *records: Document) -> httpx.Response:
        return self.client.post("/api/v1/records", json={"records": list(records)})

    def claim_all(self) -> None:
        for job_id in sorted({execution.job_id for execution, _ in self.executions() if execution.job_id}):
            answer = self.client.post(
                f"/api/v1/jobs/{job_id}/claim", json={"session_id": self.session_id}
            ).raise_for_status()
            self.claim_id = answer.json()["claim_id"]

    def deceive(self, **changes: Any) -> None:
        """Send one record of its own job with these changes."""
        self.claim_all()
        self.send(self.record(self.executions()[0], **changes)).raise_for_status()


def own_providers_agree(liar: Liar) -> None:
    liar.claim_all()
    records = [liar.record(row, output_sha256=FALSE) for row in liar.executions(algorithm=UNKNOWN)]
    liar.send(*records).raise_for_status()


def repetitions_differ(liar: Liar) -> None:
    liar.claim_all()
    rows = liar.executions(algorithm=UNKNOWN)
    liar.send(*(liar.record(row, output_sha256=f"{n:064x}") for n, row in enumerate(rows))).raise_for_status()


def no_digest(liar: Liar) -> None:
    liar.claim_all()
    assert liar.send(liar.record(liar.executions()[0], output_sha256=None)).json()["stored"] == 0


def foreign_finished(liar: Liar) -> None:
    answer = liar.send(*(liar.record(row, output_sha256=FALSE) for row in liar.executions(liar.victim_id)))
    assert answer.json()["stored"] == 0


def foreign_provider_pair(liar: Liar) -> None:
    rows = liar.executions(liar.victim_id, UNKNOWN)
    assert liar.send(*(liar.record(row, output_sha256=FALSE, work_wall_ns=1) for row in rows)).json()["stored"] == 0


def never_claimed(liar: Liar) -> None:
    with liar.served.database.write() as session:
        session.execute(update(Job).where(Job.agent_id == liar.agent_id).values(state="waiting", sent_at=None))
    assert liar.send(liar.record(liar.executions()[0], output_sha256=FALSE)).json()["stored"] == 0


def another_job(liar: Liar) -> None:
    liar.claim_all()
    job_id = liar.executions(liar.victim_id)[0][0].job_id
    assert liar.send(liar.record(liar.executions()[0], job_id=job_id)).json()["stored"] == 0


def claim_of_a_foreign_job(liar: Liar) -> None:
    job_id = liar.executions(liar.victim_id)[0][0].job_id
    assert liar.client.post(f"/api/v1/jobs/{job_id}/claim", json={"session_id": SESSION}).status_code == 404


def replay(liar: Liar) -> None:
    liar.deceive()
    answer = liar.send(liar.record(liar.executions()[0], output_sha256=FALSE, work_wall_ns=1)).json()
    assert (answer["stored"], answer["known"]) == (0, 1)


def proof_of_another_output(liar: Liar) -> None:
    with liar.served.database.write() as session:
        own = update(Build).where(Build.agent_id == liar.agent_id)
        session.execute(own.values(source_sha256=own_source_sha256()))
    assert prove(liar, liar.agent_id).status_code == 200
    with liar.served.database.read() as session:
        build = select(Build.id).where(Build.agent_id == liar.agent_id).scalar_subquery()
        proof = select(Proof.passed).where(Proof.build_id == build, Proof.algorithm == KNOWN)
        assert session.scalars(proof.where(Proof.provider == "botan")).one() is False


def proof_of_a_foreign_build(liar: Liar) -> None:
    assert prove(liar, liar.victim_id).status_code == 404


def prove(liar: Liar, agent_id: str) -> httpx.Response:
    with liar.served.database.read() as session:
        build_key = session.scalars(select(Build.build_key).where(Build.agent_id == agent_id)).one()
    proof = {"provider": "botan", "algorithm": KNOWN, "variant": "ref", "passed": True, "output_sha256": FALSE}
    return liar.client.post(f"/api/v1/builds/{build_key}/proofs", json={"proofs": [proof]})


def flood(liar: Liar) -> None:
    record = liar.record(liar.executions(liar.victim_id)[0], output_sha256=FALSE)
    for number in range(3):
        liar.send(*(record | {"repetition": 1 + (number + n) % 2} for n in range(1000)))


def foreign_claim(liar: Liar) -> None:
    liar.deceive(claim_id=1, work_wall_ns=0)


def scaled(factor: float) -> Callable[[Liar], None]:
    """Return a report whose times are all multiplied, with a true digest."""
    names = {"process_wall_ns": 4_100_000, "work_wall_ns": 4_000_000, "work_cpu_ns": 3_900_000,
             "encrypt_wall_ns": 800_000, "decrypt_wall_ns": 800_000}  # fmt: skip
    return lambda liar: liar.deceive(**{name: round(value * factor) for name, value in names.items()})


def report_checks(liar: Liar) -> None:
    """Report three health checks, in which a MiB takes as long as in the records: 4 ms for 4 MiB."""
    with liar.served.database.read() as session:
        build_key = session.scalars(select(Build.build_key).where(Build.agent_id == liar.agent_id)).one()
    _, case = liar.executions()[0]
    for number in range(3):
        check = health_check(build_key=build_key, control_wall_ns=10**6)
        check["checked_at"] = (datetime.now(UTC) - timedelta(hours=number)).isoformat()
        check["control"] |= {name: getattr(case, name) for name in ("provider", "algorithm", "variant")}
        liar.client.post("/api/v1/health-checks", json=check).raise_for_status()


def control_spared(liar: Liar) -> None:
    """Halve the times of all records, but not those of the health checks."""
    report_checks(liar)
    liar.claim_all()
    halved = {"work_wall_ns": 2_000_000, "process_wall_ns": 2_100_000, "work_cpu_ns": 1_900_000}
    liar.send(*(liar.record(row, **halved) for row in liar.executions())).raise_for_status()


def with_inventory(changes: Document, record: Document) -> Callable[[Liar], None]:
    """Return a report after another inventory."""

    def deceive(liar: Liar) -> None:
        report = inventory(host_name=liar.agent_id, **changes)
        liar.client.post("/api/v1/inventories", json=report).raise_for_status()
        liar.deceive(inventory_sha256=report["sha256"], **record)

    return deceive


CLOCK = {"processor": inventory()["inventory"]["processor"] | {"max_frequency_hz": 10**15}}

NOT_PROVEN = ("time: all × 0.5", "time: all × 0.9", "time: all × 0.5 but in health checks")
"""Their times stay, as the word of the agent: docs/security.md."""

# Name: the false report that it must be noted as (None: refused, without effect, or not found), whether it is proven.
DECEPTIONS: dict[str, tuple[Callable[[Liar], None], str | None, bool]] = {
    "digest: contradicts the service": (
        lambda liar: liar.deceive(output_sha256=FALSE), "digest-contradicted", True,
    ),
    "digest: two own providers agree": (own_providers_agree, None, False),
    "digest: repetitions differ": (repetitions_differ, None, False),
    "digest: absent": (no_digest, None, False),
    "time: 0 ns of work": (lambda liar: liar.deceive(work_wall_ns=0), "impossible-time", True),
    "time: 2^63-1 ns": (lambda liar: liar.deceive(process_wall_ns=LATEST), "impossible-time", True),
    "time: 1e308 ns": (lambda liar: liar.deceive(call_wall_ns=1e308), "impossible-time", True),
    "time: work longer than its process": (
        lambda liar: liar.deceive(work_wall_ns=4_200_000), "impossible-time", True,
    ),
    "time: phases longer than the work": (
        lambda liar: liar.deceive(encrypt_wall_ns=3_900_000), "impossible-time", True,
    ),
    "time: faster than the memory": (lambda liar: liar.deceive(encrypt_wall_ns=7), "impossible-time", True),
    "time: below the rounds of its cipher": (
        lambda liar: liar.deceive(encrypt_wall_ns=300_000), "impossible-time", True,
    ),
    # A smaller factor fits into the time since the claim where the machine is busy.
    "time: all × 1 000 000": (scaled(1_000_000), "claim-exceeded", True),
    "time: all × 0.02": (scaled(0.02), "impossible-time", True),
    "time: all × 0.5": (scaled(0.5), None, False),
    "time: all × 0.9": (scaled(0.9), None, False),
    "time: all × 0.5 but in health checks": (control_spared, "faster-than-control", False),
    "inventory: a clock of 1e15 Hz": (with_inventory(CLOCK, {"encrypt_wall_ns": 7}), "impossible-time", True),
    "inventory: another device": (with_inventory({"device_model": "Raspberry Pi 9"}, {}), None, False),
    "time: more CPU than cores": (lambda liar: liar.deceive(work_cpu_ns=10**12), "impossible-time", True),
    "time: longer than since the claim": (
        lambda liar: liar.deceive(process_wall_ns=3600 * 10**9), "claim-exceeded", True,
    ),
    "clock: begun after its arrival": (lambda liar: liar.deceive(since_claim_ns=3600 * 10**9), "claim-exceeded", True),
    "clock: started in 2099": (lambda liar: liar.deceive(started_at="2099-01-01T00:00:00Z"), None, False),
    "job: another agent's finished execution": (foreign_finished, "foreign-record", True),
    "job: another agent's executions of two providers": (foreign_provider_pair, "foreign-record", True),
    "job: never claimed": (never_claimed, "unclaimed-record", False),
    "job: another job's number": (another_job, "unclaimed-record", False),
    "job: claim of another agent's job": (claim_of_a_foreign_job, None, False),
    "replay: another result of its own execution": (replay, None, False),
    "replay: the claim of another agent": (foreign_claim, "impossible-time", True),
    "proof: another output": (proof_of_another_output, "known-answers-differ", True),
    "proof: of another agent's build": (proof_of_a_foreign_build, None, False),
    "flood: 3000 records for another agent": (flood, "foreign-record", True),
}  # fmt: skip


@dataclass
class Scene:
    """The service with its agents, and the honest results before any deception."""

    served: Served
    viewer: httpx.Client
    ids: dict[str, str]
    before: list[Document]

    def honest_results(self) -> list[Document]:
        columns = ("id", "state", "failure", "work_wall_ns", "phase_wall_ns", "output_sha256", "started_at")
        with self.served.database.read() as session:
            rows = session.scalars(
                select(Execution)
                .join(Case, Case.id == Execution.case_id)
                .where(Case.agent_id.in_([self.ids[name] for name in HONEST]))
                .order_by(Execution.id)
            )
            return [{name: getattr(row, name) for name in columns} for row in rows]

    def judge(self) -> None:
        while resolve_pending(self.served.database, self.served.settings):
            pass
        with self.served.database.read() as session:
            run_id = session.scalars(select(Case.run_id)).first() or ""
        assert catch_up(self.served.database, run_id).changes == 0

    def liar(self, name: str) -> Liar:
        agent_id = self.ids[name]
        client = self.served.client("agent", agent_id)
        return Liar(self.served, agent_id, client, self.ids[HONEST[0]])


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder: Path = tmp_path_factory.mktemp("malicious")
    with serve(folder) as served:
        add_chunks(served.settings.corpus_folder, ["text"], [4 * MIB])
        store = chunk_store(served.settings.corpus_folder)
        runners = dict.fromkeys(("cryptopp", "botan"), (KNOWN, UNKNOWN))
        names = [*HONEST, CAUGHT, *(f"liar-{number}" for number in range(len(DECEPTIONS)))]
        with served.database.write() as session:
            found = {name: add_agent(session, name, runners) for name in names}
        matrix = {
            "providers": [*runners],
            "algorithms": [KNOWN, UNKNOWN],
            "inputs": {"kinds": ["text"], "sizes": ["4 MiB"]},
        }
        plan = {"version": 1, "name": "deceptions", "repetitions": 6, "matrix": [matrix]}
        with served.client("submitter") as submitter, ExitStack() as stack:
            submitter.post("/api/v1/runs", json={"plan": plan}).raise_for_status()
            while lay_out_next(served.database, served.settings):
                pass
            with served.database.write() as session:
                session.execute(update(Job).values(state="sent", sent_at=datetime.now(UTC)))
                sha256 = session.scalars(select(Case.input_sha256)).first() or ""
            with store.open_verified(sha256) as file:
                TRUTH[KNOWN] = output_sha256(KNOWN, file_blocks(file)) or ""
            ids = dict(zip([*HONEST, CAUGHT, *DECEPTIONS], found.values(), strict=True))
            made = Scene(served, submitter, ids, [])
            for name in HONEST:
                agent = made.liar(name)
                agent.session_id = SESSION
                stack.enter_context(agent.client)
                report_checks(agent)
                agent.claim_all()
                rows = [*agent.executions(), *agent.executions(algorithm=UNKNOWN)]
                # Several jobs: each record names the claim of its own.
                answer = agent.send(*(agent.record(row, claim_id=None, since_claim_ns=None) for row in rows)).json()
                assert (answer["stored"], answer["refused"]) == (len(rows), {})
            made.judge()
            made.before = made.honest_results()
            assert {row["state"] for row in made.before} == {"ok"}
            yield made


@pytest.mark.parametrize("name", DECEPTIONS)
def test_deception_changes_no_result_of_others_and_is_named(scene: Scene, name: str) -> None:
    deceive, kind, proven = DECEPTIONS[name]
    liar = scene.liar(name)
    with liar.client:
        deceive(liar)
    scene.judge()
    assert scene.honest_results() == scene.before
    with scene.served.database.read() as session:
        agent = session.get_one(Agent, liar.agent_id)
        reports = session.scalars(select(FalseReport).where(FalseReport.agent_id == liar.agent_id)).all()
    assert [(one.kind, one.proven) for one in reports] == ([] if kind is None else [(kind, proven)])
    assert (agent.health == "quarantined", agent.distrusted_at is not None) == (proven, proven)
    if reports:
        page = scene.viewer.get(f"/agents/{liar.agent_id}", headers={"Accept": "text/html"}).text
        assert "Reports that cannot be true" in page
        assert reports[0].detail.split(" ")[0] in page
    # No false time or digest is an ok result of the liar itself.
    with scene.served.database.read() as session:
        ok = session.scalars(
            select(Execution)
            .join(Case, Case.id == Execution.case_id)
            .where(Case.agent_id == liar.agent_id, Execution.state == "ok")
        ).all()
    assert all(row.output_sha256 in TRUTH.values() for row in ok)
    assert name in NOT_PROVEN or all(row.work_wall_ns == 4_000_000 for row in ok)
    assert all(row.started_at and row.started_at <= datetime.now(UTC) for row in ok)


def test_no_health_check_but_an_admin_ends_the_quarantine(scene: Scene) -> None:
    liar = scene.liar(CAUGHT)
    with liar.client, scene.served.client("admin") as admin:
        liar.deceive(work_wall_ns=0)
        for _ in range(2):
            answer = admin.get(f"/api/v1/agents/{liar.agent_id}").json()
            assert (answer["health"], bool(answer["distrusted_at"])) == ("quarantined", True)
            with scene.served.database.read() as session:
                build_key = session.scalars(select(Build.build_key).where(Build.agent_id == liar.agent_id)).one()
            liar.client.post("/api/v1/health-checks", json=health_check(build_key=build_key)).raise_for_status()
        assert scene.viewer.post(f"/api/v1/agents/{liar.agent_id}/trust").status_code == 403
        trusted = admin.post(f"/api/v1/agents/{liar.agent_id}/trust").raise_for_status().json()
    assert (trusted["health"], trusted["distrusted_at"]) == ("unchecked", None)
    assert trusted["false_reports"][0]["lifted_at"]


@pytest.mark.long
def test_answer_names_the_agent_whose_health_checks_contradict_it_and_no_honest_one(scene: Scene) -> None:
    liar = scene.liar("time: all × 0.5 but in health checks")
    with liar.client:
        control_spared(liar)
    scene.judge()
    honest = [scene.ids[name] for name in HONEST]
    with scene.served.database.read() as session:
        assert session.scalars(select(FalseReport).where(FalseReport.agent_id.in_(honest))).all() == []
    words = "It reported times that its own health checks contradict."
    named = {agent_id for agent_id in (liar.agent_id, *honest) if words in answer_of(scene, agent_id)["times"]}
    assert named == {liar.agent_id}


def of_agent(answer: Document, agent_id: str) -> Document:
    return dict(next(one for one in answer["agents"] if one["agent_id"] == agent_id))


def answer_of(scene: Scene, agent_id: str, path: str = "answer") -> Document:
    with scene.served.database.read() as session:
        run_id = session.scalars(select(Case.run_id)).first()
    return of_agent(scene.viewer.get(f"/api/v1/runs/{run_id}/{path}").raise_for_status().json(), agent_id)


class TestFinishedResults:
    """Finding S102: an agent rewrote its finished runs by its later reports."""

    def test_later_inventory_and_health_change_no_answer(self, scene: Scene) -> None:
        agent_id = scene.ids[HONEST[1]]
        before = answer_of(scene, agent_id)
        assert before["differences"] == ""
        false = inventory(device_model="Cray EX254n", emulated=True, kernel="9.9")
        with scene.served.client("agent", agent_id) as agent:
            agent.post("/api/v1/inventories", json=false).raise_for_status()
            with scene.served.database.write() as session:
                build = session.scalars(select(Build).where(Build.agent_id == agent_id)).one()
                floor = {"kind": "noise-floor", "value": 0.9, "unit": "share of work_wall_ns", "detail": {}}
                session.add(Calibration(agent_id=agent_id, build_id=build.id, **floor))
                key = build.build_key
            agent.post("/api/v1/health-checks", json=health_check(build_key=key)).raise_for_status()
        words = "Differs from the device's present state: device and kernel."
        assert answer_of(scene, agent_id) == before | {"differences": words}
        with scene.served.database.read() as session:
            run_id = session.scalars(select(Case.run_id)).first()
        page = scene.viewer.get(f"/runs/{run_id}", headers={"Accept": "text/html"}).text
        assert words.replace("'", "&#39;") in page
        assert "Cray" not in page


class TestWithdrawnResults:
    """Finding S107: a proven liar stayed first in earlier runs."""

    def test_results_of_a_distrusted_agent_have_no_rank_until_it_is_trusted(self, scene: Scene) -> None:
        agent_id = scene.ids[HONEST[0]]
        ranks = [row["rank"] for row in answer_of(scene, agent_id)["rows"]]
        assert None not in ranks
        with scene.served.database.write() as session:
            trust.note(session, agent_id, [Finding("impossible-time", "for a test")])
            run_id = session.scalars(select(Case.run_id)).first()
        try:
            withdrawn = answer_of(scene, agent_id)
            assert [(row["rank"], row["reason"]) for row in withdrawn["rows"]] == [(None, WITHDRAWN)] * len(ranks)
            assert WITHDRAWN in withdrawn["sentence"]
            exact = answer_of(scene, agent_id, "answer?measure=source-lines")
            assert {row["rank"] for row in exact["rows"]} == {None}
            sides = [f"{run_id},agent={HONEST[0]},provider={provider}" for provider in ("cryptopp", "botan")]
            refused = scene.viewer.get("/api/v1/comparisons", params={"run": sides})
            assert (refused.status_code, WITHDRAWN in refused.json()["detail"]) == (409, True)
            rows = rows_of_csv(scene.viewer.get(f"/api/v1/runs/{run_id}/export?format=csv").text)
            assert {row["withdrawn"] for row in rows if row["agent_id"] == agent_id} == {"true"}
        finally:
            with scene.served.database.write() as session:
                trust.trust(session, agent_id)
        assert [row["rank"] for row in answer_of(scene, agent_id)["rows"]] == ranks
