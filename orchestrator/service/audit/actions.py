"""Audited actions: operations about tokens, logins and agents, and deletions.

Refusals of every other operation are recorded, too, under the name of the operation with hyphens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Action:
    """Action and object of the entry of an operation."""

    name: str
    parameter: str = ""
    """Parameter of the path that has the id of the object; empty: no parameter has it."""
    created: str = ""
    """Field of the response that has the id of the object; empty: no field has it."""


MAKE_BACKUP = "make-backup"
RESTORE_BACKUP = "restore-backup"

ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "create_token": Action("create-token", created="id"),
        "rotate_token": Action("rotate-token", parameter="token_id", created="id"),
        "revoke_token": Action("revoke-token", parameter="token_id"),
        "create_login_code": Action("create-login-code"),
        **dict.fromkeys(("login", "log_in", "show_login"), Action("log-in")),
        **dict.fromkeys(("logout", "log_out"), Action("log-out")),
        **dict.fromkeys(("invite", "invite_device"), Action("invite-agent")),
        "enroll": Action("enroll-agent", created="agent_id"),
        "approve": Action("approve-agent", parameter="agent_id"),
        "revoke": Action("revoke-agent", parameter="agent_id"),
        "trust": Action("trust-agent", parameter="agent_id"),
        "change_agent": Action("change-agent", parameter="agent_id"),
        "request_health_check": Action("check-agent", parameter="agent_id"),
        "share_run": Action("share-run", parameter="run_id", created="id"),
        "revoke_share": Action("revoke-share", parameter="token_id"),
        "open_share": Action("open-share"),  # without an object: its path has the link
        "delete_run": Action("delete-run", parameter="run_id"),
        "remove_watch": Action("remove-watch", parameter="watch_id"),
        "delete_import": Action("delete-import", parameter="import_id"),
    }
)
"""By the name of the endpoint's function."""
NAMES: Sequence[str] = sorted({MAKE_BACKUP, RESTORE_BACKUP, *(action.name for action in ACTIONS.values())})
