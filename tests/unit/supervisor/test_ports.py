import socket

import pytest

from orchestrator.cli.supervisor.ports import address_for_others, choose_port
from orchestrator.shared.errors import SetupError


class TestChoosePort:
    def test_free_port_is_chosen(self) -> None:
        free = choose_port("127.0.0.1", 0)
        assert not free.requested_was_taken
        assert choose_port("127.0.0.1", free.number).number == free.number

    def test_taken_port_is_replaced(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            requested = taken.getsockname()[1]
            port = choose_port("127.0.0.1", requested)
            assert port.requested_was_taken
            assert port.number != requested

    def test_address_of_another_machine_is_rejected(self) -> None:
        with pytest.raises(SetupError, match=r"Cannot listen on 192\.0\.2\.1"):
            choose_port("192.0.2.1", 8451)


class TestAddressForOthers:
    def test_wildcard_address_becomes_a_reachable_one(self) -> None:
        assert address_for_others("0.0.0.0") != "0.0.0.0"
