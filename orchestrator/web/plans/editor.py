"""The page of a new run: the text of a plan with its preview, and its submission."""

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode

from fastapi import Request, Response
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from orchestrator.database.engine import Database
from orchestrator.runs import submission
from orchestrator.runs.planning.editing.questions import CERTAINTIES, PURPOSES
from orchestrator.runs.schemas import PlanPreview, RunRequest
from orchestrator.runs.slots import PlanningSlotsDep
from orchestrator.service.dependencies import DatabaseDep, SettingsDep
from orchestrator.service.problems import describe
from orchestrator.service.security.bodies import PLAN_FORM_LIMIT, body_limit
from orchestrator.service.security.callers import Caller
from orchestrator.service.security.guard import identify
from orchestrator.service.server.admission import WorkSlots
from orchestrator.shared.errors import CiphermarkError, Forbidden, InvalidRequest
from orchestrator.shared.settings import ServiceSettings
from orchestrator.web.plans.starts import MAX_LINK_CHARACTERS, QuestionsDep, Start, StartDep, starts
from orchestrator.web.rendering import HEADERS, page
from orchestrator.web.routing import page_router

PATH = "/plans/new"
_SEE_OTHER = 303
_KEY = re.compile(r"[0-9a-f]{32}")
_MAX_FIELDS = 4

router = page_router()


@dataclass(frozen=True)
class Planning:
    """Objects of the service that previews and submissions need."""

    database: Database
    settings: ServiceSettings
    slots: WorkSlots

    def preview(self, text: str) -> PlanPreview:
        """Return the preview of a plan; raise as the API's does."""
        with self.slots.taken():
            return submission.preview(self.database, self.settings, RunRequest(plan_text=text))

    def submit(self, request: RunRequest, caller: Caller, key: str) -> str:
        """Submit a plan and return the id of its run, of the earlier one for a form that is sent again."""
        digest = hashlib.sha256(request.model_dump_json().encode()).hexdigest()
        with self.slots.taken():
            return submission.submit(self.database, self.settings, request, caller, f"page {key} {digest}").run_id


@router.get(PATH)
def new_run(
    *,
    request: Request,
    database: DatabaseDep,
    settings: SettingsDep,
    slots: PlanningSlotsDep,
    questions: QuestionsDep,
    start: StartDep,
) -> Response:
    """Show the editor with the plan of a link, of the installation, of a run, or of the answers to the questions."""
    view = _previewed(Planning(database, settings, slots), start, "", starts(database, questions))
    return page(request, "plans/editor.html", view, purposes=PURPOSES, certainties=CERTAINTIES)


@router.post(PATH)
@body_limit(PLAN_FORM_LIMIT)
async def change_plan(
    request: Request, database: DatabaseDep, settings: SettingsDep, slots: PlanningSlotsDep
) -> Response:
    """Preview or submit the plan of the form, or make a link to it; a submission requires a submitter."""
    form = await request.body()
    return await run_in_threadpool(_done, request, form, Planning(database, settings, slots))


def _done(request: Request, form: bytes, planning: Planning) -> Response:
    values = {name: value[0] for name, value in _fields(form).items()}
    start, key = Start(values.get("plan", "").replace("\r\n", "\n")), values.get("key", "")
    try:
        if values.get("do") == "submit":
            submitted = RunRequest(plan_text=start.text, registered="registered" in values)
            run_id = planning.submit(submitted, _submitter(request, planning.database), _checked_key(key))
            return RedirectResponse(f"/runs/{run_id}", _SEE_OTHER, headers=HEADERS)
        if values.get("do") == "link":
            return RedirectResponse(_link(start.text), _SEE_OTHER, headers=HEADERS)
    except CiphermarkError as error:
        view = _view(start.text, problem=describe(error, PATH), submitted=values.get("do") == "submit")
    else:
        view = _previewed(planning, start, key)
    response = page(request, "plans/editor.html", view)
    if view["problem"]:
        response.status_code = view["problem"].status
    return response


def _fields(form: bytes) -> dict[str, list[str]]:
    try:
        return parse_qs(form.decode("ascii"), keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError as error:
        raise InvalidRequest(
            f"The form cannot be read: {error}.", remedy="Send the fields plan, key, registered and do, URL-encoded."
        ) from None


def _previewed(planning: Planning, start: Start, key: str, found: dict[str, Any] | None = None) -> dict[str, Any]:
    preview, problem = None, None
    try:
        preview = planning.preview(start.text)
    except CiphermarkError as error:
        problem = describe(error, PATH)
    return _view(start.text, origin=start.origin, preview=preview, problem=problem, key=key, starts=found)


def _view(text: str, *, key: str = "", **facts: Any) -> dict[str, Any]:
    facts["key"] = key if _KEY.fullmatch(key) else new_key()
    return {"text": text, "origin": "", "preview": None, "problem": None, "starts": None, "submitted": False, **facts}


def new_key() -> str:
    """Return the key of a page, which distinguishes submissions: one page submits the same text once."""
    return secrets.token_hex(16)


def _submitter(request: Request, database: Database) -> Caller:
    """Return the caller; raise Forbidden unless it may submit."""
    caller = identify(request, database)
    if caller is None or not caller.may("submitter"):
        seen = f", seen: {caller.role}" if caller else ""
        raise Forbidden(
            f"Submitting requires the role submitter{seen}.",
            remedy="Log in with the token of a submitter. The plan stays in this page, and in a link to it.",
        )
    return caller


def _checked_key(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise InvalidRequest(
            "The form lacks its key, which prevents a second run of one submission.", remedy="Submit again."
        )
    return key


def _link(text: str) -> str:
    address = f"{PATH}?{urlencode({'plan': text})}"
    if len(address) > MAX_LINK_CHARACTERS:
        raise InvalidRequest(
            f"A link to this plan would have {len(address)} characters; at most {MAX_LINK_CHARACTERS} are allowed.",
            remedy="Send the plan as a file.",
            field="plan_text",
        )
    return address
