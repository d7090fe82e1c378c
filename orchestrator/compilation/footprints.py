"""Memory footprint of each proved implementation of a build: code, static data, context, and stack."""

from collections.abc import Iterator
from pathlib import Path

import structlog
from pydantic import ValidationError

from orchestrator.compilation.folders import cache_of
from orchestrator.compilation.installed import InstalledBuild, Program
from orchestrator.compilation.native.build import BUILD_FOLDER
from orchestrator.compilation.native.cmake import measure_code_sizes
from orchestrator.compilation.native.code_sizes import CodeSize, CodeSizes, load_code_sizes, store_code_sizes
from orchestrator.compilation.native.installation import cache_lock, remove_leftover, unfinished_folder
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.compilation.proofs import ProofBook
from orchestrator.compilation.runner_output import execute_runner
from orchestrator.compilation.target_sizes import FIRMWARE, read_targets, sizes_on_target
from orchestrator.shared.errors import BuildFailed
from orchestrator.shared.files.stored import StoredDocument
from orchestrator.wire.builds import FootprintResult
from orchestrator.wire.runners import RunnerFootprint

FOOTPRINTS_FILE = "footprints.json"
_SECONDS = 60
_NO_STACK = "context and stack of a masked variant depend on its shares and are not measured"
_ROWS = StoredDocument[list[FootprintResult]](list[FootprintResult])
_log = structlog.get_logger(__name__)


def find_footprints(build: InstalledBuild, proofs: ProofBook, observer: BuildObserver) -> list[FootprintResult]:
    """Return the footprint of every implementation that passed its known answers, from the cache or measured now."""
    known = load_footprints(build)
    if known:
        return known
    if all(runner.start for runner in build.report.runners):
        return []  # Code size and stack of an interpreted or managed program are not those of its cipher.
    sizes = _code_sizes(build, observer)
    rows = []
    masked = {
        (runner.provider, row.algorithm, row.variant)
        for runner in build.report.runners
        for row in runner.listing.implementations
        if row.masking is not None
    }
    for proof in proofs.proofs:
        if proof.passed:
            observer.report(f"footprint: {proof.algorithm} {proof.variant} by {proof.provider}")
            size = sizes.of(proof.provider, proof.algorithm, proof.variant)
            is_masked = (proof.provider, proof.algorithm, proof.variant) in masked
            rows.append(_footprint(build.runners[proof.provider], size, is_masked))
    _ROWS.write(build.folder / FOOTPRINTS_FILE, rows)
    return rows


def target_footprints(build: InstalledBuild, source: Path, observer: BuildObserver) -> Iterator[list[FootprintResult]]:
    """Yield the footprints of the own ciphers on each target whose compiler is installed, from the cache or made now.

    source: folder that the build was compiled from. A target that does not compile has no rows.
    """
    for target in read_targets(source).values():
        if not target.has_compiler:
            continue
        path = build.folder / f"footprints-{target.name}.json"
        found = _ROWS.read(path)
        if found is None:
            observer.report(f"footprint: {target.name}")
            try:
                found = sizes_on_target(source, target.name, FIRMWARE, observer).rows
            except BuildFailed as error:
                _log.warning("sizes on a target are not known", target=target.name, error=str(error))
                found = []
            _ROWS.write(path, found)
        yield found


def _code_sizes(build: InstalledBuild, observer: BuildObserver) -> CodeSizes:
    """Return the code sizes of a build; absent ones are measured where it was compiled."""
    known = load_code_sizes(build.folder)
    if known is not None:
        return known
    cache_folder = cache_of(build.folder)
    with cache_lock(cache_folder, observer), unfinished_folder(cache_folder, build.build_key) as folder:
        sizes = measure_code_sizes(folder / BUILD_FOLDER, observer, build.report.source_sha256)
        store_code_sizes(build.folder, sizes)
        remove_leftover(folder)
    return sizes


def load_footprints(build: InstalledBuild) -> list[FootprintResult]:
    """Return the stored footprints; an empty list if there are none."""
    return _ROWS.read(build.folder / FOOTPRINTS_FILE) or []


def _footprint(program: Program, size: CodeSize, is_masked: bool) -> FootprintResult:
    """Combine the sizes from the linker with the stack use that the runner measured."""
    found = _NO_STACK if is_masked else _stack_report(program, size.algorithm, size.variant)
    memory = found if isinstance(found, RunnerFootprint) else None
    reasons = [size.reason, found if isinstance(found, str) else None]
    return FootprintResult.from_row(
        size,
        context_bytes=memory.context_bytes if memory else None,
        stack_bytes=memory.stack_bytes if memory else None,
        reason="; ".join(reason for reason in reasons if reason)[:2000],
    )


def _stack_report(program: Program, algorithm: str, variant: str) -> RunnerFootprint | str:
    """Return the report of the runner's ``footprint`` command, or why there is none."""
    command = [*program.command, "footprint", "--algorithm", algorithm, "--variant", variant]
    done = execute_runner(command, _SECONDS)
    try:
        return RunnerFootprint.model_validate_json(done.stdout)
    except ValidationError:
        return f"{program.name} footprint {done.failure or 'printed no report'}"
