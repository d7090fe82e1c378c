import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.shared.units import (
    format_duration_ns,
    format_limit,
    format_ratio,
    format_share,
    format_size,
    parse_size_bytes,
)


class TestFormatDuration:
    @pytest.mark.parametrize(
        ("duration_ns", "text"),
        [
            (0, "0 ns"),
            (63.25, "63.2 ns"),
            # Regression: 999.7 ns was formatted as "1e+03 ns".
            (999.7, "1 µs"),
            (999_700, "1 ms"),
            (999_499, "999 µs"),
            (1.34e6, "1.34 ms"),
            (119.96e9, "120 s"),
            (125e9, "2 min 05 s"),
            (7500e9, "2 h 05 min"),
        ],
    )
    def test_duration_has_three_digits_in_a_suitable_unit(self, duration_ns: float, text: str) -> None:
        assert format_duration_ns(duration_ns) == text

    @given(st.floats(min_value=0.01, max_value=1e13))
    def test_duration_never_has_an_exponent(self, duration_ns: float) -> None:
        assert "e" not in format_duration_ns(duration_ns)


@pytest.mark.parametrize(
    ("share", "text"), [(0.0125, "1.25 %"), (0.000103, "0.0103 %"), (9.996, "1000 %"), (12.456, "1246 %")]
)
def test_share_has_no_exponent(share: float, text: str) -> None:
    """Regression: of a noisy machine, "changes below 1.25e+03 % cannot be detected"."""
    assert format_share(share) == text


class TestSizes:
    @pytest.mark.parametrize(
        ("text", "size_bytes"), [("17", 17), ("3 KiB", 3072), ("1 MiB", 1_048_576), ("2 GiB", 2_147_483_648)]
    )
    def test_units_are_binary(self, text: str, size_bytes: int) -> None:
        assert parse_size_bytes(text) == size_bytes

    @given(st.integers(min_value=1, max_value=2**40))
    def test_formatted_size_is_read_as_the_same_number(self, size_bytes: int) -> None:
        assert parse_size_bytes("".join(format_size(size_bytes).split())) == size_bytes

    @pytest.mark.parametrize("text", ["1 MB", "1.5 MiB", "-1", "MiB", "1 TiB"])
    def test_ambiguous_and_unknown_units_are_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match="a size must be"):
            parse_size_bytes(text)


@pytest.mark.parametrize(
    ("ratio", "text"), [(1.0041, "1.004"), (0.05, "0.0500"), (6.17e-5, "0.0000617"), (228.4, "228"), (0, "0.000")]
)
def test_ratio_far_from_1_keeps_three_digits(ratio: float, text: str) -> None:
    assert format_ratio(ratio) == text


@pytest.mark.parametrize(
    ("limit", "field", "text"),
    [
        (600, "every_seconds", "600 (10m)"), (86_400.0, "timeout_seconds", "86400 (1d)"), (90, "grace_seconds", "90"),
        (0, "grace_seconds", "0"), (67_108_864, "output_limit_bytes", "67108864 (64 MiB)"), (3600, "port", "3600"),
    ],
)  # fmt: skip
def test_limit_is_also_in_the_units_that_users_write(limit: float, field: str, text: str) -> None:
    assert format_limit(limit, field) == text
