import importlib
import re

import pytest

from orchestrator.wire.messages import CIPHER_SEQUENCE, phases_of
from orchestrator.wire.metrics.phases import reading_refusal
from orchestrator.wire.metrics.registry import Metric, registry
from orchestrator.wire.records import Record
from tests.support.paths import REPOSITORY

MODULES = (REPOSITORY / "orchestrator/wire/metrics").glob("[a-z]*.py")
SOURCES = sorted(module.stem for module in MODULES if module.stem != "registry")
# The service validates and exports readings; it runs where no measuring package and no psutil is installed.


class TestRegistry:
    def test_registry_collects_the_metrics_of_every_module(self) -> None:
        modules = [importlib.import_module(f"orchestrator.wire.metrics.{name}") for name in SOURCES]

        declared = {metric.name for module in modules for metric in module.METRICS}

        assert set(registry()) == declared
        assert {"process_wall_ns", "curve_peak_rss_bytes", "others_cpu_ns", "environment_padding_bytes"} <= declared

    def test_registry_contains_every_typed_field_of_a_record_that_has_a_unit(self) -> None:
        typed = {name for name in Record.model_fields if name.endswith(("_ns", "_bytes"))}

        walls = {f"{phase}_wall_ns" for phase in phases_of(CIPHER_SEQUENCE)}
        # The age of the claim is evidence, not a reading.
        named = typed - {"since_claim_ns", "phase_wall_ns"} | walls
        assert named == {metric.name for metric in registry().values() if metric.column}

    def test_metric_names_carry_their_unit(self) -> None:
        endings = {"ns": "_ns", "bytes": "_bytes", "Hz": "_hz", "J": "_joules", "celsius": "_celsius"}
        for metric in registry().values():
            assert metric.name.endswith(endings.get(metric.unit, "")), metric


class TestReadingRefusal:
    @pytest.mark.parametrize(
        ("name", "value", "message"),
        [
            ("warp_speed", 1, "not a reading"),
            ("work_wall_ns", 1, "not a reading"),
            ("digest_wall_ns", 1, "not a reading"),
            ("samples", 1.5, "integer"),
            ("samples", True, "number"),
            ("samples", "3", "number"),
            ("samples", -1, "0 or more"),
        ],
    )
    def test_invalid_reading_is_refused_with_a_message(self, name: str, value: object, message: str) -> None:
        assert message in (reading_refusal(name, value) or "")

    def test_reading_of_a_phase_belongs_to_a_record_with_that_phase(self) -> None:
        assert reading_refusal("digest_user_ns", 5, ["digest"]) is None
        assert "integer" in (reading_refusal("digest_user_ns", 1.5, ["digest"]) or "")
        assert "not a reading" in (reading_refusal("digest_user_ns", 5, ["sign"]) or "")
        assert "not a reading" in (reading_refusal("digest_wall_ns", 5, ["digest"]) or "")

    @pytest.mark.parametrize("value", [float("nan"), float("inf")])
    def test_ratio_must_be_finite(self, value: float) -> None:
        ratio = Metric("share", "1", "test", "1", "A share.", kind="real")

        assert ratio.refusal(0.5) is None
        assert ratio.refusal(value) is not None


def test_docs_list_every_metric_as_declared() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", (REPOSITORY / "docs/metrics.md").read_text(), re.MULTILINE)

    documented = {name: tuple(rest.split(" | ")) for name, rest in rows}

    assert documented == {m.name: (m.unit, m.source, m.resolution, m.help) for m in registry().values()}
