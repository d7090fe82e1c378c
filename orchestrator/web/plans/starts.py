"""Starts of a plan: answers to questions, plans of the installation, earlier runs, and links."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import Depends, Query

from orchestrator.database.engine import Database
from orchestrator.runs import service as runs
from orchestrator.runs.planning.editing import questions as usual
from orchestrator.runs.planning.editing.names import plan_keys
from orchestrator.runs.planning.editing.questions import Questions
from orchestrator.runs.planning.editing.texts import get_shipped_plan, list_shipped_plans, plan_text
from orchestrator.runs.planning.repository import read_offers
from orchestrator.runs.repository import require_run
from orchestrator.runs.selection import NEWEST_FIRST, RunSelection
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.shared.values.parameters import ID_PATTERN
from orchestrator.shared.values.text import worded, words_of
from orchestrator.wire.base import NOOP

MAX_LINK_CHARACTERS = 16_000
"""Length of an address with a plan; browsers and proxies limit addresses, too."""
RUNS_OFFERED = 10
_NAME = worded(r"^[a-z0-9-]{0,64}$", "the name of a plan: lower-case letters, digits and hyphens")
_RUN_ID = worded(rf"^$|{ID_PATTERN}", words_of(ID_PATTERN))


@dataclass(frozen=True)
class Start:
    """The text of a plan, and where it comes from."""

    text: str
    origin: str = ""


QuestionsDep = Annotated[Questions, Depends()]


def _start(
    *,
    database: DatabaseDep,
    questions: QuestionsDep,
    text: Annotated[str, Query(alias="plan", max_length=MAX_LINK_CHARACTERS)] = "",
    shipped: Annotated[str, Query(alias="from", pattern=_NAME)] = "",
    run_id: Annotated[str, Query(alias="run", pattern=_RUN_ID)] = "",
    answered: Annotated[Literal["", "yes"], Query()] = "",
) -> Start:
    if text:
        return Start(text.replace("\r\n", "\n"), "The plan of this link.")
    if shipped:
        return Start(get_shipped_plan(shipped).text, f"The plan {shipped} of this installation.")
    if run_id:
        with database.read() as session:
            plan = require_run(session, run_id).plan
        return Start(plan_text(plan), f"The plan of the run {run_id}.")
    return Start(plan_text(questions.document()), "The plan of your answers." if answered else "")


StartDep = Annotated[Start, Depends(_start)]
"""The text that an address names, by default the plan of the usual answers; raises NotFound."""


def starts(database: Database, questions: Questions) -> dict[str, Any]:
    """Return the questions with the names that exist now, the plans of the installation and the latest runs."""
    with database.read() as session:
        names = {key.path: key.values for key in plan_keys(*read_offers(session))}
        latest = runs.list_selected_runs(session, RunSelection(), NEWEST_FIRST, 0, RUNS_OFFERED).items
    return {
        "questions": questions,
        "names": _names(names),
        "chosen": _chosen(questions),
        "shipped": list_shipped_plans(),
        "runs": latest,
    }


def _names(names: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return the names to choose from by field of the form; algorithms by family: ``aes`` → ``aes-128-ctr`` …."""
    families: dict[str, list[str]] = defaultdict(list)
    for name in names["matrix.algorithms"]:
        if name != NOOP:
            families[name.partition("-")[0]].append(name)
    return {
        "algorithms": families,
        "providers": names["matrix.providers"],
        "agents": names["agents"],
        "labels": names["requires.labels"],
        "kinds": names["matrix.inputs.kinds"],
        "compilers": names["toolchains.compiler"],
        "optimizations": names["toolchains.optimization"],
    }


def _chosen(questions: Questions) -> dict[str, list[str]]:
    """Return the chosen names by field of the form."""
    return {
        "algorithms": list(questions.algorithms or usual.USUAL_ALGORITHMS),
        "providers": list(questions.providers or usual.USUAL_PROVIDERS),
        "agents": list(questions.agents),
        "kinds": list(questions.kinds or usual.USUAL_KINDS),
        "compilers": list(questions.compilers),
        "optimizations": list(questions.optimizations or usual.USUAL_OPTIMIZATIONS),
    }
