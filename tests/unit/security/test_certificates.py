"""The service's certificate is checked before anything listens."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from orchestrator.service.security.certificates import check_name, check_pair
from orchestrator.shared.errors import SetupError
from tests.support.authority import Authority


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def test_valid_pair_is_accepted(authority: Authority) -> None:
    pair = authority.sign("valid", "bench.example")
    check_pair(pair.certificate, pair.key)


def test_expired_certificate_is_refused_with_its_end(authority: Authority) -> None:
    pair = authority.sign("expired", "bench.example", ends=datetime(2026, 1, 2, 3, 4, tzinfo=UTC))
    with pytest.raises(SetupError, match="expired at 2026-01-02 03:04 UTC") as refusal:
        check_pair(pair.certificate, pair.key)
    assert refusal.value.remedy == "Renew the certificate."


def test_certificate_of_the_future_is_refused(authority: Authority) -> None:
    pair = authority.sign("future", "bench.example")
    with pytest.raises(SetupError, match="is not valid before"):
        check_pair(pair.certificate, pair.key, at=datetime.now(UTC) - timedelta(days=30))


def test_key_of_another_certificate_is_refused(authority: Authority) -> None:
    first, second = authority.sign("first", "bench.example"), authority.sign("second", "bench.example")
    with pytest.raises(SetupError, match="is not the key of"):
        check_pair(first.certificate, second.key)


def test_file_that_is_no_certificate_is_refused(authority: Authority, tmp_path: Path) -> None:
    pair = authority.sign("named", "bench.example")
    (tmp_path / "empty.pem").write_text("")
    with pytest.raises(SetupError, match="cannot be read as a certificate"):
        check_pair(tmp_path / "empty.pem", pair.key)


@pytest.mark.parametrize(
    ("name", "host", "accepted"),
    [
        ("bench.example", "bench.example", True),
        ("bench.example", "BENCH.example", True),
        ("bench.example", "other.example", False),
        ("*.example", "bench.example", True),
        ("*.example", "a.bench.example", False),
        ("*.example", "example", False),
        ("192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("2001:db8::1", "2001:db8:0::1", True),
        ("bench.example", "192.0.2.7", False),
    ],
)
def test_name_is_compared_with_the_alternative_names(
    authority: Authority, name: str, host: str, accepted: bool
) -> None:
    pair = authority.sign("compared", name)
    if accepted:
        check_name(pair.certificate, host)
    else:
        with pytest.raises(SetupError, match=" is for "):
            check_name(pair.certificate, host)
