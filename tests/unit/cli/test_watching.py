from hypothesis import given
from hypothesis import strategies as st

from orchestrator.cli.watching import ServerEvent, parse_events

STREAM = """\
: heartbeat

id: 7
event: progress
data: {"done": 1,
data: "total": 2}

event: run-state
data: {"state": "finished"}

"""


class TestParseEvents:
    def test_events_comments_and_data_of_several_lines(self) -> None:
        assert list(parse_events(iter(STREAM.splitlines()))) == [
            ServerEvent(),
            ServerEvent("progress", '{"done": 1,\n"total": 2}', "7"),
            ServerEvent("run-state", '{"state": "finished"}', "7"),
        ]

    def test_an_event_that_broke_off_is_not_told(self) -> None:
        assert list(parse_events(iter(["event: progress", "data: {"]))) == []

    @given(st.lists(st.text(max_size=20)))
    def test_no_line_is_fatal(self, lines: list[str]) -> None:
        list(parse_events(iter(lines)))
