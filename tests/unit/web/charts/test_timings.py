from orchestrator.results.schemas import TimingsDetail
from orchestrator.web.charts import timings


class TestTimings:
    def test_timings_are_divided_by_their_iterations(self) -> None:
        answer = TimingsDetail(
            execution_id=1, iterations=[10, 20], wall_ns=[1000, 2200], cpu_ns=[990, 2100], cycles=[None, None],
            instructions=[None, None], core_clock_hz=[None, None], derived_cycles=[None, None],
        )  # fmt: skip
        found = [row for part in timings.spec(answer)["layer"] for row in part["data"]["values"] if "clock" in row]
        assert [row["call_ns"] for row in found if row["clock"] == "wall"] == [100, 110]
