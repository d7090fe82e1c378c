"""Expected digests of earlier versions: those of the service stay, those of one agent's providers are judged again."""

from datetime import UTC, datetime
from pathlib import Path

from alembic import command
from sqlalchemy import MetaData, Table, create_engine, select

from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date, config_for
from orchestrator.database.models import ExpectedDigest, PendingDigest
from orchestrator.results.digests.computing import DigestComputer
from orchestrator.results.digests.service import resolve_pending
from orchestrator.settings import ServiceSettings

AT = datetime(2026, 11, 22, tzinfo=UTC).replace(tzinfo=None)


def test_agreements_of_providers_are_judged_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ciphermark.sqlite'}"
    command.upgrade(config_for(url), "0014")
    engine = create_engine(url)
    digest = {"input_sha256": "1" * 64, "ciphertext_sha256": "2" * 64, "detail": "", "established_at": AT}
    with engine.begin() as connection:
        expected = Table("expected_digests", MetaData(), autoload_with=connection)
        connection.execute(expected.insert().values(algorithm="aes-128-ctr", basis="third-party", **digest))
        connection.execute(expected.insert().values(algorithm="salsa20-256", basis="agreement", **digest))
    engine.dispose()
    bring_up_to_date(url)
    database = Database(url)
    with database.read() as session:
        kept = session.scalars(select(ExpectedDigest).order_by(ExpectedDigest.id)).all()
    assert [(one.algorithm, one.basis, one.vouched_by) for one in kept] == [
        ("aes-128-ctr", "service", "service"), ("salsa20-256", "agents", ""),
    ]  # fmt: skip
    settings = ServiceSettings(data_folder=tmp_path, cache_folder=tmp_path / "cache")
    computer = DigestComputer(database, settings)
    computer.step()
    with database.read() as session:
        assert [one.algorithm for one in session.scalars(select(PendingDigest))] == ["salsa20-256"]
    resolve_pending(database, settings)
    with database.read() as session:
        assert [one.algorithm for one in session.scalars(select(ExpectedDigest))] == ["aes-128-ctr"]
    computer.close()
    database.close()
