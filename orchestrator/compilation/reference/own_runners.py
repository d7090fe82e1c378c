"""The service's own runners: builds of its own sources on its machine, proven before they compute anything.

They decide what is correct for the algorithms that Python's ``cryptography`` lacks. A program is used only if its
SHA-256 is the one that was reported when it was built, and after its known answers passed here.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from orchestrator.compilation.cpu_features import device_machine
from orchestrator.compilation.reference.known_answers import known_answers, own_source_sha256
from orchestrator.compilation.runner_output import execute_runner
from orchestrator.shared.files.identity import file_sha256
from orchestrator.wire.builds import BuildReport
from orchestrator.wire.runners import Implementation

_LOW_PRIORITY = ("nice", "-n", "19")
KAT_SECONDS = 120
COMPUTE_SECONDS = 120
"""Limits of one program, seconds."""
MAX_INPUT_BYTES = 64 * 1024 * 1024
"""Length of the longest input that a runner encrypts here; it allocates three buffers of that length."""


class CannotCompute(Exception):
    """The service cannot compute a ciphertext; the message is the reason."""


@dataclass(frozen=True)
class OwnImplementation:
    """One implementation of the service's runners."""

    program: Path
    program_sha256: str
    provider: str
    implementation: Implementation

    @property
    def words(self) -> str:
        """Label for users."""
        variant = self.implementation.variant
        return f"ciphermark-{self.provider} {variant} on the machine of the service"


@dataclass
class OwnRunners:
    """The runners of one build; an empty one has none. Use it from one thread."""

    key: str = ""
    """Key of the build; empty if there is none."""
    implementations: tuple[OwnImplementation, ...] = ()
    _proven: dict[tuple[str, str, str | None], str] = field(default_factory=dict)
    """Reason of a failed proof, or an empty string, by program, algorithm and variant."""

    @classmethod
    def find(cls, cache_folder: Path, *, unchanged: bool = True) -> "OwnRunners":
        """Return the build of the service's sources with most implementations in the cache folder of its machine.

        The choice depends on the builds alone, so that it stays the same while a daemon uses one or the other.
        unchanged: leave out builds whose programs have changed, which reads them; without it, execute none of them.
        """
        reports = sorted((cache_folder / "builds").glob("*/build.json"))
        builds = [
            found for path in reports if not path.parent.name.startswith(".") and (found := _read(path, unchanged))
        ]
        return max(builds, key=lambda one: len(one.implementations), default=cls())

    def of(self, algorithm: str) -> OwnImplementation:
        """Return a proven implementation of an algorithm. Raises CannotCompute."""
        if not self.implementations:
            raise CannotCompute("no runners of the service's sources are on its machine")
        reasons = []
        for one in self.implementations:
            if one.implementation.algorithm == algorithm:
                reason = self._prove(one)
                if not reason:
                    return one
                reasons.append(f"{one.words}: {reason}")
        raise CannotCompute("; ".join(reasons[:3]) or f"the service's runners have no {algorithm}")

    def output_sha256_of_file(self, one: OwnImplementation, path: Path, length_bytes: int) -> str:
        """Return the digest of a file's ciphertext with the default key and nonce. Raises CannotCompute."""
        if length_bytes > MAX_INPUT_BYTES:
            raise CannotCompute(f"the input has {length_bytes} bytes, the service's runners encrypt {MAX_INPUT_BYTES}")
        report = _execute(one, ["process", *_names(one), "--in", str(path)], COMPUTE_SECONDS)
        return _digest(report, "output_sha256")

    def output_sha256_of_message(self, one: OwnImplementation, message: Sequence[str]) -> str:
        """Return the digest of a timed message's ciphertext. Raises CannotCompute.

        message: the options of ``latency`` that describe it.
        """
        report = _execute(
            one,
            ["latency", *_names(one), *message, "--timings", "1", "--min-time-ms", "0.1"],
            COMPUTE_SECONDS,
        )
        return _digest(report, "output_sha256")

    def crypt(self, one: OwnImplementation, key: bytes, nonce: bytes, source: Path, target: Path) -> str:
        """Encrypt a file into another and return the SHA-256 of ciphertext and tag. Raises CannotCompute."""
        secrets = ["--key", key.hex(), *(["--nonce", nonce.hex()] if nonce else [])]
        files = ["--in", str(source), "--out", str(target)]
        _execute(one, ["crypt", *_names(one), "--operation", "encrypt", *secrets, *files], COMPUTE_SECONDS)
        return hashlib.sha256(target.read_bytes()).hexdigest()

    def _prove(self, one: OwnImplementation) -> str:
        """Return why the known answers of an implementation did not pass, or an empty string."""
        identity = (one.program_sha256, one.implementation.algorithm, one.implementation.variant)
        if identity not in self._proven:
            try:
                answers = known_answers(one.implementation.algorithm)
                output = _execute(one, ["kat", *_names(one)], KAT_SECONDS)
                same = answers is not None and hashlib.sha256(output).hexdigest() == answers.output_sha256
                self._proven[identity] = "" if same else "its known answers differ from the service's files"
            except CannotCompute as error:
                self._proven[identity] = str(error)
        return self._proven[identity]


def _read(path: Path, unchanged: bool) -> OwnRunners | None:
    """Return the runners of a build if they were made of the service's sources and, if required, are unchanged."""
    try:
        report = BuildReport.model_validate_json(path.read_bytes())
        # Cross-built ones are those of the wheel or of this service.
        is_of_machine = report.cross_built is None or report.cross_built.machine == device_machine()
        usable = not report.prebuilt and is_of_machine and report.source_sha256 == own_source_sha256()
        if not usable:
            return None
        programs = {path.parent / f"ciphermark-{one.provider}": one.sha256 for one in report.runners}
        if unchanged and any(file_sha256(program) != sha256 for program, sha256 in programs.items()):
            return None
    except (OSError, ValidationError):
        return None
    found = [
        OwnImplementation(path.parent / f"ciphermark-{runner.provider}", runner.sha256, runner.provider, one)
        for runner in report.runners
        for one in runner.listing.implementations
        # A masked variant requires a form, and the unmasked ones compute the same.
        if one.available and one.variant and one.masking is None
    ]
    # The default variant first: it is the fastest, and every variant is proven before its use.
    found.sort(key=lambda one: (not one.implementation.default, one.provider))
    return OwnRunners(report.build_key, tuple(found))


def _names(one: OwnImplementation) -> list[str]:
    return ["--algorithm", one.implementation.algorithm, "--variant", one.implementation.variant or ""]


def _execute(one: OwnImplementation, arguments: Sequence[str], seconds: float) -> bytes:
    """Return the output of a runner that ended with 0, executed at the lowest priority."""
    done = execute_runner([*_LOW_PRIORITY, str(one.program), *arguments], seconds)
    if done.failure:
        raise CannotCompute(f"{one.words} {done.failure}")
    return done.stdout


def _digest(report: bytes, name: str) -> str:
    try:
        document = json.loads(report)
        if document["verified"] is True:
            return str(document[name])
    except (ValueError, KeyError, TypeError) as error:
        raise CannotCompute("the runner's report is not the expected one") from error
    raise CannotCompute("the runner's output did not verify")
