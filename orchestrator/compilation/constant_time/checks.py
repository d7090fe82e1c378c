"""Constant-time results of builds, cached next to each build with the hash of the program that was examined."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from orchestrator.compilation.constant_time.execution import Name, Valgrind, examine, find_valgrind
from orchestrator.compilation.installed import InstalledBuild
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.shared.files.stored import StoredDocument
from orchestrator.wire.base import Line, Message, Sha256
from orchestrator.wire.builds import ConstantTimeResult, RunnerBinary
from orchestrator.wire.runners import RunnerConstantTime

CHECKS_FILE = "constant-time.json"
BATCH = 50
"""Implementations in one batch: a few seconds on a desktop computer, after which ordered builds have their turn."""
OWN_PROVIDER = "own"
"""Its variants name the instructions that they use; libraries select their code while they execute."""
_MAX_ERRORS = 2**31 - 1
"""Limit of the wire."""
_NOT_NATIVE = "only native runners are checked"


class _StoredCheck(Message):
    """A result, and what it was found with."""

    binary_sha256: Sha256
    valgrind: Line
    """Version, or the reason why there is none: another valgrind checks again."""
    result: ConstantTimeResult


_STORED = StoredDocument[list[_StoredCheck]](list[_StoredCheck])
_Identity = tuple[str, str, str]
"""Provider, algorithm, variant."""


def load_checks(build: InstalledBuild) -> list[ConstantTimeResult]:
    """Return the stored results of a build's present programs."""
    return [one.result for one in _load(build)]


def find_checks(build: InstalledBuild, observer: BuildObserver) -> list[ConstantTimeResult]:
    """Return the results of all available implementations, from the cache or found now. Raises Interrupted."""
    valgrind = find_valgrind()
    while check_next(build, valgrind, observer):
        pass
    return load_checks(build)


def claims_of_build(build: InstalledBuild) -> dict[_Identity, bool | None]:
    """Return what the code of each listed implementation claims, by provider, algorithm and variant."""
    return {
        (runner.provider, row.algorithm, row.variant): row.constant_time
        for runner in build.report.runners
        for row in runner.listing.implementations
        if row.variant
    }


def check_next(build: InstalledBuild, valgrind: Valgrind | str, observer: BuildObserver) -> list[ConstantTimeResult]:
    """Examine and store the next implementations without a result; an empty list where all have one.

    The default variants are first. Raises Interrupted.
    """
    stored = _load(build)
    version = valgrind.version if isinstance(valgrind, Valgrind) else valgrind
    current = [one for one in stored if one.valgrind == version]
    done = {_identity(one.result) for one in current}
    batch = next(_batches(build, done), None)
    if batch is None:
        return []
    runner, names = batch
    observer.report(f"constant time of {len(names)} implementations by {runner.provider}")
    results = _examine(build, runner, names, valgrind, observer)
    new = [_StoredCheck(binary_sha256=runner.sha256, valgrind=version, result=result) for result in results]
    replaced = {_identity(result) for result in results}
    kept = (one for one in stored if _identity(one.result) not in replaced)
    _STORED.write(build.folder / CHECKS_FILE, [*kept, *new])
    return results


def _batches(build: InstalledBuild, done: set[_Identity]) -> Iterator[tuple[RunnerBinary, list[Name]]]:
    """Yield the implementations that are to be examined, by provider: default variants, then the others."""
    for default in (True, False):
        for runner in build.report.runners:
            names = [
                (row.algorithm, row.variant)
                for row in runner.listing.implementations
                if row.available and row.variant and row.default is default
                and (runner.provider, row.algorithm, row.variant) not in done
            ]  # fmt: skip
            if names:
                yield runner, names[:BATCH]


def _examine(
    build: InstalledBuild,
    runner: RunnerBinary,
    names: Sequence[Name],
    valgrind: Valgrind | str,
    observer: BuildObserver,
) -> list[ConstantTimeResult]:
    if runner.start:  # Memcheck would report the interpreter, and a garbage collector decides the times.
        return [_result(runner.provider, name, _NOT_NATIVE, _NOT_NATIVE) for name in names]
    program = build.runners[runner.provider]
    timed = examine(program, names, observer)
    if isinstance(valgrind, str):
        return [_result(runner.provider, name, valgrind, timed[name]) for name in names]
    followed = examine(program, names, observer, valgrind.command)
    return [_result(runner.provider, name, followed[name], timed[name]) for name in names]


def _result(
    provider: str, name: Name, followed: RunnerConstantTime | str, timed: RunnerConstantTime | str
) -> ConstantTimeResult:
    """Combine both reports of an implementation, or the reasons why there are none."""
    algorithm, variant = name
    secrets, reason = (None, followed) if isinstance(followed, str) else (followed.secrets, followed.secrets_reason)
    timing, why = (None, timed) if isinstance(timed, str) else (timed.timing, timed.timing_reason)
    hidden: list[str] = []
    if secrets and provider != OWN_PROVIDER and not isinstance(followed, str) and not isinstance(timed, str):
        hidden = [feature for feature in timed.cpu_features if feature not in followed.cpu_features]
    return ConstantTimeResult(
        provider=provider,
        algorithm=algorithm,
        variant=variant,
        errors=min(secrets.errors, _MAX_ERRORS) if secrets else None,
        max_message_bytes=max(secrets.message_bytes) if secrets else None,
        hidden_features=hidden,
        reason="" if secrets else (reason or "the runner gave no reason")[:500],
        t=timing.t if timing else None,
        timed_calls=timing.calls if timing else None,
        timing_reason="" if timing else (why or "the runner gave no reason")[:500],
    )


def _identity(result: ConstantTimeResult) -> _Identity:
    return result.provider, result.algorithm, result.variant


def _load(build: InstalledBuild) -> list[_StoredCheck]:
    """Return the stored results of the programs that the build has; an empty list for a missing or damaged file."""
    stored = _STORED.read(build.folder / CHECKS_FILE) or []
    return [one for one in stored if one.binary_sha256 == build.binary_sha256(one.result.provider)]


@dataclass
class CheckQueue:
    """Builds whose results are to be found and reported: in the order in which they were added, a batch at a time."""

    _builds: dict[str, InstalledBuild] = field(default_factory=dict)
    _unreported: list[ConstantTimeResult] = field(default_factory=list)
    """Results of the first build."""
    _began: str = ""
    """Key of the build whose stored results were taken."""

    def add(self, build: InstalledBuild) -> None:
        """Add a build, unless it is there."""
        self._builds.setdefault(build.build_key, build)

    def first(self) -> InstalledBuild | None:
        """Return the build whose turn it is, or None."""
        return next(iter(self._builds.values()), None)

    def next_results(
        self, build: InstalledBuild, valgrind: Valgrind | str, observer: BuildObserver
    ) -> list[ConstantTimeResult]:
        """Return unreported results of the first build: stored ones, or those of the next batch. Raises Interrupted."""
        if self._began != build.build_key:
            self._unreported, self._began = load_checks(build), build.build_key
        if not self._unreported:
            self._unreported = check_next(build, valgrind, observer)
        return self._unreported

    def confirm(self) -> None:
        """Forget results that were reported."""
        self._unreported = []

    def finish(self, build: InstalledBuild) -> None:
        """Remove a build without further results, or whose results were rejected."""
        self._builds.pop(build.build_key, None)
        self._unreported, self._began = [], ""
