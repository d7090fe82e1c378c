"""Expected digests of earlier versions: those of the service stay, those of one agent's providers are judged again."""

from pathlib import Path

from sqlalchemy import select

from orchestrator.database.models import ExpectedDigest, PendingDigest
from orchestrator.results.digests.service import resolve_pending
from orchestrator.shared.settings import ServiceSettings
from tests.support.earlier_database import earlier_database, migrated


def test_agreements_of_providers_are_judged_again(tmp_path: Path) -> None:
    digest = {"input_sha256": "1" * 64, "ciphertext_sha256": "2" * 64}
    url = earlier_database(tmp_path, "0014", [
        ("expected_digests", {"algorithm": "aes-128-ctr", "basis": "third-party"} | digest),
        ("expected_digests", {"algorithm": "salsa20-256", "basis": "agreement"} | digest),
    ])  # fmt: skip
    with migrated(url) as database:
        with database.read() as session:
            kept = session.scalars(select(ExpectedDigest).order_by(ExpectedDigest.id)).all()
        assert [(one.algorithm, one.basis, one.vouched_by) for one in kept] == [
            ("aes-128-ctr", "service", "service"), ("salsa20-256", "agents", ""),
        ]  # fmt: skip
        settings = ServiceSettings(data_folder=tmp_path, cache_folder=tmp_path / "cache")
        with database.read() as session:
            assert [one.algorithm for one in session.scalars(select(PendingDigest))] == ["salsa20-256"]
        resolve_pending(database, settings)
        with database.read() as session:
            assert [one.algorithm for one in session.scalars(select(ExpectedDigest))] == ["aes-128-ctr"]
