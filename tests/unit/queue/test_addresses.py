import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.queue.addresses import BrokerAddress
from orchestrator.shared.errors import SetupError

_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=20)


class TestParse:
    @pytest.mark.parametrize(
        "url",
        [
            "redis://127.0.0.1:6379/0",
            "rediss://redis.example:6380/2",
            "redis://[::1]:6379/0",
            "redis+socket:///run/redis.sock",
            "redis://user:password@host:6379/0",
            "redis+socket://user:password@/run/redis.sock",
        ],
    )
    def test_url_round_trips(self, url: str) -> None:
        assert BrokerAddress.parse(url).url == url

    @given(_TEXT, _TEXT)
    def test_credentials_with_any_characters_round_trip(self, username: str, password: str) -> None:
        for url in ("redis://host:1/0", "redis+socket:///a b/redis.sock"):
            address = BrokerAddress.parse(url).logged_in(username, password)
            assert BrokerAddress.parse(address.url) == address

    @pytest.mark.parametrize(
        "url",
        ["", "http://host", "redis://", "redis://host:port/0", "redis://host/x", "redis+socket://relative", "host:1"],
    )
    def test_invalid_url_is_rejected_without_its_password(self, url: str) -> None:
        with pytest.raises(SetupError, match="is not an address of Redis"):
            BrokerAddress.parse(url)
        with pytest.raises(SetupError) as refusal:
            BrokerAddress.parse(url + "?secret")
        assert "secret" not in str(refusal.value)

    def test_representation_contains_no_password(self) -> None:
        assert "hidden" not in repr(BrokerAddress.parse("redis://user:hidden@host:1/0"))


class TestForms:
    def test_each_library_parses_its_url(self) -> None:
        socket = BrokerAddress.parse("unix:///run/redis.sock")
        assert (socket.redis_url, socket.celery_url) == (
            "unix:///run/redis.sock",
            "ciphermark+socket:///run/redis.sock",
        )
        tcp = BrokerAddress.parse("redis://host")
        assert tcp.redis_url == tcp.celery_url == "redis://host:6379/0"
