"""Bodies are bounded and strict JSON; the application receives them unchanged or not at all."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import Response

from orchestrator.errors import InvalidRequest
from orchestrator.security.bodies import MAX_DEPTH, MAX_DIGITS, BodyGuard, BodyLimit, parse_strict

JSON = {"Content-Type": "application/json"}
LIMIT_BYTES = 100
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=20,
)


class TestParseStrict:
    @given(VALUES)
    def test_strict_json_is_parsed_like_json(self, value: Any) -> None:
        assert parse_strict(json.dumps(value)) == value

    @given(st.binary(max_size=200))
    def test_arbitrary_bytes_are_parsed_or_refused(self, data: bytes) -> None:
        with suppress(InvalidRequest):
            parse_strict(data)

    @pytest.mark.parametrize("levels", [1, MAX_DEPTH])
    def test_nesting_up_to_the_limit_is_accepted(self, levels: int) -> None:
        parse_strict("[" * levels + "]" * levels)

    @pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 100_000])
    def test_deeper_nesting_is_refused(self, levels: int) -> None:
        with pytest.raises(InvalidRequest, match=f"{MAX_DEPTH} levels are allowed"):
            parse_strict("[" * levels + "]" * levels)

    def test_duplicate_key_is_named(self) -> None:
        with pytest.raises(InvalidRequest, match="'b' occurs twice") as refusal:
            parse_strict('{"a": {"b": 1, "c": 2, "b": 1}}')
        assert refusal.value.field == "b"

    def test_long_numbers_are_refused(self) -> None:
        assert parse_strict("9" * MAX_DIGITS) == int("9" * MAX_DIGITS)
        with pytest.raises(InvalidRequest, match=f"{MAX_DIGITS + 1} digits"):
            parse_strict("9" * (MAX_DIGITS + 1))

    @pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
    def test_constants_outside_json_are_refused(self, constant: str) -> None:
        with pytest.raises(InvalidRequest, match=f"{constant} is not valid JSON"):
            parse_strict(f'{{"value": {constant}}}')


async def _echo(scope: Any, receive: Any, send: Any) -> None:
    await Response(await Request(scope, receive).body())(scope, receive, send)


def post(path: str, content: bytes | AsyncIterator[bytes], headers: dict[str, str] | None = None) -> httpx.Response:
    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(BodyGuard(_echo, [BodyLimit("/small", LIMIT_BYTES)]))
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
            return await client.post(path, content=content, headers=JSON if headers is None else headers)

    return asyncio.run(send())


class TestBodyGuard:
    def test_application_receives_the_body_unchanged(self) -> None:
        body = b'{"a":  [1, 2.50, "\\u00e9"]}'

        assert post("/large", body).content == body

    @pytest.mark.parametrize(("length", "status"), [(LIMIT_BYTES, 200), (LIMIT_BYTES + 1, 413)])
    def test_limit_of_a_path_counts_bytes(self, length: int, status: int) -> None:
        body = b'"' + b"x" * (length - 2) + b'"'

        assert post("/small", body).status_code == status
        assert post("/large", body).status_code == 200

    def test_body_without_announced_length_is_limited(self) -> None:
        async def chunks() -> AsyncIterator[bytes]:
            for _ in range(LIMIT_BYTES):
                yield b"xx"

        assert post("/small", chunks()).status_code == 413

    def test_announced_length_that_is_not_a_number_is_refused(self) -> None:
        assert post("/small", b"{}", {**JSON, "Content-Length": "many"}).status_code == 413

    @pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
    def test_form_of_another_site_is_refused(self, media_type: str) -> None:
        answer = post("/large", b"{}", {"Content-Type": media_type})

        assert answer.status_code == 415
        assert media_type in answer.json()["detail"]

    def test_media_type_may_have_parameters(self) -> None:
        assert post("/large", b"{}", {"Content-Type": "Application/JSON; charset=utf-8"}).status_code == 200

    def test_empty_body_requires_json_or_a_bearer_token(self) -> None:
        assert post("/large", b"", {}).status_code == 415
        assert post("/large", b"", {"Authorization": "Bearer x"}).status_code == 200

    def test_login_form_is_accepted(self) -> None:
        form = {"Content-Type": "application/x-www-form-urlencoded"}

        assert post("/login", b"token=x", form).content == b"token=x"

    def test_invalid_json_is_a_problem_detail(self) -> None:
        answer = post("/large", b'{"a": 1, "a": 2}')

        assert answer.status_code == 422
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["field"] == "a"
