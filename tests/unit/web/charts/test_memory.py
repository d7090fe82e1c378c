from typing import Any

import pytest

from orchestrator.results.schemas import CurveDetail, ExecutionDetail, ReadingDetail
from orchestrator.units import MIB
from orchestrator.web.charts import memory
from orchestrator.web.charts.memory import Span, spans
from orchestrator.web.charts.theme import svg


class TestMemory:
    CURVE = CurveDetail(
        execution_id=1, source="proc", at_ns=[1_000_000, 4_000_000], rss_bytes=[MIB, 4 * MIB], cpu_ns=[], threads=[]
    )

    def test_peak_and_phases_are_drawn(self) -> None:
        spans = [Span("start", 0, 2_000_000), Span("encrypt", 2_000_000, 3_000_000)]
        picture = svg(memory.spec(self.CURVE, spans, 5 * MIB))
        assert all(text in picture for text in ("peak 5.00 MiB", "encrypt", "report"))

    def test_absent_peak_has_no_line(self) -> None:
        assert "peak" not in svg(memory.spec(self.CURVE, [], None))


def detail(start_wall_ns: int | None, **walls: int | None) -> ExecutionDetail:
    reading: dict[str, Any] = dict.fromkeys(("unit", "source", "resolution", "help"), "") | {"reason": None}
    readings = [ReadingDetail(name="start_wall_ns", value=start_wall_ns, **reading)]
    return ExecutionDetail.model_construct(**{"readings": readings, **walls})  # type: ignore[arg-type]


class TestSpans:
    WALLS = {"work_wall_ns": 100, "key_setup_wall_ns": 5, "encrypt_wall_ns": 20, "decrypt_wall_ns": 25}

    def test_cipher_phases_end_at_the_end_of_work(self) -> None:
        assert spans(detail(30, **self.WALLS)) == [
            Span("start", 0, 30), Span("load", 30, 50), Span("key setup", 50, 55), Span("encrypt", 55, 75),
            Span("decrypt", 75, 100),
        ]  # fmt: skip

    @pytest.mark.parametrize("start_wall_ns", [None, -1, 51])
    def test_start_and_load_are_one_span_without_a_usable_stamp(self, start_wall_ns: int | None) -> None:
        assert spans(detail(start_wall_ns, **self.WALLS))[0] == Span("start and load", 0, 50)

    def test_execution_without_work_has_no_spans(self) -> None:
        assert spans(detail(30, **{**self.WALLS, "work_wall_ns": None})) == []
