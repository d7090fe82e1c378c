"""Measured runs of calls in files: kept from the database of a real service, and stored into that of a test.

A file has what answers read: the agents and their inventories, the builds with the implementations of the run, proofs,
footprints and checks, and the time of each execution. ``python -m tests.support.measured_runs DATABASE RUN FILE``
writes one.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, insert, select
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import (
    Agent,
    Build,
    Case,
    ConstantTimeCheck,
    Execution,
    Footprint,
    Inventory,
    Job,
    Proof,
    Run,
    RunAgent,
    now,
)
from orchestrator.database.rows import stored
from tests.support.database import add_statistics
from tests.support.paths import REPOSITORY
from tests.support.phases import executing
from tests.support.untraced import untraced

FOLDER = REPOSITORY / "tests/fixtures/measured-runs"
Row = dict[str, Any]
_OF_IMPLEMENTATIONS = {"proofs": Proof, "footprints": Footprint, "checks": ConstantTimeCheck}
_AGENT = ("id", "name")
_INVENTORY = ("agent_id", "sha256", "architecture", "emulated", "facts")
_BUILD = ("id", "agent_id", "build_key", "source_sha256", "toolchain", "compiler_version", "is_default")
_RUN = ("id", "name", "plan", "seed", "executions_total", "estimated_seconds")
_TIMES = ("started_at", "stored_at", "checked_at", "proved_at")
_SIGNIFICANT_DIGITS = 5


def names() -> list[str]:
    """Return the names of the runs that are kept in files."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


@untraced()
def store(database: Database, name: str) -> str:
    """Write a kept run, submitted now, with its agents and builds as far as they are missing; return its id."""
    kept = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    with database.write() as session:
        for row in kept["agents"]:
            _add_agent(session, row)
        builds = {row["id"]: _add_build(session, row) for row in kept["builds"]}
        for table, model in _OF_IMPLEMENTATIONS.items():
            for row in kept[table]:
                named = {**row, "build_id": builds[row["build_id"]]}
                keys = {name: named[name] for name in ("build_id", "provider", "algorithm", "variant")}
                if session.query(model).filter_by(**keys).first() is None:
                    session.add(model(**named))
        at = now() - timedelta(seconds=1)
        ended = {"state": "finished", "submitted_at": at, "laid_out_at": at, "started_at": at, "finished_at": now()}
        stored(session, Run(**kept["run"], **ended))
        jobs = {}
        for agent in kept["agents"]:
            share = sum(len(row["call_wall_ns"]) for row in kept["cases"] if row["agent_id"] == agent["id"])
            session.add(
                RunAgent(run_id=kept["run"]["id"], agent_id=agent["id"], executions_total=share, laid_out_at=at)
            )
            jobs[agent["id"]] = Job(
                run_id=kept["run"]["id"], agent_id=agent["id"], number=0, state="done", executions_total=share,
                attempts=1, started_at=at, finished_at=now(),
            )  # fmt: skip
        session.add_all(jobs.values())
        session.flush()
        cases = [_case(row, kept["run"]["id"], builds) for row in kept["cases"]]
        session.add_all(cases)
        session.flush()
        for case, row in zip(cases, kept["cases"], strict=True):
            session.execute(insert(Execution), list(_executions(case, row, jobs[case.agent_id].id)))
    add_statistics(database, cases)
    return str(kept["run"]["id"])


def _add_agent(session: Session, row: Row) -> None:
    if session.get(Agent, row["id"]) is not None:
        return
    inventory = row["inventory"]
    agent = Agent(
        id=row["id"], name=row["name"], approved_at=now(), broker_password_hash="0" * 64, state="ready",
        last_heartbeat_at=now(),
    )  # fmt: skip
    stored(session, agent)
    found = stored(session, Inventory(**inventory))
    agent.inventory_id = found.id


def _add_build(session: Session, row: Row) -> int:
    """Return the id of a build in this database; runs that have it in common list different implementations."""
    build = session.query(Build).filter_by(agent_id=row["agent_id"], build_key=row["build_key"]).one_or_none()
    if build is None:
        build = Build(**{name: value for name, value in row.items() if name != "id"}, missing_providers={})
        session.add(build)
    else:
        build.runners = {**row["runners"], **build.runners}
    session.flush()
    return build.id


def _case(row: Row, run_id: str, builds: Mapping[int, int]) -> Case:
    facts = {name: value for name, value in row.items() if name not in ("call_wall_ns", "disturbed")}
    return Case(**{**executing(facts["operation"]), **facts, "run_id": run_id, "build_id": builds[row["build_id"]]})


def _executions(case: Case, row: Row, job_id: int) -> Iterator[Row]:
    for repetition, call_ns in enumerate(row["call_wall_ns"], 1):
        yield {
            "run_id": case.run_id, "case_id": case.id, "job_id": job_id, "repetition": repetition, "purpose": "timing",
            "position": repetition, "state": "ok", "attempt": 1, "started_at": now(), "stored_at": now(),
            "call_wall_ns": call_ns, "disturbed": repetition in row["disturbed"], "readings": {},
        }  # fmt: skip


def keep(session: Session, run_id: str) -> Row:
    """Return a finished run of calls whose executions all succeeded, with what its answers read."""
    cases = session.scalars(select(Case).where(Case.run_id == run_id).order_by(Case.number)).all()
    builds = session.scalars(select(Build).where(Build.id.in_({case.build_id for case in cases})).order_by(Build.id))
    agents = session.scalars(select(Agent).where(Agent.id.in_({case.agent_id for case in cases})).order_by(Agent.name))
    of_builds = {
        key: {(case.provider, case.algorithm, case.variant) for case in group}
        for key, group in groupby(sorted(cases, key=lambda case: case.build_id), lambda case: case.build_id)
    }
    run = session.get_one(Run, run_id)
    return {
        "run": _columns(run, _RUN),
        "agents": [
            {**_columns(agent, _AGENT), "inventory": _inventory(session.get_one(Inventory, agent.inventory_id))}
            for agent in agents
        ],
        "builds": [_build(build, of_builds[build.id]) for build in builds],
        **{table: list(_of_implementations(session, model, of_builds)) for table, model in _OF_IMPLEMENTATIONS.items()},
        "cases": [_with_times(session, case) for case in cases],
    }  # fmt: skip


def _columns(row: Any, chosen: Iterable[str]) -> Row:
    return {name: value for name in chosen if (value := getattr(row, name)) is not None}


def _inventory(inventory: Inventory) -> Row:
    kept = _columns(inventory, _INVENTORY)
    return {**kept, "facts": {**kept["facts"], "compilers": [], "absent": {}}}


def _build(build: Build, used: set[tuple[str, str, str]]) -> Row:
    runners = {}
    for provider, runner in build.runners.items():
        listing = runner["listing"]
        kept = [one for one in listing["implementations"] if (provider, one["algorithm"], one["variant"]) in used]
        if kept:
            pathless = {name: value for name, value in runner.items() if name != "library_path"}
            runners[provider] = {**pathless, "listing": {**listing, "implementations": kept}}
    sources = [
        {**group, "implementations": kept}
        for group in build.sources or []
        if (kept := [one for one in group["implementations"] if tuple(one) in used])
    ]
    return {**_columns(build, _BUILD), "runners": runners, "sources": sources}


def _of_implementations(
    session: Session,
    model: type[Proof | Footprint | ConstantTimeCheck],
    of_builds: Mapping[int, set[tuple[str, str, str]]],
) -> Iterator[Row]:
    columns = [one.key for one in model.__table__.columns if one.key != "id" and one.key not in _TIMES]
    for row in session.scalars(select(model).where(model.build_id.in_(of_builds)).order_by(model.id)):
        if (row.provider, row.algorithm, row.variant) in of_builds[row.build_id]:
            yield _columns(row, columns)


def _with_times(session: Session, case: Case) -> Row:
    executions = session.scalars(
        select(Execution)
        .where(Execution.case_id == case.id, Execution.purpose == "timing")
        .order_by(Execution.repetition)
    ).all()
    assert all(one.state == "ok" for one in executions), case
    columns = [one.key for one in Case.__table__.columns if one.key not in ("id", "run_id")]
    return {
        **_columns(case, columns),
        "call_wall_ns": [float(f"{one.call_wall_ns:.{_SIGNIFICANT_DIGITS}g}") for one in executions],
        "disturbed": [one.repetition for one in executions if one.disturbed],
    }


def _write(kept: Row, path: Path) -> None:
    """Write a row of each list in a line of its own."""
    parts = []
    for name, value in kept.items():
        lines = ",\n".join(json.dumps(row) for row in value) if isinstance(value, list) else json.dumps(value)
        parts.append(f'"{name}": ' + (f"[\n{lines}\n]" if isinstance(value, list) else lines))
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> None:
    """Keep a run of a database in a file."""
    database, run_id, file = arguments
    with Session(create_engine(f"sqlite:///file:{database}?mode=ro&uri=true")) as session:
        _write(keep(session, run_id), Path(file))


if __name__ == "__main__":
    main(sys.argv[1:])
