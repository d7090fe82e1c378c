"""Access of the command line to a service, as named by the user or left by ``up`` in a file with mode 0600."""

import os
from pathlib import Path
from typing import Self

from pydantic import ValidationError

from orchestrator.cli.supervisor.layout import Layout
from orchestrator.cli.supervisor.lock import wait_for_start
from orchestrator.shared.errors import SetupError
from orchestrator.shared.files.private import write_private
from orchestrator.shared.settings import CommonSettings
from orchestrator.shared.values.models import LazyModel


class ServiceAccess(LazyModel):
    """Address of the service, and the token to use; the contents of ``cli.json``."""

    url: str
    token: str | None = None
    certificate: Path | None = None
    """To trust, if the service has its own."""

    @classmethod
    def find(cls, url: str | None = None, token: str | None = None) -> Self:
        """Return the access from the arguments, else the environment, else the file that ``up`` wrote, once it started.

        Raises SetupError if none of them names a service.
        """
        url = url or os.environ.get("CIPHERMARK_URL")
        token = token or os.environ.get("CIPHERMARK_TOKEN")
        layout = Layout(CommonSettings().data_folder)
        if url is None:
            wait_for_start(layout.lock)
        left = cls.read(layout.command_line_access)
        if url is None and left is None:
            raise SetupError(
                "No service is configured on this machine.",
                remedy="Start one (ciphermark up), or name one: --url, or CIPHERMARK_URL and CIPHERMARK_TOKEN.",
            )
        if left is None or (url is not None and url.rstrip("/") != left.url):
            # The token of the local service is never sent to another one.
            return cls(url=(url or "").rstrip("/"), token=token)
        return left.model_copy(update={"token": token or left.token})

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """Return the contents of the file, or None if it is missing or damaged."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            return None

    def write(self, path: Path) -> None:
        """Write the file, which only this user can read."""
        write_private(path, self.model_dump_json(indent=1) + "\n")


def replace_local_token(former: ServiceAccess, token: str) -> bool:
    """Write a new token into the file that ``up`` wrote, if the former one came from there; return whether it did."""
    path = Layout(CommonSettings().data_folder).command_line_access
    left = ServiceAccess.read(path)
    if left is None or left.token != former.token:
        return False
    left.model_copy(update={"token": token}).write(path)
    return True
