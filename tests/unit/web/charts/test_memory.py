from typing import Any

import pytest

from orchestrator.results.schemas import CurveDetail, ExecutionDetail, PhaseDetail, ReadingDetail
from orchestrator.shared.units import MIB
from orchestrator.web.charts import memory
from orchestrator.web.charts.memory import Span, spans
from orchestrator.web.charts.response import rows_of
from tests.support.drawing import svg


class TestMemory:
    CURVE = CurveDetail(
        execution_id=1, source="proc", at_ns=[1_000_000, 4_000_000], rss_bytes=[MIB, 4 * MIB], cpu_ns=[], threads=[]
    )

    def test_peak_and_phases_are_drawn(self) -> None:
        spans = [Span("start", 0, 2_000_000), Span("encrypt", 2_000_000, 3_000_000)]
        picture = svg(memory.spec(self.CURVE, spans, 5 * MIB))
        assert all(text in picture for text in ("peak 5.00 MiB", "encrypt", "report"))


class TestSmallPanels:
    def curve(self, cpu_ns: list[int], threads: list[int]) -> CurveDetail:
        at_ns = [1_000_000, 2_000_000, 4_000_000]
        return CurveDetail(
            execution_id=1, source="proc", at_ns=at_ns, rss_bytes=[MIB] * 3, cpu_ns=cpu_ns, threads=threads
        )

    def test_cpu_is_the_share_of_a_core_since_the_sample_before(self) -> None:
        chart = memory.spec(self.curve([0, 500_000, 4_500_000], [1, 1, 1]), [], None)
        rows = list(rows_of(chart["vconcat"][1]))
        assert [(row["at_ms"], row["cpu_percent"]) for row in rows[: len(rows) // 2]] == [(2.0, 50.0), (4.0, 200.0)]
        assert len(chart["vconcat"]) == 2

    def test_threads_are_drawn_where_there_are_several(self) -> None:
        assert "Threads" in svg(memory.spec(self.curve([0, 1, 2], [1, 2, 1]), [], None))
        assert "Threads" not in svg(memory.spec(self.curve([0, 1, 2], [1, 1, 1]), [], None))


PHASES = {"key_setup": 5, "encrypt": 20, "decrypt": 25}


def detail(start_wall_ns: int | None, **walls: int | None) -> ExecutionDetail:
    reading: dict[str, Any] = dict.fromkeys(("unit", "source", "resolution", "help"), "") | {"reason": None}
    readings = [ReadingDetail(name="start_wall_ns", value=start_wall_ns, **reading)]
    phases = [PhaseDetail.model_construct(phase=name, wall_ns=wall_ns) for name, wall_ns in PHASES.items()]
    return ExecutionDetail.model_construct(**{"readings": readings, "phases": phases, **walls})  # type: ignore[arg-type]


class TestSpans:
    WALLS = {"work_wall_ns": 100}

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
