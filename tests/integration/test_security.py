"""Tokens, sessions, hosts, origins, bodies: who may do what, and what no web page can do through a browser."""

import json
import socket
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from orchestrator.service.security import sessions
from tests.support.live_service import Served, words_of
from tests.support.waiting import GENEROUS_SECONDS


@pytest.fixture
def admin(served: Served) -> httpx.Client:
    return served.client("admin")


@pytest.fixture
def anonymous(served: Served) -> Iterator[httpx.Client]:
    with served.client() as client:
        yield client


def problem(response: httpx.Response, status: int) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body = dict(response.json())
    assert body["status"] == status
    assert body["type"].startswith("/problems/")
    assert {"title", "detail", "instance"} <= body.keys()
    return body


class TestTokens:
    def test_made_used_listed_and_revoked(self, served: Served, admin: httpx.Client) -> None:
        made = admin.post("/api/v1/tokens", json={"role": "submitter", "label": "laptop"}).json()
        assert made["token"].startswith("cm_submitter_")
        with served.client_with(made["token"]) as client:
            assert client.get("/api/v1/runs").status_code == 200
            problem(client.get("/api/v1/tokens"), 403)
            listed = admin.get("/api/v1/tokens").json()["items"]
            (shown,) = [token for token in listed if token["id"] == made["id"]]
            assert "token" not in shown
            assert shown["used_at"] is not None
            assert admin.delete(f"/api/v1/tokens/{made['id']}").status_code == 204
            problem(client.get("/api/v1/runs"), 401)

    def test_only_the_hash_is_stored(self, served: Served, admin: httpx.Client) -> None:
        plain = admin.post("/api/v1/tokens", json={"role": "viewer"}).json()["token"]
        files = served.settings.data_folder.glob("ciphermark.sqlite*")
        assert not any(plain.encode() in path.read_bytes() for path in files)


class TestForeignPages:
    """Requests that a page of another origin can start in a user's browser."""

    @pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1"])
    def test_its_origin_is_refused_even_with_a_session(self, served: Served, origin: str) -> None:
        with served.browser() as browser:
            own = {"Origin": served.url}
            assert browser.get("/api/v1/tokens", headers=own).status_code == 200
            problem(browser.post("/api/v1/tokens", json={"role": "viewer"}, headers={"Origin": origin}), 403)
            problem(browser.get("/api/v1/tokens", headers={"Origin": origin}), 403)

    @pytest.mark.parametrize(
        "media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
    )
    def test_a_form_cannot_write(self, served: Served, media_type: str) -> None:
        with served.browser() as browser:
            for body in (b'{"role": "admin"}', b""):
                answer = browser.post("/api/v1/tokens", content=body, headers={"Content-Type": media_type})
                problem(answer, 415)

    @pytest.mark.parametrize(
        ("path", "command"),
        [("tokens", "token create"), ("login-codes", "token login"), ("tokens/self/rotate", "token rotate")],
    )
    def test_a_session_makes_nothing_that_outlives_it(self, served: Served, path: str, command: str) -> None:
        """Regression: it made unlimited admin tokens (S112), and renewed itself by login codes (S111)."""
        own = {"Origin": served.url, "Content-Type": "application/json"}
        with served.browser(**own) as browser:
            refused = browser.post(f"/api/v1/{path}", json={"role": "admin"} if path == "tokens" else {})
        problem(refused, 403)
        assert command in refused.json()["remedy"]

    def test_a_name_that_points_here_is_refused(self, anonymous: httpx.Client) -> None:
        # DNS rebinding: the page's own name, resolved to 127.0.0.1 for its second visit.
        for host in (
            "evil.example",
            "evil.example:8451",
            "127.0.0.1.evil.example",
            "",
            "[::1",
            "localhost@evil.example",
            "evil.example@127.0.0.1",
        ):
            problem(anonymous.get("/api/v1/runs", headers={"Host": host}), 421)

    def test_no_answer_allows_other_origins(self, anonymous: httpx.Client) -> None:
        answer = anonymous.options(
            "/api/v1/runs", headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
        )
        assert answer.status_code == 403
        assert not [name for name in answer.headers if name.startswith("access-control")]


class TestSessions:
    def test_a_code_works_once(self, served: Served) -> None:
        with served.database.write() as session:
            code = sessions.create_code(session)
        with served.client() as browser:
            answer = browser.get("/login", params={"code": code})
            cookie = answer.headers["set-cookie"].lower()
            assert "httponly" in cookie
            assert "samesite=strict" in cookie
            assert browser.get("/api/v1/tokens").status_code == 200
        assert httpx.get(f"{served.url}/login", params={"code": code}, timeout=GENEROUS_SECONDS).status_code == 401

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    def test_a_link_on_another_site_replaces_no_session(self, served: Served, site: str) -> None:
        """Regression: the owner of a code could make visitors work in a session of theirs (S119)."""
        with served.database.write() as session:
            code = sessions.create_code(session)
        opened = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}
        with served.client() as browser:
            form = browser.get("/login", params={"code": code}, headers=opened)
            assert (form.status_code, "set-cookie" in form.headers) == (200, False)
            assert "it replaces your present session" in words_of(form)
            foreign = {"Origin": "https://evil.example"}
            assert browser.post("/login", data={"code": code}, headers=foreign).status_code == 403
            assert browser.post("/login", data={"code": code}, headers={"Origin": served.url}).status_code == 303
            assert browser.get("/api/v1/tokens").status_code == 200

    def test_after_logout_the_cookie_is_nothing(self, served: Served, admin: httpx.Client) -> None:
        code = admin.post("/api/v1/login-codes").json()["code"]
        with served.database.write() as session:
            cookie = sessions.open_by_code(session, code)
        jar = {sessions.COOKIE: cookie}
        with httpx.Client(base_url=served.url, cookies=jar, timeout=GENEROUS_SECONDS, verify=False) as browser:
            headers = {"Content-Type": "application/json"}
            assert browser.delete("/api/v1/sessions", headers=headers).status_code == 204
            # A page that is still open reports what its user can do.
            ended = browser.delete("/api/v1/watches/nightly", headers=headers)
            assert (ended.status_code, ended.json()["remedy"].partition(",")[0]) == (401, "Log in again")
        with httpx.Client(base_url=served.url, cookies=jar, timeout=GENEROUS_SECONDS, verify=False) as browser:
            problem(browser.get("/api/v1/tokens"), 401)


class TestBodies:
    @pytest.mark.parametrize(
        ("body", "detail"),
        [
            ('{"role": "viewer", "role": "admin"}', "occurs twice"),
            ('{"role": ' * 5_000, "nested too deeply"),
            ("{", "not valid JSON"),
            ('{"role": "viewer"} {}', "not valid JSON"),
        ],
    )
    def test_json_that_is_a_bomb_or_ambiguous(self, admin: httpx.Client, body: str, detail: str) -> None:
        answer = admin.post("/api/v1/tokens", content=body, headers={"Content-Type": "application/json"})
        found = problem(answer, 422)
        assert detail in found["detail"]
        assert len(answer.content) < 2000

    def test_body_of_100_mb_is_refused_with_a_problem(self, admin: httpx.Client) -> None:
        # The connection was reset before the client could read the response.
        answer = admin.post("/api/v1/runs", content=b"x" * 100_000_000, headers={"Content-Type": "application/json"})
        problem(answer, 413)
        assert admin.get("/api/v1/health").status_code == 200

    @pytest.mark.parametrize("path", ["tokens", "plans/preview", "records", "agents", "sessions", "nothing"])
    def test_body_without_a_token_is_not_parsed(self, anonymous: httpx.Client, path: str) -> None:
        # 60 MiB of arrays without a token took 2 GiB and a minute. Here the rest never arrives: a service that waited
        # for it would answer 408.
        host = f"{anonymous.base_url.host}:{anonymous.base_url.port}"
        lines = (f"POST /api/v1/{path} HTTP/1.1", f"Host: {host}", "Content-Type: application/json",
                 f"Content-Length: {60 * 2**20}", "", "[[],[],")  # fmt: skip
        with socket.create_connection((anonymous.base_url.host, anonymous.base_url.port)) as connection:
            connection.sendall("\r\n".join(lines).encode())
            status_line = connection.makefile("rb").readline().split()
        assert status_line[1] in (b"401", b"404", b"413")

    def test_errors_name_field_value_and_what_is_allowed(self, admin: httpx.Client) -> None:
        found = problem(admin.post("/api/v1/tokens", json={"role": "root", "label": "x" * 10_000}), 422)
        errors = {error["field"]: error for error in found["errors"]}
        assert errors["role"]["seen"] == '"root"'
        assert "'viewer'" in errors["role"]["allowed"]
        assert len(errors["label"]["seen"]) <= 100


class TestHeaders:
    """Headers of a new token and of refusals; test_access.py requires them of every route, for all actors."""

    def test_created_token_and_refusals_are_not_stored(self, admin: httpx.Client) -> None:
        for answer in (
            admin.post("/api/v1/tokens", json={"role": "viewer"}),
            admin.post("/api/v1/tokens", json={"role": "root"}),
            admin.get("/api/v1/nothing"),
            admin.get("/api/v1/health", headers={"Host": "evil.example"}),
        ):
            assert (answer.headers["cache-control"], answer.headers["x-content-type-options"]) == (
                "no-store",
                "nosniff",
            )


class TestProblems:
    def test_unknown_path_and_method(self, anonymous: httpx.Client) -> None:
        problem(anonymous.get("/api/v1/nothing"), 404)
        assert problem(anonymous.get("/api/v1/runs/nosuchrun000"), 404)["remedy"]
        assert "GET" in anonymous.request("PATCH", "/api/v1/health", json={}).headers["allow"]

    @pytest.mark.long
    def test_document_describes_all_problems_and_refusals_and_no_validation_error(
        self, anonymous: httpx.Client
    ) -> None:
        document = anonymous.get("/api/v1/openapi.json").json()
        assert "Problem" in document["components"]["schemas"]
        assert "HTTPValidationError" not in json.dumps(document)
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                assert {"408", "413", "429", "503"} <= operation["responses"].keys(), (path, method)
                content = operation["responses"]["422"]["content"]
                assert list(content) == ["application/problem+json"], (path, method)
