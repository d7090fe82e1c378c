"""The service's own runners decide what is correct for algorithms that Python's ``cryptography`` lacks."""

import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from orchestrator.compilation.cpu_features import device_machine
from orchestrator.compilation.reference.known_answers import known_answers, own_source_sha256
from orchestrator.compilation.reference.own_runners import CannotCompute, OwnRunners
from orchestrator.compilation.reference.proven_cryptography import is_proven
from orchestrator.database.models import PendingDigest, ServiceDigest
from orchestrator.results.digests.computing import DigestComputer
from orchestrator.results.digests.service import resolve_pending
from orchestrator.shared.resources import shipped
from orchestrator.wire.builds import BuildReport, RunnerBinary, Toolchain
from orchestrator.wire.runners import ListReport
from tests.support import cross_builds
from tests.support.live_service import serve
from tests.support.paths import REPOSITORY
from tests.support.result_world import CHUNK, World, latency_record, record
from tests.support.waiting import until

PROVIDERS = ("own", "botan")
FALSE = "e" * 64


@pytest.fixture
def cache_folder(tmp_path: Path) -> Path:
    """Return a cache with one build of the present sources, as a daemon on the service's machine leaves it."""
    return install(tmp_path / "cache", source_sha256=own_source_sha256())


def install(cache_folder: Path, **changes: Any) -> Path:

    folder = cache_folder / "builds" / ("b" * 64)
    folder.mkdir(parents=True)
    runners = []
    for provider in PROVIDERS:
        program = folder / f"ciphermark-{provider}"
        shutil.copy2(REPOSITORY / "build" / "runners" / program.name, program)
        listing = subprocess.run([program, "list"], capture_output=True, check=True).stdout
        runners.append(
            RunnerBinary(
                provider=provider,
                sha256=hashlib.sha256(program.read_bytes()).hexdigest(),
                size_bytes=program.stat().st_size,
                listing=ListReport.model_validate_json(listing),
            )
        )
    report = BuildReport(build_key="b" * 64, toolchain=Toolchain(), compiler_version="gcc", runners=runners, **changes)
    (folder / "build.json").write_text(report.model_dump_json())
    return cache_folder


def settle(world: World, computer: DigestComputer) -> None:
    """Step and judge, as the scheduler's ticks do, until nothing is requested or pending."""

    def is_settled() -> bool:
        computer.step()
        resolve_pending(world.database, world.settings, 10, computer.runners_key)
        with world.database.read() as session:
            open_rows = session.scalars(select(ServiceDigest).where(ServiceDigest.output_sha256.is_(None))).all()
            untried = [row for row in open_rows if row.runners_key != computer.runners_key]
            return not untried and session.scalars(select(PendingDigest)).first() is None

    until(is_settled, "the digests of the service's runners", 60)


def measure(world: World, case_id: int, digest: str) -> None:
    world.store(*(record(case_id, i, output_sha256=digest) for i in (1, 2)))


def expected(cache_folder: Path, tmp_path: Path, algorithm: str) -> str:
    runners = OwnRunners.find(cache_folder)
    source = tmp_path / "chunk"
    source.write_bytes(CHUNK)
    return runners.output_sha256_of_file(runners.of(algorithm), source, len(CHUNK))


def test_service_decides_where_cryptography_lacks_the_algorithm(
    world: World, cache_folder: Path, tmp_path: Path
) -> None:
    settings = world.settings.model_copy(update={"cache_folder": cache_folder})
    truth = expected(cache_folder, tmp_path, "salsa20-256")
    cases = world.run(["own", "botan"], "salsa20-256")
    measure(world, cases["own"], truth)
    measure(world, cases["botan"], FALSE)
    computer = DigestComputer(world.database, settings)
    computer.step()
    # Until the runners have tried, the difference is not a dispute: honest results stay ok.
    resolve_pending(world.database, settings, 10, computer.runners_key)
    assert world.states(cases["own"])[:2] == ["ok", "ok"]
    settle(world, computer)
    computer.close()
    assert world.states(cases["own"])[:2] == ["ok", "ok"]
    assert world.states(cases["botan"])[:2] == ["wrong", "wrong"]
    assert world.case(cases["own"]).vouched_by == "service"


def test_service_computes_timed_messages_with_associated_data(world: World, cache_folder: Path) -> None:
    settings = world.settings.model_copy(update={"cache_folder": cache_folder})
    sealed = {"algorithm": "ascon-128", "associated_data_bytes": 8, "fill": "random", "input_sha256": "7" * 64}
    case_id = world.time_calls({"own": sealed})["own"]
    world.store(latency_record(case_id, output_sha256=FALSE))
    computer = DigestComputer(world.database, settings)
    resolve_pending(world.database, settings, 10, computer.runners_key)
    settle(world, computer)
    computer.close()
    assert world.states(case_id)[0] == "wrong"
    with world.database.read() as session:
        row = session.scalars(select(ServiceDigest)).one()
    assert row.computed_by.startswith("ciphermark-own")


def test_without_runners_the_reason_is_stored_and_runners_found_later_compute(
    world: World, cache_folder: Path, tmp_path: Path
) -> None:
    case_id = world.run(["own"], "salsa20-256")["own"]
    measure(world, case_id, FALSE)
    without = world.settings.model_copy(update={"cache_folder": tmp_path / "empty"})
    computer = DigestComputer(world.database, without)
    resolve_pending(world.database, without, 10, computer.runners_key)
    settle(world, computer)
    computer.close()
    with world.database.read() as session:
        assert "no runners of the service's sources" in session.scalars(select(ServiceDigest.reason)).one()
    later = DigestComputer(world.database, world.settings.model_copy(update={"cache_folder": cache_folder}))
    settle(world, later)
    later.close()
    assert world.states(case_id)[0] == "wrong"


def test_runners_of_the_installed_wheel_decide(tmp_path: Path) -> None:
    carried = cross_builds.origin(machine=device_machine())
    cache = install(tmp_path / "cache", source_sha256=own_source_sha256(), cross_built=carried)
    assert OwnRunners.find(cache).of("salsa20-256").implementation.algorithm == "salsa20-256"


@pytest.mark.parametrize(
    "changes",
    [
        {"source_sha256": "1" * 64},
        {"source_sha256": None, "prebuilt": True},
        {
            "source_sha256": own_source_sha256(),
            "cross_built": cross_builds.origin(machine="armhf" if device_machine() != "armhf" else "aarch64"),
        },
    ],
    ids=["other", "prebuilt", "other machine"],
)
def test_runners_of_unknown_origin_decide_nothing(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(CannotCompute, match="no runners"):
        OwnRunners.find(install(tmp_path / "cache", **changes)).of("salsa20-256")


def test_altered_runner_decides_nothing(cache_folder: Path) -> None:
    with (cache_folder / "builds" / ("b" * 64) / "ciphermark-own").open("ab") as program:
        program.write(b"x")
    assert OwnRunners.find(cache_folder).implementations == ()


def test_runner_that_fails_its_known_answers_decides_nothing(cache_folder: Path) -> None:
    runners = OwnRunners.find(cache_folder)
    (cache_folder / "builds" / ("b" * 64) / "ciphermark-own").chmod(0o600)
    with pytest.raises(CannotCompute, match="ended with 126"):
        runners.of("ascon-128")
    with pytest.raises(CannotCompute, match="have no rot13"):
        runners.of("rot13")


def test_crypt_of_the_service_equals_its_known_answers(cache_folder: Path, tmp_path: Path) -> None:
    runners = OwnRunners.find(cache_folder)
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes(bytes(100))
    answers = known_answers("salsa20-256")
    assert answers is not None
    first = answers.answers[0].values
    key, nonce = bytes.fromhex(first["Key"]), bytes.fromhex(first["Nonce"])
    source.write_bytes(bytes.fromhex(first["PT"]))
    runners.crypt(runners.of("salsa20-256"), key, nonce, source, target)
    assert target.read_bytes().hex().upper() == first["CT"]


def test_cryptography_is_used_only_for_algorithms_that_it_proves() -> None:
    assert is_proven("aes-128-ctr")
    assert not is_proven("salsa20-256")
    assert not is_proven("../../etc/passwd")
    assert len([path for path in (shipped("runners") / "vectors").glob("*.vec") if is_proven(path.stem)]) >= 20


def test_readiness_names_what_confirms_outputs(tmp_path: Path) -> None:
    def reference() -> dict[str, Any]:
        (part,) = [part for part in client.get("/api/v1/readiness").json()["parts"] if part["name"] == "reference"]
        return dict(part)

    cache = tmp_path / "cache"
    with serve(tmp_path / "data", cache_folder=cache) as served, served.client() as client:
        none = reference()
        assert none["ready"]
        assert "confirmed by agents only" in none["detail"]
        assert "ciphermark runners build" in none["detail"]
        install(cache, source_sha256=own_source_sha256())
        found = reference()
    assert found["ready"]
    assert "own runners compute" in found["detail"]
    assert "botan" in found["detail"]
