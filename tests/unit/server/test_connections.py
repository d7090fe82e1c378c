"""Connections are limited for each address and in all; the longest idle one makes room."""

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.service.server.connections import ConnectionLimits, ConnectionTable
from orchestrator.service.server.protocol import OTHER_FILES, within_files

LIMITS = ConnectionLimits(total=3, of_address=2)


class TestConnectionTable:
    def test_full_server_replaces_the_longest_idle_connection_of_all(self) -> None:
        table: ConnectionTable[int] = ConnectionTable(LIMITS)
        for number, address in enumerate("abb"):
            table.add(number, address)
        assert (table.full("c"), table.replaceable("c", "total")) == ("total", 0)

    def test_busy_connections_are_not_replaced(self) -> None:
        table: ConnectionTable[int] = ConnectionTable(LIMITS)
        for number, address in enumerate("abb"):
            table.add(number, address)
            table.set_busy(number)
        assert table.replaceable("c", "total") is None
        assert table.replaceable("b", "address") is None

    @given(st.lists(st.tuples(st.sampled_from("aribA"), st.integers(0, 5), st.sampled_from("xy"))))
    def test_counts_stay_consistent(self, steps: list[tuple[str, int, str]]) -> None:
        table: ConnectionTable[int] = ConnectionTable(ConnectionLimits(total=100, of_address=100))
        opened: dict[int, str] = {}
        for action, number, address in steps:
            if action in "aA" and number not in opened:
                table.add(number, address)
                opened[number] = address
            elif action == "r":
                table.remove(number)
                opened.pop(number, None)
            elif action == "i":
                table.set_idle(number)
            elif action == "b":
                table.set_busy(number)
            assert set(table.connections()) == set(opened)
            assert len(table) == len(opened)
            idle = table.replaceable("x", "total")
            assert idle is None or idle in opened


class TestWithinFiles:
    def test_connections_leave_room_for_other_files(self) -> None:
        assert within_files(ConnectionLimits(), 100_000) == ConnectionLimits()
        assert within_files(ConnectionLimits(), 4096).total == 4096 - OTHER_FILES
        assert within_files(ConnectionLimits(), 600).of_address == 300
