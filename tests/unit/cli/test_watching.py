from orchestrator.cli.watching import LINE_SECONDS, Lines


class TestLines:
    """Regression: without a terminal, `--watch` printed nothing until the end."""

    def test_line_is_written_at_each_change_and_at_each_interval(self) -> None:
        seconds, written = [0.0], list[str]()
        lines = Lines(written.append, clock=lambda: seconds[0])

        lines.show("quick queued: after evalme", 0, 40, "")
        lines.show("quick queued: after evalme", 0, 40, "2 min left")
        seconds[0] += LINE_SECONDS
        lines.show("quick queued: after evalme", 0, 40, "1 min left")
        lines.show("quick measuring", 10, 40, "3.2/s 9 s left")

        assert written == [
            "quick queued: after evalme, 0 of 40 (0 %)",
            "quick queued: after evalme, 0 of 40 (0 %), 1 min left",
            "quick measuring, 10 of 40 (25 %), 3.2/s 9 s left",
        ]

    def test_empty_run_has_no_percentage_error(self) -> None:
        written = list[str]()
        Lines(written.append).show("x", 0, 0, "")
        assert written == ["x, 0 of 0 (0 %)"]
