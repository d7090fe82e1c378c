"""Executions of a run without a valid result."""

from collections.abc import Mapping

from orchestrator.database.engine import Database
from orchestrator.results import service as results
from orchestrator.results.repository import ExecutionFilter
from orchestrator.results.schemas import ExecutionSummary
from orchestrator.shared.values.forms import FORM_FIELDS
from orchestrator.web.runs.views import Trouble
from orchestrator.web.views import Tally

TROUBLE_STATES = ("wrong", "disputed", "failed")
TROUBLES_SHOWN = 12
_DETAILS = {
    "wrong": "The ciphertext differs from the expected one.",
    "disputed": "Providers return different ciphertexts, and no reference shows which is correct.",
}


def troubles(database: Database, run_id: str, tally: Tally) -> list[Trouble]:
    """Return the first executions without a valid result: wrong, then disputed, then failed."""
    found: list[ExecutionSummary] = []
    for state in TROUBLE_STATES:
        limit = TROUBLES_SHOWN - len(found)
        if limit and getattr(tally, state):
            found += results.list_executions(database, ExecutionFilter(run_id), state, None, limit).items
    return [_trouble(execution) for execution in found]


def _trouble(execution: ExecutionSummary) -> Trouble:
    columns = ("state", "provider", "algorithm", "variant", *FORM_FIELDS, "protocol", "operation", "input_kind",
               "message_bytes", "repetition")  # fmt: skip
    return Trouble(
        **{name: getattr(execution, name) for name in columns},
        execution_id=execution.id,
        agent=execution.agent_name,
        toolchain=execution.toolchain_words,
        detail=trouble_detail(execution.state, execution.failure or {}),
    )


def trouble_detail(state: str, failure: Mapping[str, object]) -> str:
    """Return why an execution has no valid result, in one sentence."""
    return str(failure.get("detail") or _DETAILS.get(state, "No detail was recorded."))
