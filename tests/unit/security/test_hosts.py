"""Foreign Host headers and foreign origins are refused before the application receives the request."""

import asyncio
import socket

import httpx
import pytest
from starlette.responses import PlainTextResponse

from orchestrator.service.security.hosts import HostGuard, HostRules, rules_for, without_port
from orchestrator.shared.settings import ServiceSettings

LOOPBACK = rules_for(ServiceSettings())
LAN = rules_for(ServiceSettings(host="0.0.0.0", public_url="https://Bench.example:8443"))


def status(rules: HostRules, **headers: str) -> int:
    async def send() -> int:
        transport = httpx.ASGITransport(HostGuard(PlainTextResponse("reached"), rules))
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return (await client.get("/", headers=names)).status_code

    return asyncio.run(send())


class TestHost:
    @pytest.mark.parametrize(
        "host", ["127.0.0.1", "127.0.0.1:8451", "localhost", "[::1]:8451", "LOCALHOST", "localhost."]
    )
    def test_loopback_names_are_accepted(self, host: str) -> None:
        assert status(LOOPBACK, host=host) == 200

    @pytest.mark.parametrize("host", ["evil.example", "192.168.1.5", "127.0.0.1.evil.example", "[::1", "", "a b"])
    def test_other_names_are_refused_on_loopback(self, host: str) -> None:
        assert status(LOOPBACK, host=host) == 421

    @pytest.mark.parametrize(
        "host",
        ["evil.example@127.0.0.1", "@127.0.0.1", "127.0.0.1/", "127.0.0.1?", "127.0.0.1#a", "127.0.0.1:80:80",
         "127.0.0.1:", "127.0.0.1:8451x", " 127.0.0.1", "127.0.0.1\t", "[127.0.0.1", "::1"],
    )  # fmt: skip
    def test_host_of_another_form_is_refused(self, host: str) -> None:
        assert not LOOPBACK.allows_host(without_port(host))

    @pytest.mark.parametrize("host", ["192.168.1.5:8451", "[fe80::1]", "bench.example", socket.gethostname()])
    def test_service_on_a_network_accepts_addresses_and_its_names(self, host: str) -> None:
        assert status(LAN, host=host) == 200

    def test_service_on_a_network_refuses_other_names(self) -> None:
        assert status(LAN, host="evil.example") == 421


class TestOrigin:
    @pytest.mark.parametrize("origin", ["http://localhost:8451", "https://localhost:8451", "HTTP://LOCALHOST:8451"])
    def test_own_origin_is_accepted(self, origin: str) -> None:
        assert status(LOOPBACK, host="localhost:8451", origin=origin) == 200

    @pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:9999", "null", ""])
    def test_foreign_origin_is_refused(self, origin: str) -> None:
        assert status(LOOPBACK, host="localhost:8451", origin=origin) == 403

    def test_origin_of_the_public_url_is_accepted_behind_a_proxy(self) -> None:
        assert status(LAN, host="192.168.1.5", origin="https://bench.example:8443") == 200


class TestFetchSite:
    def test_request_of_another_site_is_refused_unless_it_is_a_link(self) -> None:
        assert status(LOOPBACK, sec_fetch_site="cross-site", sec_fetch_mode="no-cors") == 403
        assert status(LOOPBACK, sec_fetch_site="cross-site", sec_fetch_mode="navigate") == 200
        assert status(LOOPBACK, sec_fetch_site="same-origin", sec_fetch_mode="cors") == 200
