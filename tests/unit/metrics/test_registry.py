import pytest

from orchestrator.metrics.registry import Metric, reading_refusal, registry
from orchestrator.wire.records import Record


class TestRegistry:
    def test_every_module_of_the_package_is_collected(self) -> None:
        names = set(registry())

        assert {"process_wall_ns", "curve_peak_rss_bytes", "others_cpu_ns", "environment_padding_bytes"} <= names

    def test_every_typed_field_of_a_record_with_a_unit_is_declared(self) -> None:
        typed = {name for name in Record.model_fields if name.endswith(("_ns", "_bytes"))}

        assert typed == {metric.name for metric in registry().values() if metric.column}

    def test_names_carry_their_unit(self) -> None:
        endings = {"ns": "_ns", "bytes": "_bytes", "Hz": "_hz"}
        for metric in registry().values():
            assert metric.name.endswith(endings.get(metric.unit, "")), metric
            assert metric.help.endswith("."), metric


class TestReadingRefusal:
    def test_a_known_reading_is_accepted(self) -> None:
        assert reading_refusal("samples", 3) is None

    def test_null_is_always_possible(self) -> None:
        assert reading_refusal("encrypt_cycles", None) is None

    @pytest.mark.parametrize(
        ("name", "value", "words"),
        [
            ("warp_speed", 1, "no reading"),
            ("work_wall_ns", 1, "no reading"),
            ("samples", 1.5, "integer"),
            ("samples", True, "number"),
            ("samples", "3", "number"),
            ("samples", -1, "0 or more"),
        ],
    )
    def test_anything_else_is_refused_with_words(self, name: str, value: object, words: str) -> None:
        assert words in (reading_refusal(name, value) or "")

    @pytest.mark.parametrize("value", [float("nan"), float("inf")])
    def test_a_ratio_must_be_finite(self, value: float) -> None:
        ratio = Metric("share", "1", "test", "1", "A share.", kind="real")

        assert ratio.refusal(0.5) is None
        assert ratio.refusal(value) is not None
