"""Rights of actors on objects: every route of the application, tried as every actor.

`ROWS` states who may, without a look at the roles in the code. A new route without a row fails
`test_every_route_has_a_row`. An operation that may change its object is tried on the actor's own object, on that of
another token with the same role, on an admin's and on one without an owner; without credentials on one of them.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from fastapi.routing import iter_route_contexts

from orchestrator.database.models import Build, BuildRequest, Import, Job, Run, Watch
from orchestrator.service.audit.actions import ACTIONS
from orchestrator.service.security import tokens
from tests.support import agent_reports as reports
from tests.support.actors import ACTORS, NUMBERS, Actor, World, new_agent
from tests.support.live_service import Served, serve
from tests.support.offers import SESSION, add_agent, add_build
from tests.support.untraced import untraced, untraced_with_all_it_starts
from tests.support.waiting import GENEROUS_SECONDS

OWN, SAME_ROLES, ADMINS, UNOWNED = "own", "of another token with the same role", "of an admin", "without an owner"


@dataclass(frozen=True)
class May:
    """Rights to call an operation."""

    roles: str = ""
    """Roles that may call it for each object; `anyone` also without credentials."""
    own: str = ""
    """Roles that may call it for their own object only."""
    tokens_only: bool = False
    """Sessions of the dashboard may not, whatever their role."""
    hides: bool = False
    """An object of another owner of such a role does not exist for the caller: 404 in place of 403."""

    def expected(self, actor: Actor, relation: str | None) -> int:
        """Return 401, 403 or 404, and 200 for all else."""
        if self.roles == "anyone":
            return 200
        if not actor.role:
            return 401
        if self.tokens_only and actor.is_session:
            return 403
        if actor.role in self.roles.split():
            return 200
        if actor.role in self.own.split():
            return 200 if relation == OWN else 404 if self.hides else 403
        return 403


ANYONE = May("anyone")
READERS = May("viewer submitter admin")
SUBMITTERS = May("submitter admin")
OWNER = May("admin", own="submitter")
ADMIN = May("admin")
AGENTS = May("agent")
OWN_AGENT = May(own="agent", hides=True)
DEVICES = May("viewer submitter admin agent join")


@dataclass(frozen=True)
class Try:
    """An object and a body with which an operation is tried."""

    may: May
    body: Any = None
    """JSON of the API, or the fields of a form, or a function that returns them; None: ``{}``."""
    object_of: Callable[[World, Actor, str], Mapping[str, object]] | None = None
    """Function that makes the object of a relation and returns the parameters of its path."""
    relations: Sequence[str] = (OWN, SAME_ROLES, ADMINS, UNOWNED)
    is_fresh: bool = False
    """Whether the operation ends the credentials of its caller."""


def _owner(world: World, actor: Actor, relation: str) -> str | None:
    if relation == OWN:
        return actor.family_id
    role: tokens.Role = "admin" if relation == ADMINS else "submitter"
    return None if relation == UNOWNED else world.token(role)[0].family_id


def _run(state: str) -> Callable[[World, Actor, str], Mapping[str, object]]:
    def _made(world: World, actor: Actor, relation: str) -> Mapping[str, object]:
        return {"run_id": world.add(_run_of(state, _owner(world, actor, relation)))}

    return _made


def _run_of(state: str, owner_id: str | None = None) -> Run:
    run_id = f"run{next(NUMBERS):09}"
    return Run(
        id=run_id, name="x", plan={}, seed=1, state=state, executions_total=0, submitted_by="laptop", owner_id=owner_id
    )


def _share(world: World, actor: Actor, relation: str) -> Mapping[str, object]:
    run_id = world.add(_run_of("finished"))
    made, link = world.share(run_id, _owner(world, actor, relation))
    return {"run_id": run_id, "token_id": made.id, "link": link}


def _watch(world: World, actor: Actor, relation: str) -> Mapping[str, object]:
    name = f"watch-{next(NUMBERS)}"
    owner_id = _owner(world, actor, relation)
    world.add(Watch(id=name, name=name, plan={}, every_seconds=86_400, outlets=[], paused=True, owner_id=owner_id))
    return {"watch_id": name}


def _import(world: World, actor: Actor, relation: str) -> Mapping[str, object]:
    number = next(NUMBERS)
    row = Import(
        id=f"i{number:011}", format="pyperf", name="x", sha256=f"{number:064}", facts={}, omissions=[], series_total=0,
        readings_total=0, imported_by="laptop", owner_id=_owner(world, actor, relation),
    )  # fmt: skip
    return {"import_id": world.add(row)}


def _token(world: World, actor: Actor, relation: str) -> Mapping[str, object]:
    return {"token_id": (relation == OWN and actor.token_id) or world.token("viewer")[0].id}


def _self(_world: World, _actor: Actor, _relation: str) -> Mapping[str, object]:
    return {"token_id": "self"}


def _agent_id(world: World, actor: Actor, relation: str) -> str:
    return (relation == OWN and actor.agent_id) or world.stranger_id


def _other_agent(world: World, actor: Actor, relation: str) -> Mapping[str, object]:
    return {"agent_id": actor.agent_id if relation == OWN and actor.agent_id else new_agent(world, "other").agent_id}


def _job(world: World, actor: Actor, relation: str) -> Mapping[str, object]:
    run, agent_id = _run_of("running"), _agent_id(world, actor, relation)
    job = Job(run_id=run.id, agent_id=agent_id, number=1, state="sent", executions_total=1)
    return {"job_id": world.add(run, job)}


def _build(world: World, actor: Actor, relation: str) -> Mapping[str, object]:
    agent_id = _agent_id(world, actor, relation)
    with world.served.database.write() as session:
        build_id = add_build(session, agent_id, {"own": ("aes-128-ctr",)})
        key = f"{next(NUMBERS):064}"
        session.get_one(Build, build_id).build_key = key
    return {"build": key, "build_key": key}


def _build_request(world: World, actor: Actor, relation: str) -> Mapping[str, object]:
    agent_id, key = _agent_id(world, actor, relation), f"{next(NUMBERS):064}"
    return {"request_id": world.add(BuildRequest(agent_id=agent_id, toolchain_key=key, toolchain={}))}


def _own_agents(body: Any, made: Callable[[World, Actor, str], Mapping[str, object]]) -> Try:
    return Try(OWN_AGENT, body, made, (OWN, ADMINS))


FOOTPRINT = {
    "provider": "own", "algorithm": "aes-128-ctr", "variant": "ref", "reason": "no compiler",
    **dict.fromkeys(("code_bytes", "static_ram_bytes", "context_bytes", "stack_bytes")),
}  # fmt: skip
CONSTANT_TIME = {
    "provider": "own", "algorithm": "aes-128-ctr", "variant": "ref", "errors": None, "reason": "no valgrind", "t": None,
    "timing_reason": "not measured",
}  # fmt: skip
ANSWER = {"challenge_id": 1, "error": "x"}
EMAIL = {"name": "x", "plan": {}, "every_seconds": 86_400, "outlets": [{"kind": "email", "target": "a@example.org"}]}
REVOKE = May("admin", own="agent")
ROTATE = May("admin", own="viewer submitter agent", tokens_only=True)


def rows(may: May, text: str, *tries: Try) -> dict[str, tuple[Try, ...]]:
    """Return a row for each line of a text: method and path below /api/v1, or of a page."""
    return dict.fromkeys((line.strip() for line in text.strip().splitlines()), tries or (Try(may),))


API_ROWS = {
    **rows(ANYONE, """
        GET /openapi.json
        GET /health
        POST /sessions
        GET /downloads/join.sh
    """),
    **rows(READERS, """
        GET /readiness
        POST /plans/preview
        GET /plans/keys
        GET /runs
        GET /runs/{run_id}
        GET /runs/{run_id}/omissions
        GET /runs/{run_id}/jobs
        GET /runs/{run_id}/events
        GET /runs/{run_id}/preflight
        GET /runs/{run_id}/executions
        GET /runs/{run_id}/answer
        GET /runs/{run_id}/throughput
        GET /runs/{run_id}/latency
        GET /runs/{run_id}/scaling
        GET /runs/{run_id}/masking
        GET /runs/{run_id}/export
        GET /runs/{run_id}/cases
        POST /runs/{run_id}/traffic
        POST /histograms
        GET /events
        GET /agents
        GET /agents/{agent_id}
        GET /agents/{agent_id}/inventories
        GET /agents/{agent_id}/health-checks
        GET /agents/{agent_id}/sensor-readings
        GET /agents/{agent_id}/preflight
        GET /build-requests
        GET /builds
        GET /builds/{build_id}
        GET /builds/{build}/proofs
        GET /builds/{build}/sources
        GET /builds/{build}/footprints
        GET /builds/{build}/constant-time
        GET /executions/{execution_id}
        GET /executions/{execution_id}/curve
        GET /executions/{execution_id}/timings
        GET /cases/{case_id}
        GET /comparisons
        GET /comparisons/sides
        GET /papers
        GET /papers/{name}
        GET /papers/{name}/verdicts
        GET /papers/{name}/side-by-side
        GET /papers/{name}/drawings
        GET /papers/{name}/bundle
        GET /papers/{name}/report
        GET /page-file
        GET /watches
        GET /watches/{watch_id}
        GET /regressions
        GET /imports
        GET /import-formats
        GET /imports/{import_id}
        GET /imports/{import_id}/series
        GET /imports/{import_id}/series/{position}
    """),
    **rows(DEVICES, """
        GET /downloads
        GET /downloads/runner-source
        GET /downloads/agent-wheel
        GET /downloads/agent-requirements
        GET /downloads/cross-builds
        GET /downloads/cross-builds/{machine}
    """),
    **rows(May("viewer submitter admin agent"), "GET /chunks"),
    **rows(May("submitter admin agent"), "GET /chunks/{sha256}"),
    **rows(SUBMITTERS, """
        POST /runs
        POST /imports
    """),
    "POST /watches": (Try(SUBMITTERS), Try(ADMIN, EMAIL)),
    "POST /agents/{agent_id}/health-check": (Try(SUBMITTERS), Try(ADMIN, {"accept": True})),
    "PATCH /runs/{run_id}": (Try(OWNER, {"tags": ["x"]}, _run("finished")),),
    "DELETE /runs/{run_id}": (Try(OWNER, None, _run("finished")),),
    "POST /runs/{run_id}/cancel": (Try(OWNER, None, _run("running")),),
    "POST /runs/{run_id}/pause": (Try(OWNER, None, _run("running")),),
    "POST /runs/{run_id}/resume": (Try(OWNER, None, _run("paused")),),
    "POST /runs/{run_id}/shares": (Try(May("submitter admin", tokens_only=True), None, _run("finished")),),
    "DELETE /runs/{run_id}/shares/{token_id}": (Try(OWNER, None, _share, (OWN, SAME_ROLES, ADMINS)),),
    "PATCH /watches/{watch_id}": (Try(OWNER, {"paused": True}, _watch),),
    "DELETE /watches/{watch_id}": (Try(OWNER, None, _watch),),
    "DELETE /imports/{import_id}": (Try(OWNER, None, _import),),
    **rows(ADMIN, """
        GET /tokens
        GET /audit
        GET /audit/export
        PATCH /agents/{agent_id}
        POST /agents/{agent_id}/approve
        POST /agents/{agent_id}/trust
    """),
    "POST /invitations": (Try(ADMIN, {"name": "two words"}),),
    "DELETE /tokens/{token_id}": (Try(ADMIN, None, _token, is_fresh=True),),
    "POST /tokens": (Try(May("admin", tokens_only=True), {"role": "viewer"}),),
    "POST /login-codes": (Try(May("submitter admin", tokens_only=True)),),
    "POST /tokens/{token_id}/rotate": (Try(ROTATE, None, _token), Try(ROTATE, None, _self, (OWN,))),
    "DELETE /sessions": (Try(ANYONE, is_fresh=True),),
    "POST /agents": (Try(May("join admin")),),
    "POST /agents/{agent_id}/revoke": (Try(REVOKE, None, _other_agent, (OWN, ADMINS)),),
    **rows(AGENTS, """
        POST /heartbeats
        POST /health-checks
        POST /inventories
        POST /preflight-reports
        POST /builds
        POST /calibrations
        POST /records
    """),
    "POST /jobs/{job_id}/claim": (_own_agents({"session_id": SESSION}, _job),),
    "POST /jobs/{job_id}/release": (_own_agents({"session_id": SESSION, "reason": "paused"}, _job),),
    "POST /builds/{build}/proofs": (_own_agents({"proofs": [reports.proof()]}, _build),),
    "POST /builds/{build_key}/challenge-answers": (_own_agents({"answers": [ANSWER]}, _build),),
    "POST /builds/{build}/footprints": (_own_agents({"footprints": [FOOTPRINT]}, _build),),
    "POST /builds/{build}/constant-time": (_own_agents({"results": [CONSTANT_TIME]}, _build),),
    "POST /build-requests/{request_id}/outcome": (_own_agents({"failure": "no compiler"}, _build_request),),
}  # fmt: skip
PAGE_ROWS = {
    **rows(ANYONE, """
        GET /static/{name}
        GET /login
        GET /licenses
    """),
    "POST /login": (Try(ANYONE, lambda world: {"code": world.login_code()}),),
    "POST /logout": (Try(ANYONE, is_fresh=True),),
    "GET /audit": (Try(ADMIN),),
    "GET /shared/{link}": (Try(ANYONE, None, _share, (UNOWNED,)),),
    "POST /plans/new": (Try(READERS), Try(SUBMITTERS, {"do": "submit"})),
    "POST /agents/add": (Try(ADMIN, {"name": "two words"}),),
    **rows(READERS, """
        GET /
        GET /runs/{run_id}
        GET /runs/{run_id}/answer
        GET /runs/{run_id}/scaling
        GET /runs/{run_id}/masking
        GET /runs/{run_id}/winner
        GET /runs/{run_id}/traffic
        GET /runs/{run_id}/charts/latency.{form}
        GET /runs/{run_id}/charts/relative.{form}
        GET /runs/{run_id}/charts/scaling.{form}
        GET /runs/{run_id}/charts/front.{form}
        GET /runs/{run_id}/charts/lengths.{form}
        GET /runs/{run_id}/charts/throughput.{form}
        GET /runs/{run_id}/charts/toolchains.{form}
        GET /compare
        GET /compare/charts/ratios.{form}
        GET /cases/{case_id}
        GET /executions/{execution_id}
        GET /executions/{execution_id}/charts/memory.{form}
        GET /executions/{execution_id}/charts/timings.{form}
        GET /plans/new
        GET /agents
        GET /agents/add
        GET /agents/{agent_id}
        GET /agents/{agent_id}/charts/health.{form}
        GET /agents/{agent_id}/charts/sensors.{form}
        GET /builds/{build_id}
        GET /papers
        GET /papers/{name}
        GET /papers/{name}/charts/drawing/{drawing}.{form}
        GET /papers/{name}/charts/published.{form}
        GET /imports
        GET /imports/{import_id}
        GET /watches
        GET /watches/{watch_id}
        GET /watches/{watch_id}/charts/history.{form}
    """),
}  # fmt: skip
# Pages first, while there is nothing that they list.
ROWS = {
    **PAGE_ROWS,
    **{key.replace(" ", " /api/v1", 1): tries for key, tries in API_ROWS.items()},
}
ON_A_NETWORK = {"host": "0.0.0.0", "insecure_lan": True}
VALUES = {"sha256": "0" * 64, "build": "0" * 64, "build_key": "0" * 64, "form": "html", "name": "nothing"}
"""Parameters of paths that no object fills; an absent object is found absent after the caller was admitted."""


@contextmanager
def opened_world(folder: Path, cache_folder: Path, **settings: object) -> Iterator[World]:
    """Serve a service with an agent that is no actor's."""
    with serve(folder, cache_folder=cache_folder, **settings) as served:
        with served.database.write() as session:
            stranger_id = add_agent(session, "stranger", runners={})
        with closing(connected(served)) as connection:
            yield World(served, connection, stranger_id)


@pytest.fixture(scope="module")
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache for all services of this file, so that one wheel is made."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, cache_folder: Path) -> Iterator[World]:
    with opened_world(tmp_path_factory.mktemp("access"), cache_folder, **ON_A_NETWORK) as world:
        yield world


@pytest.fixture(scope="module")
def other_world(tmp_path_factory: pytest.TempPathFactory, cache_folder: Path) -> Iterator[World]:
    """A second service, for refusals that execute the same few lines thousands of times: it is not traced."""
    with ExitStack() as stack:
        with untraced_with_all_it_starts():
            folder = tmp_path_factory.mktemp("other")
            world = stack.enter_context(opened_world(folder, cache_folder, **ON_A_NETWORK))
            # It starts the thread that executes its endpoints.
            seen(world, "GET /api/v1/runs", Actor("no token"), Try(READERS), {})
        yield world


def connected(served: Served) -> HTTPConnection:
    """Return a connection to the service; the caller closes it."""
    return HTTPConnection(served.url.removeprefix("http://"), timeout=GENEROUS_SECONDS)


Place = tuple[World, Mapping[str, Actor]]
"""A service, with actors whose credentials no operation ends, by name."""


@pytest.fixture(scope="module")
def places(world: World, other_world: World) -> list[Place]:
    """Return both services with the same actors; the first is traced."""
    return [(one, {name: make(one, name) for name, make in ACTORS.items()}) for one in (world, other_world)]


def seen(world: World, route: str, actor: Actor, tried: Try, parameters: Mapping[str, object]) -> int:
    """Return the status of a request, or 200 if it was admitted: what it then found missing or wrong does not matter.

    For every actor, the response is neither stored nor sniffed.
    A request with an object must also find it and be understood, or no rule about its owner was tried.
    """
    method, _, template = route.partition(" ")
    values = {**VALUES, **parameters}
    path = re.sub(r"\{(\w+)[^}]*\}", lambda found: str(values.get(found[1], "1")), template)
    content = (tried.body(world) if callable(tried.body) else tried.body) or {}
    is_api = template.startswith("/api/")
    headers = {"Content-Type": "application/json" if is_api else "application/x-www-form-urlencoded", **actor.headers}
    body = None if method == "GET" else json.dumps(content) if is_api else urlencode(content)
    try:
        world.connection.request(method, path, body, headers)
        answer = world.connection.getresponse()
    except (BrokenPipeError, ConnectionResetError):  # It was idle for too long; nothing was executed.
        world.connection.close()
        world.connection.request(method, path, body, headers)
        answer = world.connection.getresponse()
    status = answer.status
    may_be_kept = path.startswith("/static/") or path.endswith(("/downloads/join.sh", VALUES["sha256"]))
    assert may_be_kept or answer.headers["cache-control"] == "no-store", (route, actor.name)
    assert answer.headers["x-content-type-options"] == "nosniff", (route, actor.name)
    if answer.headers.get_content_type() == "text/event-stream":
        world.connection.close()  # It never ends; the next request connects again.
    else:
        answer.read()
    refusals = (401, 403, 404, 415, 422) if tried.object_of else (401, 403)
    return 200 if status == 503 or (status < 500 and status not in refusals) else status


def cell(place: Place, name: str, tried: Try, relation: str | None) -> tuple[Actor, Mapping[str, object]]:
    """Return the actor and the parameters of a cell."""
    world, actors = place
    if tried.object_of is None and not tried.is_fresh:
        return actors[name], {}
    actor = ACTORS[name](world, name)
    return actor, tried.object_of(world, actor, relation or OWN) if tried.object_of else {}


@pytest.mark.parametrize("route", ROWS)
@untraced()
def test_route_admits_exactly_those_who_may(places: list[Place], route: str) -> None:
    surprises = []
    for number, tried in enumerate(ROWS[route]):
        relations = tried.relations if tried.object_of else (None,)
        for relation, name in product(relations, ACTORS):
            if relation != relations[0] and not places[0][1][name].role:
                continue  # Without credentials there is no object of its own.
            expected = tried.may.expected(places[0][1][name], relation)
            # Refusals of objects of others, and those that depend on a body, have code of their own.
            place = places[0] if expected == 200 or relation in relations[1:2] or tried.body else places[1]
            actor, parameters = cell(place, name, tried, relation)
            found = seen(place[0], route, actor, tried, parameters)
            if found != expected:
                surprises.append((number, name, relation, f"expected {expected}", f"seen {found}"))
    assert surprises == []


def test_on_loopback_a_user_without_a_token_reads_and_nothing_else(tmp_path: Path, cache_folder: Path) -> None:
    surprises = []
    with untraced_with_all_it_starts(), opened_world(tmp_path, cache_folder) as world:
        for route, tries in ROWS.items():
            # An object of a rotation or deletion belongs to a token, and a share link is one: this user has none.
            for tried in tries:
                reads = "viewer" in tried.may.roles.split() or (tried.may == ANYONE and tried.object_of is None)
                found = seen(world, route, Actor("local user"), replace(tried, object_of=None), {})
                if (found == 200) != reads:
                    surprises.append((route, found))
    assert surprises == []


def routes_of(world: World) -> dict[str, str]:
    """Return the name of the endpoint's function by method and path."""
    return {
        f"{method} {context.path_format}": str(context.name)
        for context in iter_route_contexts(world.served.app.routes)
        for method in (context.methods or ())
        if method != "HEAD"
    }


def test_every_route_has_a_row(world: World) -> None:
    assert routes_of(world).keys() == ROWS.keys()


def test_deletions_and_what_only_admins_may_change_are_audited(world: World) -> None:
    audited = {
        route
        for route, tries in ROWS.items()
        if route.startswith("DELETE ") or (not route.startswith("GET ") and any(one.may == ADMIN for one in tries))
    }
    # Adding a watch is no change of rights, with or without email.
    assert {route for route in audited if routes_of(world)[route] not in ACTIONS} == {"POST /api/v1/watches"}
