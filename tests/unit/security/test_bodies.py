"""Bodies are bounded in size, time, nodes and depth, and strict JSON."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.types import Message

from orchestrator.service.security.bodies import (
    DEFAULT_LIMIT,
    MAX_DEPTH,
    MAX_DIGITS,
    PLAN_LIMIT,
    RECORDS_LIMIT,
    BodyLimit,
    BodyTimes,
    announced_bytes,
    check_media_type,
    check_size_of,
    parse_strict,
    read_body,
)
from orchestrator.shared.errors import BodyTimeout, BodyTooLong, InvalidRequest, MediaTypeRefused
from orchestrator.wire.launcher import MAX_CURVE_SAMPLES
from orchestrator.wire.records import CurveSamples

LIMIT = BodyLimit(max_bytes=100, max_nodes=10)
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

    def test_duplicate_key_after_many_others_is_found_in_one_pass(self) -> None:
        # The keys before it were counted once for each of them: 90 000 keys took minutes.
        keys = ",".join(f'"k{number}":0' for number in range(200_000))
        with pytest.raises(InvalidRequest, match="'k199999' occurs twice"):
            parse_strict(f'{{{keys},"k199999":0}}', max_nodes=600_000)

    def test_long_numbers_are_refused(self) -> None:
        assert parse_strict("9" * MAX_DIGITS) == int("9" * MAX_DIGITS)
        with pytest.raises(InvalidRequest, match=f"{MAX_DIGITS + 1} digits"):
            parse_strict("9" * (MAX_DIGITS + 1))

    @pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
    def test_constants_outside_json_are_refused(self, constant: str) -> None:
        with pytest.raises(InvalidRequest, match=f"{constant} is not valid JSON"):
            parse_strict(f'{{"value": {constant}}}')


class TestCheckSizeOf:
    @given(VALUES)
    def test_marks_inside_of_strings_are_not_counted(self, value: Any) -> None:
        def nodes(node: Any) -> int:
            children = list(node.values()) if isinstance(node, dict) else node if isinstance(node, list) else []
            keys = len(node) if isinstance(node, dict) else 0
            return 1 + keys + sum(nodes(child) for child in children)

        check_size_of(json.dumps([value, ",:[{" * 50]).encode(), 2 * nodes(value) + 4)

    def test_many_nodes_are_refused_before_they_are_built(self) -> None:
        with pytest.raises(InvalidRequest, match="about 50001 values; 20000 are allowed"):
            check_size_of(b"[" + b"[]," * 24_999 + b"[]]", DEFAULT_LIMIT.max_nodes)

    # A scan in quadratic time makes 10^12 steps for each of these: it does not end.
    @pytest.mark.parametrize("text", [b'"\\"' * 500_000, b'"' + b"\\" * 1_000_001, b'"' * 999_999, b"[" * 1_000_000])
    def test_hostile_text_is_scanned_in_linear_time(self, text: bytes) -> None:
        with suppress(InvalidRequest):
            check_size_of(text + b"[" * 100, 2_000_000)


def stream(*parts: bytes, ends: bool = True) -> Any:
    """Return an ASGI receive channel with these parts; without an end it waits forever after them."""

    def messages() -> Iterator[Message]:
        for number, part in enumerate(parts, 1):
            yield {"type": "http.request", "body": part, "more_body": not ends or number < len(parts)}

    waiting = messages()

    async def receive() -> Message:
        found = next(waiting, None)
        if found is None:
            await asyncio.Event().wait()
            raise AssertionError("unreachable")
        return found

    return receive


class TestReadBody:
    def test_parts_are_joined(self) -> None:
        assert asyncio.run(read_body(stream(b"one ", b"two"), LIMIT)) == b"one two"

    def test_body_of_a_disconnected_client_ends_where_it_is(self) -> None:
        async def receive() -> Message:
            return {"type": "http.disconnect"}

        assert asyncio.run(read_body(receive, LIMIT)) == b""

    def test_longer_body_is_refused_at_the_limit(self) -> None:
        assert asyncio.run(read_body(stream(b"x" * 100), LIMIT)) == b"x" * 100
        with pytest.raises(BodyTooLong, match="longer than 100 bytes"):
            asyncio.run(read_body(stream(b"x" * 60, b"x" * 41, ends=False), LIMIT))

    @pytest.mark.parametrize("times", [BodyTimes(stall_seconds=0.01), BodyTimes(total_seconds=0.01)])
    def test_stalled_or_endless_body_is_refused(self, times: BodyTimes) -> None:
        with pytest.raises(BodyTimeout, match="1 bytes within"):
            asyncio.run(read_body(stream(b"x", ends=False), LIMIT, times))


class TestLimits:
    @pytest.mark.parametrize("length", ["101", "many", "-1", "9" * 30, "¹"])
    def test_announced_length_beyond_the_limit_is_refused(self, length: str) -> None:
        with pytest.raises(BodyTooLong):
            announced_bytes(Headers({"content-length": length}), LIMIT)

    def test_announced_length_within_the_limit_is_returned(self) -> None:
        assert announced_bytes(Headers({"content-length": "100"}), LIMIT) == 100
        assert announced_bytes(Headers(), LIMIT) is None

    def test_records_have_room_for_the_longest_curve(self) -> None:
        # 24 hours in nanoseconds, a terabyte, and 999 threads.
        sample = (86_400 * 10**9, 10**12, 86_400 * 10**9, 999)
        one = CurveSamples(at_ns=[sample[0]], rss_bytes=[sample[1]], cpu_ns=[sample[2]], threads=[sample[3]])
        two = CurveSamples(**{name: getattr(one, name) * 2 for name in ("at_ns", "rss_bytes", "cpu_ns", "threads")})
        per_sample = len(two.model_dump_json()) - len(one.model_dump_json())
        assert MAX_CURVE_SAMPLES * per_sample + 2**20 <= RECORDS_LIMIT.max_bytes
        assert PLAN_LIMIT.max_bytes < RECORDS_LIMIT.max_bytes


class TestMediaType:
    def test_media_type_may_have_parameters(self) -> None:
        check_media_type("POST", Headers({"content-type": "Application/JSON; charset=utf-8"}), has_body=True)

    def test_empty_body_requires_json_or_a_bearer_token(self) -> None:
        check_media_type("POST", Headers({"authorization": "Bearer x"}), has_body=False)
        with pytest.raises(MediaTypeRefused):
            check_media_type("POST", Headers(), has_body=False)

    def test_method_that_no_form_has_needs_no_media_type_without_a_body(self) -> None:
        """Regression: a session could delete nothing without the media type of an absent body (S120)."""
        check_media_type("DELETE", Headers(), has_body=False)
        with pytest.raises(MediaTypeRefused):
            check_media_type("DELETE", Headers(), has_body=True)
