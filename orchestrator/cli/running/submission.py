"""Plans, read from files, changed and sent to a service."""

import time
import uuid
from collections.abc import Mapping
from pathlib import Path

from orchestrator.cli.client import APIClient
from orchestrator.cli.output import notes
from orchestrator.runs.planning.plan import MAX_PLAN_BYTES, parse_text
from orchestrator.runs.schemas import RunRequest
from orchestrator.shared.errors import AgentsPreparing, InvalidRequest
from orchestrator.shared.files.named import read_text_file

_RETRY_SECONDS = 6.0
"""As the service requests with Retry-After."""


def read_plan_text(path: Path) -> str:
    """Return the text of a plan file; raises InvalidRequest as `read_text_file`."""
    return read_text_file(path, MAX_PLAN_BYTES, "Use patterns instead of long lists.", field="plan")


def changed_request(request: RunRequest, agents: list[str] | None, variants: list[str] | None = None) -> RunRequest:
    """Return a request with other agents and variants; matrices of masked variants keep theirs.

    The service parses plans. One is parsed here only to be changed, with the same parser and limits.
    """
    if not agents and not variants:
        return request
    plan = request.plan or parse_text(request.plan_text or "")
    if agents:
        plan = plan | {"agents": agents}
    if variants:
        parts = plan.get("matrix")
        if not isinstance(parts, list) or not all(isinstance(one, dict) for one in parts):
            raise InvalidRequest(
                "The plan has no list of matrices whose variants could be replaced.",
                remedy="Write matrix: [{providers: …}].",
                field="matrix",
            )
        plan = plan | {"matrix": [one if one.get("masking") else one | {"variants": variants} for one in parts]}
    return RunRequest(plan=plan)


def post_plan(client: APIClient, path: str, body: RunRequest | Mapping[str, object]) -> object:
    """Send a plan, again and again while its agents build or test their runners; print what they do."""
    # A request repeated after a lost response must not create a second run.
    headers, shown = {"Idempotency-Key": uuid.uuid4().hex}, ""
    while True:
        try:
            return client.post(path, body, headers=headers)
        except AgentsPreparing as error:
            if error.detail != shown:
                notes().print(f"{error.detail} Waiting; Ctrl-C ends this.", markup=False, soft_wrap=True)
            shown = error.detail
            time.sleep(_RETRY_SECONDS)
