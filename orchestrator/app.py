"""FastAPI application of the service: routers, middleware, error handlers, OpenAPI document."""

import json
import warnings
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.warnings import UnsupportedFieldAttributeWarning

from orchestrator import __version__
from orchestrator.agents import endpoints as agents_endpoints
from orchestrator.builds import endpoints as builds_endpoints
from orchestrator.database.engine import Database
from orchestrator.database.integrity import IntegrityThread
from orchestrator.database.usage import in_use
from orchestrator.papers import endpoints as papers_endpoints
from orchestrator.results import endpoints as results_endpoints
from orchestrator.results.cases import endpoints as cases_endpoints
from orchestrator.results.comparisons import endpoints as comparisons_endpoints
from orchestrator.results.imports import endpoints as imports_endpoints
from orchestrator.results.traffic import endpoints as traffic_endpoints
from orchestrator.runs import endpoints as runs_endpoints
from orchestrator.runs.chunks import endpoints as chunks_endpoints
from orchestrator.runs.preflight import endpoints as preflight_endpoints
from orchestrator.service import problems, readiness
from orchestrator.service.audit import endpoints as audit_endpoints
from orchestrator.service.audit.middleware import AuditLog
from orchestrator.service.audit.recorder import AuditRecorder
from orchestrator.service.security import endpoints as tokens_endpoints
from orchestrator.service.security.hosts import HostGuard, rules_for
from orchestrator.service.server.admission import RequestGate
from orchestrator.service.server.compression import Compression
from orchestrator.service.server.headers import SafeHeaders
from orchestrator.shared.settings import ServiceSettings
from orchestrator.watches import endpoints as watches_endpoints
from orchestrator.web import router as web_endpoints
from orchestrator.web.papers.reports import endpoints as report_endpoints
from orchestrator.web.saving import endpoints as saving_endpoints

# About the alias of a body. FastAPI ignores it where it makes the validator of the body; that of a lazy model is made
# later, by the first request.
warnings.filterwarnings("ignore", category=UnsupportedFieldAttributeWarning)

API = "/api/v1"

_API_ROUTERS: Sequence[APIRouter] = (
    readiness.router,
    tokens_endpoints.router,
    audit_endpoints.router,
    runs_endpoints.router,
    agents_endpoints.router,
    preflight_endpoints.router,
    builds_endpoints.router,
    chunks_endpoints.router,
    results_endpoints.router,
    cases_endpoints.router,
    comparisons_endpoints.router,
    traffic_endpoints.router,
    papers_endpoints.router,
    watches_endpoints.router,
    imports_endpoints.router,
    report_endpoints.api,
    saving_endpoints.api,
)

_DOCUMENTED_PROBLEMS = {
    400: "The request is malformed.",
    401: "A valid token is required.",
    403: "The token does not have the required role, or a page of another site sent the request.",
    404: "The resource does not exist.",
    408: "The body did not arrive in time.",
    409: "The current state does not permit this operation.",
    413: "The body is too long.",
    415: "The body is not application/json.",
    421: "The Host header does not name this service.",
    422: "The request is invalid; nothing was stored.",
    426: "The daemon's messages have another version than the service's.",
    429: "The caller has reached one of its limits; `Retry-After` has the pause before a repetition.",
    503: "A part of the system is not available, or the service is overloaded (with `Retry-After`).",
}


def _problem_responses() -> dict[int | str, dict[str, Any]]:
    content = {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": text, "content": content} for status, text in _DOCUMENTED_PROBLEMS.items()}


def _all_routes() -> APIRouter:
    """Return one router with all endpoints; FastAPI prepares each at its first request, once for all applications."""
    every = APIRouter()
    for router in _API_ROUTERS:
        every.include_router(router, prefix=API, responses=_problem_responses())
    every.include_router(web_endpoints.router)
    return every


_ROUTER = _all_routes()


def create_app(settings: ServiceSettings, database: Database | None = None) -> FastAPI:
    """Return the application. The database schema must be current (see database/migrate.py)."""

    @asynccontextmanager
    async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
        with in_use(app.state.database.url):
            integrity = IntegrityThread(app.state.database.integrity)
            integrity.start()
            yield
            integrity.stop()
            app.state.audit.flush()
            app.state.database.close()

    app = FastAPI(
        title="Ciphermark",
        version=__version__,
        summary="Measures which cipher, library, compiler and flags suit a device best.",
        lifespan=_lifespan,
        # FastAPI's documentation pages load scripts from other hosts, and are not accessible (axe-core).
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{API}/openapi.json",
        routes=list(_ROUTER.routes),
    )
    app.state.settings = settings
    app.state.kept_objects = {}
    app.state.gate = RequestGate()
    app.state.database = database or Database(settings.resolved_database_url)
    app.state.audit = AuditRecorder(app.state.database)
    problems.install(app)
    app.add_middleware(Compression)
    app.add_middleware(HostGuard, rules=rules_for(settings))
    # The middleware added last runs first: refusals are recorded and have these headers, too.
    app.add_middleware(AuditLog, recorder=app.state.audit)
    app.add_middleware(SafeHeaders)
    app.openapi = lambda: _document(app)  # type: ignore[method-assign]
    return app


def _document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document with the schema of problem details, which no endpoint declares as its response.

    It is kept as text: as Python objects it takes 9 MiB.
    """
    kept: dict[str, str] = app.state.kept_objects
    if "openapi" not in kept:
        document = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        problem = problems.Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(problem.pop("$defs", {}))
        schemas["Problem"] = problem
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        kept["openapi"] = json.dumps(document)
    found: dict[str, Any] = json.loads(kept["openapi"])
    return found
