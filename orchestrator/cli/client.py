"""The command line's client, which raises problem details as errors.

Before its first request it compares versions: until 1.0, each minor version of the service may rename fields.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from orchestrator import __version__
from orchestrator.cli.supervisor.access import ServiceAccess
from orchestrator.service.pagination import Page
from orchestrator.shared import errors
from orchestrator.shared.closable import Closable
from orchestrator.shared.files.complete import complete
from orchestrator.shared.tls import certificate_error, verification
from orchestrator.shared.values.field_errors import expectation
from orchestrator.shared.values.text import visible_document
from orchestrator.wire.http_client import PatientClient

API = "/api/v1"
PAGE = 200
"""Items requested per page."""
Shape = TypeVar("Shape", bound=BaseModel)
_STREAM_SECONDS = 60.0
"""Time without data after which a stream counts as interrupted."""
_NAME = re.compile(r"[^/?#%\\\s]+")
_FILE_SECONDS = 600.0
"""The same for a file: a small or busy machine draws the charts of a report for minutes before it sends anything."""
_SAME_VERSION = "Install the same version of Ciphermark here and where the service runs, and restart the service."


def shaped(model: type[Shape], document: object) -> Shape:
    """Return a response in the shape of its schema; raises UpgradeRequired if it has another one."""
    try:
        return model.model_validate(document)
    except ValidationError as error:
        (first, *_) = error.errors(include_url=False)
        place = ".".join(map(str, first["loc"]))
        raise errors.UpgradeRequired(
            f"This client, Ciphermark {__version__}, expects another response: {place}: {expectation(first)}.",
            remedy=_SAME_VERSION,
        ) from error


class APIClient(Closable):
    """Requests to one service; every unsuccessful response is raised as a CiphermarkError.

    Methods return the JSON of the service, for ``--json``; `shaped` makes its schema of it.
    """

    def __init__(self, access: ServiceAccess, timeout_seconds: float = 30.0) -> None:
        """Prepare the connection; nothing is sent yet."""
        self.access = access
        self._version_checked = False
        headers = {"authorization": f"Bearer {access.token}"} if access.token else {}
        self._http = PatientClient(
            base_url=access.url + API,
            headers=headers,
            timeout=timeout_seconds,
            verify=verification(access.url, access.certificate),
            trust_env=True,
        )

    def get(self, path: str, **query: object) -> object:
        """Return the JSON of a resource; parameters that are None are omitted."""
        return _parsed(self._request("GET", path, params=_given(query)))

    def get_within(self, timeout_seconds: float, path: str, **query: object) -> object:
        """Return the JSON of a resource whose computation may take longer than the client's timeout."""
        return _parsed(self._request("GET", path, params=_given(query), timeout=timeout_seconds))

    def get_any_status(self, path: str) -> object:
        """Return the JSON of a resource that answers 503 with a document of its own, as readiness does."""
        response = self._request("GET", path, accepted=HTTPStatus.SERVICE_UNAVAILABLE)
        document = _parsed(response)
        if not response.is_success and isinstance(document, dict) and "type" in document:
            raise problem(response)
        return document

    def post(
        self,
        path: str,
        body: BaseModel | Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_seconds: float | None = None,
        query: Mapping[str, object] | None = None,
    ) -> object:
        """Send JSON, of a request the fields that were set, and return the response's JSON, or None if it is empty.

        timeout_seconds: of this request, by default the client's. query: parameters; those that are None are omitted.
        """
        sent = body.model_dump(exclude_unset=True) if isinstance(body, BaseModel) else body or {}
        timeout = httpx.USE_CLIENT_DEFAULT if timeout_seconds is None else timeout_seconds
        params = _given(query or {})
        response = self._request("POST", path, json=sent, headers=headers, timeout=timeout, params=params)
        return _parsed(response) if response.content else None

    def patch(self, path: str, body: Mapping[str, object]) -> object:
        """Send changed values as JSON and return the response's JSON."""
        return _parsed(self._request("PATCH", path, json=body))

    def delete(self, path: str) -> None:
        """Delete a resource."""
        self._request("DELETE", path, headers={"content-type": "application/json"})

    def items(self, path: str, limit: int | None = None, **query: object) -> Iterator[object]:
        """Yield the items of a list, page by page, at most ``limit``."""
        cursor: str | None = None
        left = limit
        while left is None or left > 0:
            size = PAGE if left is None else min(left, PAGE)
            page = shaped(Page[object], self.get(path, cursor=cursor, limit=size, **query))
            yield from page.items
            left = None if left is None else left - len(page.items)
            cursor = page.next_cursor
            if cursor is None:
                return

    def stream(
        self, path: str, headers: Mapping[str, str] | None = None, **query: object
    ) -> AbstractContextManager[httpx.Response]:
        """Open a streamed response (export, events); a minute without data raises Unreachable."""
        return self._stream(path, headers, query, _STREAM_SECONDS)

    @contextmanager
    def _stream(
        self, path: str, headers: Mapping[str, str] | None, query: Mapping[str, object], silent_seconds: float
    ) -> Iterator[httpx.Response]:
        _require_names(path)
        self._require_same_version()
        timeout = httpx.Timeout(silent_seconds, connect=5.0)
        try:
            with self._http.stream("GET", path, params=_given(query), headers=headers, timeout=timeout) as response:
                if not response.is_success:
                    response.read()
                    raise problem(response)
                yield response
        except httpx.TransportError as error:
            raise self._unreachable(error) from error

    def download(self, file: Path, path: str, **query: object) -> None:
        """Write a file that the service makes; ten minutes without data raise Unreachable."""
        with file.open("wb") as written, self._stream(path, None, query, _FILE_SECONDS) as response:
            for block in response.iter_bytes():
                written.write(block)

    def save_page(self, file: Path, address: str, linked: Sequence[str] = ()) -> None:
        """Write the page at an address of the dashboard to one HTML file, completely or not at all.

        linked: runs whose pages are next to the file, named ``RUN.html``.
        """
        with complete(file) as new:
            self.download(new, "/page-file", address=address, linked=linked)

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def _require_same_version(self) -> None:
        """Raise UpgradeRequired if the service's version differs in more than its last number."""
        if self._version_checked:
            return
        health = _parsed(self._send("GET", "/health"))
        seen = health.get("version") if isinstance(health, dict) else None
        if not isinstance(seen, str):
            raise errors.SetupError(
                f"{self.access.url} is not a Ciphermark service: its {API}/health has no version.",
                remedy="Check the address: --url, or CIPHERMARK_URL.",
            )
        if seen.split(".")[:2] != __version__.split(".")[:2]:
            raise errors.UpgradeRequired(
                f"The service at {self.access.url} is Ciphermark {seen[:20]}, this client is {__version__}.",
                remedy=_SAME_VERSION,
            )
        self._version_checked = True

    def _request(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        _require_names(path)
        self._require_same_version()
        return self._send(method, path, **arguments)

    def _send(self, method: str, path: str, accepted: HTTPStatus = HTTPStatus.OK, **arguments: Any) -> httpx.Response:
        try:
            response = self._http.request(method, path, **arguments)
        except httpx.TransportError as error:
            raise self._unreachable(error) from error
        except httpx.InvalidURL as error:
            raise errors.SetupError(
                f"{self.access.url!r} is not a valid address: {error}.", remedy="Write http://host:port."
            ) from error
        if not response.is_success and response.status_code != accepted:
            raise problem(response)
        return response

    def _unreachable(self, error: httpx.TransportError) -> errors.Unreachable:
        refused = certificate_error(error)
        if refused is not None:
            return errors.Unreachable(
                f"The certificate of {self.access.url} is not accepted: {refused}.",
                remedy="Use the name that is in the certificate (--url), check this machine's clock, and set "
                "SSL_CERT_FILE to the PEM file of the authority that signed it if the system does not know it.",
            )
        return errors.Unreachable(
            f"The service at {self.access.url!r} does not answer: {str(error).rstrip('.')}.",
            remedy="Start it on this machine with: make up (or: ciphermark up).",
        )


def _require_names(path: str) -> None:
    """Raise InvalidRequest for a path with a part that is no name or id: ``..`` would lead to another resource."""
    for part in path.removeprefix("/").split("/"):
        if part in ("", ".", "..") or not _NAME.fullmatch(part):
            raise errors.InvalidRequest(
                f"{part!r} is neither a name nor an id.",
                remedy="Names and ids consist of letters, digits, '.', '_' and '-', without '/'.",
            )


def _parsed(response: httpx.Response) -> object:
    """Return the response's JSON, with visible control characters; raises SetupError for anything else."""
    try:
        return visible_document(json.loads(response.content))
    except ValueError as error:
        raise errors.SetupError(
            f"{response.url} answered {response.text[:60]!r}, expected JSON.",
            remedy="Check the address of the service: --url, or CIPHERMARK_URL.",
        ) from error


def problem(response: httpx.Response) -> errors.CiphermarkError:
    """Return the error of a problem detail; its kind decides the class, else its status."""
    try:
        document = visible_document(response.json())
    except ValueError:
        document = {}
    if not isinstance(document, dict):
        document = {}
    kind = str(document.get("type", "")).rpartition("/")[2]
    wrong = document.get("errors")
    detail = str(document.get("detail") or document.get("title") or f"The service answered {response.status_code}.")
    for line, text in map(_fault, wrong[:10] if isinstance(wrong, list) else ()):
        # The detail of a single one may repeat it, without its line.
        detail = detail.replace(text, line + text, 1) if text in detail else f"{detail}\n  {line}{text}"
    known = {cls.kind(): cls for cls in _family(errors.CiphermarkError)}
    by_status = {cls.status: cls for cls in errors.CiphermarkError.__subclasses__()}
    cls = known.get(kind) or by_status.get(response.status_code, errors.CiphermarkError)
    return cls(detail, remedy=str(document.get("remedy") or ""), field=str(document.get("field") or ""))


def _fault(fault: Any) -> tuple[str, str]:
    """Return where a plan has an error, empty where that is unknown, and the error."""
    if not isinstance(fault, dict):
        return "", str(fault)
    seen = f" (seen: {fault['seen']})" if fault.get("seen") is not None else ""
    line = f"line {fault['line']}, " if fault.get("line") is not None else ""
    return line, f"{fault.get('field')}: {fault.get('allowed')}{seen}"


def _family(root: type[errors.CiphermarkError]) -> Iterator[type[errors.CiphermarkError]]:
    yield root
    for child in root.__subclasses__():
        yield from _family(child)


def _given(query: Mapping[str, object]) -> dict[str, Any]:
    return {name: value for name, value in query.items() if value is not None}
