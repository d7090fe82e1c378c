"""Plan documents: invalid ones are refused with the field, the value and the expected value."""

import json
from typing import Any

import pytest

from orchestrator.runs.planning.plan import parse_text, validate
from orchestrator.runs.schemas import EXAMPLE_PLAN
from orchestrator.shared.errors import PlanRefused
from orchestrator.wire.plans import RENAMED_KEYS
from tests.support.paths import REPOSITORY

LIMIT = 1_048_576
MATRIX: dict[str, Any] = EXAMPLE_PLAN["matrix"][0]
WITHOUT_INPUTS = {name: value for name, value in MATRIX.items() if name != "inputs"}


class TestParseText:
    def test_yaml_and_json_documents_are_equal(self) -> None:
        text = "version: 1\nname: a\nmatrix: [{providers: [own]}]\n"
        braces = "{version: 1, name: a, matrix: [{providers: [own]}]}"
        expected = {"version": 1, "name": "a", "matrix": [{"providers": ["own"]}]}
        assert [parse_text(form, LIMIT) for form in (text, braces, json.dumps(expected))] == [expected] * 3

    @pytest.mark.parametrize(
        ("text", "detail"),
        [
            ("a: [", "line 2, column 1"),
            ("just words", "The plan is a str; expected is a mapping"),
            ("- a\n- b", "The plan is a list"),
            ("", "The plan is a NoneType"),
            ("a: 1\na: 2", "'a' in line 2 is a duplicate"),
            ("a: {b: 1, b: 2}", "'b' in line 1 is a duplicate"),
            ("1: 2", "is not a text"),
            ("? [a, b]\n: 1", "is not a text"),
            ("a: &x [1]\nb: *x", "anchors and aliases"),
            ("<<: {a: 1}\na: !!python/object/apply:os.system ['true']", "tags are not allowed \\(line 2\\)"),
            ("a: !!binary 'not base64!'", "tags are not allowed"),
            ('a: !!timestamp "x"', "tags are not allowed"),
            ("a:\n  - 1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1", "the number in line 2 has more than 40 characters"),
            ('{"a": 1, "a": 2}', "occurs twice"),
            ('{"a": NaN}', "NaN is not valid JSON"),
            ('{"a": ' + "9" * 100_000 + "}", "100000 digits"),
            ("a: " + "9" * 100_000, "more than 40 characters"),
            ("a: \x00", "control characters are not allowed"),
        ],
    )
    def test_invalid_document_is_refused_with_its_place(self, text: str, detail: str) -> None:
        with pytest.raises(PlanRefused, match=detail) as refusal:
            parse_text(text, LIMIT)
        assert refusal.value.field == "plan_text"

    @pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 5000, '{"a": ' * 50_000, "- " * 400_000])
    def test_deep_nesting_is_refused(self, text: str) -> None:
        with pytest.raises(PlanRefused, match=r"levels|nested too deeply"):
            parse_text(text, LIMIT)

    def test_document_above_the_size_limit_is_refused(self) -> None:
        with pytest.raises(PlanRefused, match="has 2000000 bytes; at most 1048576 are allowed"):
            parse_text("#" * 2_000_000, LIMIT)


class TestValidate:
    @pytest.mark.parametrize(
        ("change", "field", "detail"),
        [
            ({"matrix": []}, "matrix", "expected 1 or more entries"),
            ({"repetitions": 0}, "repetitions", "expected at least 1"),
            ({"repetitons": 3}, "repetitons", "there is no such key"),
            ({"version": 2}, "version", "expected 1"),
            ({"name": "../../etc"}, "name", "expected lower-case letters and digits"),
            ({"timeout_seconds": -1}, "timeout_seconds", "expected more than 0"),
            ({"toolchains": [{"march": "native -fplugin=x.so"}]}, "toolchains[0].march[0]", "letters, digits and the"),
            ({"toolchains": [{"compiler": "/usr/bin/gcc"}]}, "toolchains[0].compiler[0]", "'gcc', 'clang', 'icpx'"),
            ({"toolchains": [{"link": "-lfoo"}]}, "toolchains[0].link[0]", "'dynamic' or 'static'"),
            ({"toolchains": [{"flags": "-fplugin=x.so"}]}, "toolchains[0].flags", "there is no such key"),
            (
                {"matrix": [MATRIX | {"protocol": "latency"}]},
                "matrix[0]",
                "requires messages and does not accept inputs",
            ),
            ({"matrix": [WITHOUT_INPUTS]}, "matrix[0]", "requires inputs and does not accept messages"),
            (
                {"matrix": [WITHOUT_INPUTS | {"protocol": "latency", "messages": {"lengths": [1 << 40]}}]},
                "matrix[0].messages.lengths[0]",
                "0 bytes to 1 GiB",
            ),
        ],
    )
    def test_refusal_names_field_and_expected_value(self, change: dict[str, Any], field: str, detail: str) -> None:
        with pytest.raises(PlanRefused, match=detail) as refusal:
            validate(EXAMPLE_PLAN | change)
        assert refusal.value.field == field

    @pytest.mark.parametrize("size", [-1, "-1 KiB", "1 KB", 0, "2 GiB", "lots", 1.5, None, True])
    def test_invalid_size_is_refused(self, size: object) -> None:
        matrix = EXAMPLE_PLAN["matrix"][0] | {"inputs": {"sizes": ["1 KiB", size]}}
        with pytest.raises(PlanRefused) as refusal:
            validate(EXAMPLE_PLAN | {"matrix": [matrix]})
        assert refusal.value.field == "matrix[0].inputs.sizes[1]"
        (error,) = refusal.value.facts["errors"]  # type: ignore[misc]
        assert error["seen"] == json.dumps(size)

    def test_message_truncates_long_values(self) -> None:
        with pytest.raises(PlanRefused) as refusal:
            validate(EXAMPLE_PLAN | {"name": "x" * 1_000_000})
        assert len(str(refusal.value)) < 500


@pytest.mark.parametrize(("before", "after"), RENAMED_KEYS.items())
def test_plan_with_renamed_key_is_refused_with_the_new_name(before: str, after: str) -> None:
    data = parse_text((REPOSITORY / "plans" / "tinyjambu-compilers.yaml").read_text())
    places = {
        "optimisation": data["toolchains"][0],
        "least_timing_ms": data["matrix"][0]["messages"],
        "maximum_repetitions": data.setdefault("precision", {"relative_interval": 0.01, "max_repetitions": 500}),
        "maximum_temperature_celsius": data.setdefault("conditions", {}),
        "maximum_others_share": data.setdefault("conditions", {}),
    }
    places[before][before] = places[before].pop(after, 5)
    with pytest.raises(PlanRefused) as refused:
        validate(data)
    assert refused.value.remedy == f"Rename {before} to {after}."
    assert refused.value.field.endswith(before)
