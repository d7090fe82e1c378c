"""The daemon's requests to the service, over HTTP with the agent's token.

Unreachable is transient (retry later); every other error is a decision of the service.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
from pydantic import BaseModel, ValidationError

from orchestrator.daemon.session.identity import is_private_channel
from orchestrator.shared.closable import Closable
from orchestrator.shared.errors import (
    BuildFailed,
    CiphermarkError,
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    ProtocolMismatch,
    SecondSession,
    Unauthorized,
    Unreachable,
    UpgradeRequired,
)
from orchestrator.shared.tls import is_loopback, verification
from orchestrator.shared.values.signatures import SIGNATURE_HEADER, SignedFile, is_signed
from orchestrator.wire.agents import EnrollmentRequest, EnrollmentResponse, InventoryReport, RotatedToken
from orchestrator.wire.base import DEVICE_HEADER, WIRE_VERSION, WIRE_VERSION_HEADER, Message
from orchestrator.wire.builds import (
    BuildOutcome,
    BuildReport,
    CalibrationReport,
    ChallengeAnswers,
    ConstantTimeReport,
    FootprintReport,
    ProofReport,
    ProofsReceived,
)
from orchestrator.wire.cross_builds import CrossBuildOffers
from orchestrator.wire.downloads import Downloads
from orchestrator.wire.health import HealthCheckReport, PreflightReportMessage
from orchestrator.wire.heartbeats import Heartbeat, HeartbeatResponse
from orchestrator.wire.http_client import PatientClient, retry_after_seconds
from orchestrator.wire.jobs import Claim, ClaimGranted, Release
from orchestrator.wire.records import RecordBatchResponse

_API = "/api/v1"
_TRANSIENT = (408, 425, 429)
_CONNECT_SECONDS = 3.0
_BLOCK_BYTES = 1024 * 1024
_JSON = {"content-type": "application/json"}

Answer = TypeVar("Answer", bound=BaseModel)


REQUEST_SECONDS = 10.0
"""Timeout of one request to the service."""


@dataclass(frozen=True)
class ServiceAddress:
    """Address of the service, and the agent's credentials."""

    url: str
    token: str
    timeout_seconds: float = REQUEST_SECONDS
    certificate: Path | None = None
    """To trust besides the system's authorities."""
    service_key: str | None = None
    """Public key of the service; null on a device that joined without one."""


class ServiceClient(Closable):
    """Requests of one agent. Every method may be called from any thread."""

    def __init__(self, address: ServiceAddress) -> None:
        """Create the client; nothing is sent yet."""
        self._address = address
        host = urlsplit(address.url).hostname or ""
        self._client = PatientClient(
            base_url=address.url.rstrip("/") + _API,
            headers={"authorization": f"Bearer {address.token}", WIRE_VERSION_HEADER: str(WIRE_VERSION)},
            timeout=httpx.Timeout(address.timeout_seconds, connect=min(_CONNECT_SECONDS, address.timeout_seconds)),
            verify=verification(address.url, address.certificate),
            # A proxy from the environment cannot reach this machine's loopback interface.
            trust_env=not is_loopback(host),
        )

    def enroll(self, request: EnrollmentRequest, device_sha256: str | None = None) -> EnrollmentResponse:
        """Exchange the join token for an identity.

        device_sha256: lets this device repeat the request if the response was lost.
        """
        headers = _JSON if device_sha256 is None else _JSON | {DEVICE_HEADER: device_sha256}
        return _parsed(
            self._send("POST", "/agents", content=request.model_dump_json(), headers=headers), EnrollmentResponse
        )

    def leave(self, agent_id: str) -> None:
        """Revoke this agent's own token."""
        self._send("POST", f"/agents/{agent_id}/revoke", content="{}", headers=_JSON)

    def rotate_token(self) -> RotatedToken:
        """Return a new token of this agent; the one in use remains valid until the new one is used."""
        return _parsed(self._send("POST", "/tokens/self/rotate", content="{}", headers=_JSON), RotatedToken)

    def use_token(self, token: str) -> None:
        """Send this token with every further request."""
        self._client.headers["authorization"] = f"Bearer {token}"

    def heartbeat(self, heartbeat: Heartbeat) -> HeartbeatResponse:
        """Send a heartbeat; raises SecondSession when another daemon is this agent."""
        return self._post("/heartbeats", heartbeat, HeartbeatResponse)

    def claim(self, job_id: int, claim: Claim) -> ClaimGranted:
        """Claim a job; raises Conflict with the fact ``state`` when it must not be executed."""
        return self._post(f"/jobs/{job_id}/claim", claim, ClaimGranted)

    def release(self, job_id: int, release: Release) -> None:
        """Release a job that was stopped between two executions."""
        self._report(f"/jobs/{job_id}/release", release)

    def report_inventory(self, report: InventoryReport) -> None:
        """Report the facts about this machine."""
        self._report("/inventories", report)

    def report_build(self, report: BuildReport) -> None:
        """Report a build."""
        self._report("/builds", report)

    def report_proofs(self, build_key: str, report: ProofReport) -> ProofsReceived:
        """Report the known-answer proofs of a build; returns the challenges to answer."""
        return self._post(f"/builds/{build_key}/proofs", report, ProofsReceived)

    def answer_challenges(self, build_key: str, answers: ChallengeAnswers) -> None:
        """Answer challenges to the implementations of a build."""
        self._report(f"/builds/{build_key}/challenge-answers", answers)

    def report_footprints(self, build_key: str, report: FootprintReport) -> None:
        """Report the memory footprints of a build."""
        self._report(f"/builds/{build_key}/footprints", report)

    def report_constant_time(self, build_key: str, report: ConstantTimeReport) -> None:
        """Report what was found about the constant time of a build's implementations."""
        self._report(f"/builds/{build_key}/constant-time", report)

    def settle_build_request(self, request_id: int, outcome: BuildOutcome) -> None:
        """Report the outcome of a build request, after its build was reported."""
        self._report(f"/build-requests/{request_id}/outcome", outcome)

    def report_calibration(self, calibration: CalibrationReport) -> None:
        """Report an overhead of measuring on this machine."""
        self._report("/calibrations", calibration)

    def report_preflight(self, report: PreflightReportMessage) -> None:
        """Report the results of the preflight checks."""
        self._report("/preflight-reports", report)

    def report_health(self, check: HealthCheckReport) -> None:
        """Report the result of a health check."""
        self._report("/health-checks", check)

    def send_records(self, batch_json: str, on_left: Callable[[], None] = lambda: None) -> RecordBatchResponse:
        """Send a serialized RecordBatch and return the response.

        on_left: called when the last byte was handed to the network, long before the response arrives.
        """
        content = batch_json.encode()

        def body() -> Iterator[bytes]:
            yield content
            on_left()

        headers = _JSON | {"content-length": str(len(content))}
        return _parsed(self._send("POST", "/records", content=body(), headers=headers), RecordBatchResponse)

    def downloads(self) -> Downloads:
        """Return the downloads that the service offers to devices."""
        return _parsed(self._send("GET", "/downloads"), Downloads)

    def cross_builds(self) -> CrossBuildOffers:
        """Return the cross-built runners that the service offers."""
        return _parsed(self._send("GET", "/downloads/cross-builds"), CrossBuildOffers)

    @contextmanager
    def download(self, path: str, from_byte: int = 0) -> Iterator["RunningDownload"]:
        """Open a download, resumed at `from_byte` if the service supports it; check `RunningDownload.from_byte`."""
        headers = {"range": f"bytes={from_byte}-"} if from_byte else {}
        try:
            with self._client.stream("GET", path, headers=headers) as response:
                if response.status_code >= 400:
                    response.read()
                    raise _error_of(response)
                yield RunningDownload(response, from_byte if response.status_code == 206 else 0)
        except httpx.TransportError as error:
            raise _unreachable(self._client, error) from error

    @contextmanager
    def download_program(self, path: str, file: SignedFile) -> Iterator["RunningDownload"]:
        """Open a download of code that this device executes, after the service's signature was verified.

        The caller compares the bytes with the signed SHA-256. Raises BuildFailed before a byte is read: for a wrong or
        missing signature, and for an unencrypted connection to another machine if this device has no key.
        """
        key = self._address.service_key
        if key is None and not is_private_channel(self._address.url):
            raise BuildFailed(
                f"The {file.purpose} would be downloaded from {self._address.url} without encryption; expected the "
                "service's key on this device, because others on the network could replace the programs.",
                remedy="On the server, type 'ciphermark agents invite', and execute its line on this device: it brings "
                "the key. Or set CIPHERMARK_SERVICE_KEY to the service_key of 'ciphermark agents invite --json'.",
            )
        with self.download(path) as running:
            signature = running.response.headers.get(SIGNATURE_HEADER)
            if key is not None and not (signature and is_signed(key, file, signature)):
                raise BuildFailed(
                    f"The {file.purpose} that {self._address.url} offers has "
                    f"{'another signature' if signature else 'no signature'}; expected one by the service's key "
                    f"{key[:12]}… over {file.name}, {file.size_bytes} bytes, SHA-256 {file.sha256[:12]}….",
                    remedy="Find out which machine answers at that address: it is not the service that this device "
                    "joined. If that service has a new data folder, execute the line of 'ciphermark agents invite' on "
                    "this device.",
                )
            yield running

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _post(self, path: str, message: Message, answer: type[Answer]) -> Answer:
        return _parsed(self._send("POST", path, content=message.model_dump_json(), headers=_JSON), answer)

    def _report(self, path: str, message: Message) -> None:
        self._send("POST", path, content=message.model_dump_json(), headers=_JSON)

    def _send(self, method: str, path: str, **options: Any) -> httpx.Response:
        try:
            response = self._client.request(method, path, **options)
        except httpx.TransportError as error:
            raise _unreachable(self._client, error) from error
        if response.status_code >= 400:
            raise _error_of(response)
        return response


@dataclass(frozen=True)
class RunningDownload:
    """A running download."""

    response: httpx.Response
    from_byte: int
    """Offset of the first byte; 0 if the service did not resume."""

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes in blocks of at most 1 MiB."""
        return self.response.iter_bytes(_BLOCK_BYTES)


def _unreachable(client: httpx.Client, error: Exception) -> Unreachable:
    reason = str(error) or type(error).__name__
    return Unreachable(
        f"The service at {client.base_url} does not answer: {reason}.",
        remedy="Check that the service is running and that its address is correct.",
    )


def _parsed(response: httpx.Response, answer: type[Answer]) -> Answer:
    try:
        return answer.model_validate_json(response.content)
    except ValidationError as error:
        raise ProtocolMismatch(
            f"{response.url.path} answered {response.text[:200]!r}; expected a {answer.__name__}.",
            remedy="Install the same version of service and daemon.",
        ) from error


def _error_of(response: httpx.Response) -> CiphermarkError:
    """Return the error of a rejected request, made from its problem details."""
    status = response.status_code
    problem = _problem(response)
    detail = str(problem.get("detail") or f"{response.url.path} answered {status} {response.text[:200]!r}.")
    remedy = str(problem.get("remedy") or "")
    facts = problem.get("facts")
    named = {k: v for k, v in facts.items() if k not in ("remedy", "field")} if isinstance(facts, dict) else {}
    if status >= 500 or status in _TRANSIENT:
        return Unreachable(detail, remedy=remedy, retry_after_seconds=retry_after_seconds(response) or 0)
    if status == 409 and str(problem.get("type", "")).endswith("/second-session"):
        return SecondSession(detail, remedy=remedy)
    kinds: dict[int, type[CiphermarkError]] = {
        401: Unauthorized,
        403: Forbidden,
        404: NotFound,
        409: Conflict,
        426: UpgradeRequired,
    }
    return kinds.get(status, InvalidRequest)(detail, remedy=remedy, **named)


def _problem(response: httpx.Response) -> dict[str, Any]:
    try:
        document = response.json()
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
