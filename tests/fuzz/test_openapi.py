"""The service conforms to its OpenAPI document with every role, for valid and invalid requests.

Schemathesis makes the requests of the document. Half of the ids are those of stored rows, so that requests reach the
operations behind them.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from orchestrator.database.models import Agent, Build, Case, Execution
from orchestrator.service.security.schemas import Role
from tests.support.database import Shape, fill
from tests.support.fuzzing import requests_of_role
from tests.support.live_service import Served, serve
from tests.support.paths import REPOSITORY
from tests.support.seldom import seldom
from tests.support.untraced import untraced_environment

ROLES: tuple[Role | None, ...] = (None, "viewer", "submitter", "agent", "admin", "join")
CHECKS = (
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance", "unsupported_method", "allow_header_conformance",
)  # fmt: skip
# Streams do not end. Readiness answers 503 without Redis, a chunk without its file, as all chunks of filled rows, and a
# download while the wheel is being built.
LEFT_OUT = r"(/events|/readiness|/chunks/\{sha256\}|/downloads.*)$"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    # Not on loopback, where everybody may read without a token.
    with serve(tmp_path_factory.mktemp("service"), host="0.0.0.0") as service:
        fill(service.database, Shape(repetitions=2, kinds=("random",), sizes=(131072,), trouble=True))
        yield service


def known_ids(served: Served, role: Role | None) -> dict[str, str]:
    """Return an id of a stored row for each parameter of paths; an agent names builds by their keys."""
    with served.database.read() as session:
        case = session.scalars(select(Case)).first()
        execution = session.scalars(select(Execution.id)).first()
        agent = session.scalars(select(Agent.id)).first()
        build_key = session.scalars(select(Build.build_key).where(Build.agent_id == agent)).first()
    assert case is not None
    ids = {"run_id": case.run_id, "agent_id": agent, "case_id": case.id, "build_id": case.build_id, "job_id": 1}
    ids |= {"build_key": build_key, "build": build_key if role == "agent" else case.build_id}
    return {name: str(value) for name, value in (ids | {"execution_id": execution}).items()}


@pytest.mark.long
def test_paths_of_the_document_differ_by_more_than_the_names_of_their_parameters(served: Served) -> None:
    # OpenAPI 3.1, section 4.8.8.1: such paths are the same address, whose methods a reader would find in two places.
    with served.client("viewer") as client:
        paths = client.get("/api/v1/openapi.json").raise_for_status().json()["paths"]
    addresses = Counter(re.sub(r"\{[^}]*\}", "{}", path) for path in paths)

    assert [address for address, count in addresses.items() if count > 1] == []


@pytest.mark.parametrize(
    "role",
    ["submitter", *seldom(*(role for role in ROLES if role != "submitter"))],
    ids=lambda role: role or "anonymous",
)
def test_service_keeps_its_document(served: Served, role: Role | None, tmp_path: Path) -> None:
    url = f"{served.url}/api/v1/openapi.json"
    httpx.get(url, timeout=60).raise_for_status()  # Made once, which takes longer than Schemathesis waits.
    ids = known_ids(served, role)
    command = [
        f"{Path(sys.executable).parent}/schemathesis", "run", url, "--checks", ",".join(CHECKS),
        "--exclude-path-regex", LEFT_OUT, *requests_of_role(len(ROLES)), "--continue-on-failure",
        "--suppress-health-check", "all", "--warnings", "off", "--request-timeout", "30",
    ]  # fmt: skip
    with served.client(role, ids["agent_id"] if role == "agent" else None) as client:
        for name in ("authorization", "ciphermark-wire-version"):
            if name in client.headers:
                command += ["--header", f"{name}: {client.headers[name]}"]
    hooks = {"SCHEMATHESIS_HOOKS": "tests.support.api_hooks", "CIPHERMARK_KNOWN_IDS": json.dumps(ids)}
    environment = untraced_environment() | hooks | {"PYTHONPATH": str(REPOSITORY)}
    # Schemathesis stores its findings in the current folder.
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)
    print(ended.stdout)

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "generated" in ended.stdout
