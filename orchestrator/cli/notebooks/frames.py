"""A client whose answers are data frames; names of columns carry units."""

import importlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from orchestrator.cli.client import APIClient, shaped
from orchestrator.cli.names import LATEST, find_run
from orchestrator.cli.supervisor.access import ServiceAccess
from orchestrator.results.cases.schemas import CaseSummary
from orchestrator.results.schemas import AgentAnswer, RunAnswer
from orchestrator.results.traffic.schemas import AgentTraffic, TrafficAnswer
from orchestrator.shared.closable import Closable
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.exporters import CompleteReasons
from orchestrator.shared.extras import not_installed
from orchestrator.statistics.mixtures.histograms import FORMS, parse_histogram
from orchestrator.wire.builds import stack_columns

if TYPE_CHECKING:
    from pandas import DataFrame

ABSENT_BECAUSE = "absent_because"
"""Column of the export with the reasons of absent values."""


def connect(url: str | None = None, token: str | None = None) -> "Client":
    """Return a client for a service.

    url and token: by default those of CIPHERMARK_URL and CIPHERMARK_TOKEN, else those of the service on this machine.
    Raises SetupError without a service, and where pandas is not installed.
    """
    return Client(ServiceAccess.find(url, token))


class Client(Closable):
    """Questions to one service; each answer is a data frame, absent values are missing (``<NA>``)."""

    def __init__(self, access: ServiceAccess) -> None:
        """Prepare the connection; nothing is sent yet. Raises SetupError where pandas is not installed."""
        self._pandas = _pandas()
        self._api = APIClient(access)

    def runs(self, limit: int | None = None, **selection: str) -> "DataFrame":
        """Return the runs, newest first.

        selection: parameters of ``GET /runs``, such as ``q="aes"``, ``tag="baseline"`` or ``state="finished"``.
        """
        return self._frame(self._api.items("/runs", limit, **selection))

    def results(self, run: str = LATEST) -> "DataFrame":
        """Return a row for each case of a run: its medians with their limits, counts and footprint.

        run: id of a run, or ``latest``.
        """
        rows = []
        for one in self._api.items(f"/runs/{find_run(self._api, run)}/cases"):
            case = shaped(CaseSummary, one).model_dump(mode="json", by_alias=True)
            figures, footprint = case.pop("summary") or {}, case.pop("footprint")
            footprint["footprint_reason"] = footprint.pop("reason")
            stacks = stack_columns(footprint.pop("stack_bytes"))
            rows.append({**case, **figures, **footprint, **stacks})
        return self._frame(rows)

    def executions(self, run: str = LATEST, columns: Sequence[str] | None = None) -> "DataFrame":
        """Return a row for each execution of a run with its readings; columns: only these, by default all."""
        path = f"/runs/{find_run(self._api, run)}/export"
        with self._api.stream(path, format="jsonl", column=list(columns) if columns else None) as response:
            rows = [json.loads(line) for line in response.iter_lines() if line]
        reasons = CompleteReasons()
        for row in rows:
            if ABSENT_BECAUSE in row:
                row[ABSENT_BECAUSE] = reasons.complete(row[ABSENT_BECAUSE])
        return self._frame(rows)

    def answer(self, run: str = LATEST, **question: Any) -> "DataFrame":
        """Return the ranking of a run, a row for each candidate and agent; ``attrs["sentences"]`` are the summaries.

        question: parameters of ``GET /runs/{run_id}/answer``, such as ``measure="call"``, ``max_code_bytes=8192`` or
        ``aead=True``.
        """
        given = {"rows": 500} | {
            name: str(value).lower() if isinstance(value, bool) else value for name, value in question.items()
        }
        return self._ranked(
            shaped(RunAnswer, self._api.get(f"/runs/{find_run(self._api, run)}/answer", **given)).agents
        )

    def traffic(self, lengths: str | Mapping[int, float], run: str = LATEST, **traffic: Any) -> "DataFrame":
        """Return the cost of a traffic with each candidate of a run.

        lengths: the number of messages by length in bytes, or a histogram as text: ``24:900, 1500:100``. traffic:
        fields of ``POST /runs/{run_id}/traffic``, such as ``key_changes=10`` or ``operation="both"``.
        Raises InvalidRequest for a text that is no histogram.
        """
        counts = dict(lengths) if isinstance(lengths, Mapping) else _histogram(lengths)
        body = {"rows": 500, **traffic, "lengths_bytes": list(counts), "counts": list(counts.values())}
        return self._ranked(
            shaped(TrafficAnswer, self._api.post(f"/runs/{find_run(self._api, run)}/traffic", body)).agents
        )

    def close(self) -> None:
        """Close the connection."""
        self._api.close()

    def _ranked(self, agents: Sequence[AgentAnswer | AgentTraffic]) -> "DataFrame":
        rows = [
            {"agent_id": agent.agent_id, "agent_name": agent.agent_name, **_flat(row)}
            for agent in agents
            for row in agent.rows
        ]
        frame = self._frame(rows)
        frame.attrs["sentences"] = {agent.agent_name: agent.sentence for agent in agents}
        return frame

    def _frame(self, rows: Iterable[object]) -> "DataFrame":
        # Integers stay integers where values are absent.
        frame: DataFrame = self._pandas.DataFrame(list(rows)).convert_dtypes()
        for name in frame.columns:
            if name.endswith("_at"):
                frame[name] = self._pandas.to_datetime(frame[name], utc=True, format="ISO8601")
        return frame


def _pandas() -> Any:
    try:
        return importlib.import_module("pandas")
    except ImportError:
        raise not_installed("The client", "pandas", "client") from None


def _histogram(text: str) -> dict[int, float]:
    try:
        return parse_histogram(text)
    except ValueError as error:
        raise InvalidRequest(f"{error}.", remedy=FORMS, field="lengths") from None


def _flat(row: BaseModel) -> dict[str, object]:
    """Return the row with the fields of nested objects as ``interval_low``."""
    found: dict[str, object] = {}
    for name, value in row.model_dump(mode="json", by_alias=True).items():
        found |= {f"{name}_{key}": one for key, one in value.items()} if isinstance(value, dict) else {name: value}
    return found
