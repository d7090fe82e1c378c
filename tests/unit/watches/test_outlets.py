"""Outlets that cannot or may not be used are refused."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from orchestrator.service.security.callers import Caller
from orchestrator.shared.errors import Forbidden, InvalidRequest
from orchestrator.shared.settings import ServiceSettings
from orchestrator.watches.reports.mail import MailServer
from orchestrator.watches.reports.outlets import check_outlets, split_webhook
from orchestrator.watches.schemas import Outlet

SUBMITTER, ADMIN = Caller("submitter", "ci"), Caller("admin", "ops")


class TestWebhooks:
    @pytest.mark.parametrize(
        "host",
        ["127.0.0.1", "localhost", "10.1.2.3", "192.168.0.7", "169.254.169.254", "[::1]", "[fe80::1]", "[fd00::7]",
         "[::ffff:10.0.0.1]", "[2002:0a00:0001::]", "[64:ff9b::a9fe:a9fe]", "0.0.0.0", "224.0.0.1",
         "100.64.0.1", "2130706433",
         # IPv4 addresses in other forms (S118): compatible, of a local translator, translated.
         "[::127.0.0.1]", "[64:ff9b:1::7f00:1]", "[::ffff:0:7f00:1]"],
    )  # fmt: skip
    def test_private_address_in_any_form_is_refused(self, host: str) -> None:
        with pytest.raises(InvalidRequest, match=r"not public|cannot be resolved"):
            split_webhook(f"https://{host}/hook", "")

    @pytest.mark.parametrize(
        "url",
        ["http://8.8.8.8/", "ftp://8.8.8.8/", "https://user@8.8.8.8/", "https://8.8.8.8/#part", "https:///hook",
         "https://8.8.8.8:x/", "https://8.8.8.8/ä", "https://8.8.8.8/a b", "https://:key@8.8.8.8/", ""],
    )  # fmt: skip
    def test_other_forms_are_refused_with_the_expected_one(self, url: str) -> None:
        with pytest.raises(InvalidRequest, match="expected is https://host/path"):
            split_webhook(url, "")

    def test_refusal_does_not_reveal_the_address(self) -> None:
        with pytest.raises(InvalidRequest, match="not public") as refused:
            split_webhook("https://localhost/hook", "")
        assert "127.0.0.1" not in str(refused.value)
        assert "::1" not in str(refused.value)

    @pytest.mark.parametrize("port", [22, 80, 6379, 8000])
    def test_other_ports_require_the_operator(self, port: int) -> None:
        with pytest.raises(InvalidRequest, match="cannot be that of a webhook"):
            split_webhook(f"https://8.8.8.8:{port}/hook", "")
        assert split_webhook(f"https://8.8.8.8:{port}/hook", "8.8.8.8").port == port

    @pytest.mark.parametrize("host", ["[2606:4700:4700::1111]", "[64:ff9b::808:808]", "[::ffff:8.8.8.8]"])
    def test_public_address_of_version_6_is_accepted(self, host: str) -> None:
        assert len(split_webhook(f"https://{host}/hook", "").addresses) == 1

    def test_public_address_is_used_as_it_was_checked(self) -> None:
        found = split_webhook("https://8.8.8.8:8443/hook?a=1", "")
        assert (found.scheme, found.host, found.port, found.path) == ("https", "8.8.8.8", 8443, "/hook?a=1")
        assert found.addresses == ["8.8.8.8"]

    def test_operator_allows_a_private_host_and_plain_http_to_it(self) -> None:
        assert split_webhook("http://127.0.0.1:9000", "ci.lan, 127.0.0.1").addresses == ["127.0.0.1"]
        with pytest.raises(InvalidRequest):
            split_webhook("http://127.0.0.2:9000", "ci.lan, 127.0.0.1")


def test_email_requires_an_admin(tmp_path: Path) -> None:
    outlet = Outlet(kind="email", target="dev@example.org")
    without = ServiceSettings(data_folder=tmp_path)
    settings = ServiceSettings(data_folder=tmp_path, mail_url=SecretStr("smtp://mail.example.org"))
    check_outlets(settings, ADMIN, [outlet])
    with pytest.raises(Forbidden, match="Only an admin"):
        check_outlets(settings, SUBMITTER, [outlet])
    with pytest.raises(InvalidRequest, match="has no mail server"):
        check_outlets(without, ADMIN, [outlet])
    with pytest.raises(InvalidRequest, match="not an email address"):
        check_outlets(settings, ADMIN, [Outlet(kind="email", target="dev@example.org, all@example.org")])


class TestMailServer:
    def test_user_password_and_sender_are_taken_from_the_setting(self) -> None:
        found = MailServer.parse("smtp://ops%40example.org:a%2Fb@mail.example.org?from=bench@example.org")
        assert found == MailServer("smtp", "mail.example.org", 587, "ops@example.org", "a/b", "bench@example.org")
        assert MailServer.parse("smtps://mail.lan").sender == "ciphermark@mail.lan"

    @pytest.mark.parametrize(
        "url", ["", "mail.example.org", "https://a:secret@mail", "smtp://a:secret@:x", "smtp://a:secret%C3%BC@mail"]
    )
    def test_other_settings_are_refused_without_their_secret(self, url: str) -> None:
        with pytest.raises(InvalidRequest, match="CIPHERMARK_MAIL_URL names no mail server") as raised:
            MailServer.parse(url)
        assert "secret" not in str(raised.value)
