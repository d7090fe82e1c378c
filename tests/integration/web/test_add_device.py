import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from orchestrator.service.security import tokens
from tests.support.live_service import Served, serve, words_of

pytestmark = pytest.mark.untraced

PATH = "/agents/add"
HTML = {"Accept": "text/html"}


@contextmanager
def logged_in(service: Served, role: tokens.Role) -> Iterator[httpx.Client]:
    """Yield a browser with the session of a role."""
    with service.database.write() as session:
        _, plain = tokens.create(session, role, "test")
    with httpx.Client(base_url=service.url, headers=HTML, timeout=60) as browser:
        assert browser.post("/login", data={"token": plain}).status_code == 303
        yield browser


@pytest.fixture
def admin(served: Served) -> Iterator[httpx.Client]:
    with logged_in(served, "admin") as browser:
        yield browser


class TestAddDevice:
    def test_form_makes_the_command_of_an_invitation(self, served: Served, admin: httpx.Client) -> None:
        assert '<form method="post" action="/agents/add">' in admin.get(PATH).text
        page = admin.post(PATH, data={"name": "pi-attic", "labels": " kitchen  fanless ", "systemd": "on"})
        assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
        command, code = (html.unescape(one) for one in re.findall(r"<code>(.*?)</code>", page.text)[:2])
        assert command.endswith(f'sh "$folder/join.sh" --server {served.url} --insecure-lan --systemd')
        assert code not in command
        with served.database.read() as session:
            token = tokens.find(session, code)
        assert token is not None
        assert (token.agent_name, token.agent_labels) == ("pi-attic", ["kitchen", "fanless"])

    def test_page_names_the_risk_of_an_unencrypted_network(self, tmp_path: Path, served: Served) -> None:
        settings = {"public_url": "http://192.0.2.1:8451", "cache_folder": served.settings.cache_folder}
        with serve(tmp_path, **settings) as lan, logged_in(lan, "admin") as browser:
            page = words_of(browser.post(PATH, data={"name": "pi"}))
        assert "If they changed this page, the line executes their programs on the device" in page
        assert "in a terminal of the service's machine, or use TLS" in html.unescape(page)

    def test_response_as_json_is_the_invitation_of_the_api(self, admin: httpx.Client) -> None:
        view = admin.post(PATH, data={"name": "pi"}, headers={"Accept": "application/json"}).json()
        assert view["invitation"]["code"].startswith("cm_join_")

    def test_invalid_name_is_explained_and_the_fields_stay(self, admin: httpx.Client) -> None:
        page = admin.post(PATH, data={"name": "a b", "labels": "kitchen"})
        assert page.status_code == 422
        assert (
            "expected 1 to 63 letters, digits, dots, underscores and hyphens, the first one a letter or digit"
            in page.text
        )
        assert 'value="kitchen"' in page.text
        assert admin.post(PATH, data={"labels": "x" * 5000}).status_code == 413

    def test_other_roles_see_the_command_for_the_server(self, served: Served) -> None:
        with logged_in(served, "submitter") as browser:
            assert "ciphermark agents invite" in browser.get(PATH).text
            assert browser.post(PATH, data={"name": "pi"}).status_code == 403
