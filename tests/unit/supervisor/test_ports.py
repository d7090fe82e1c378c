import socket

import pytest

from orchestrator.errors import SetupError
from orchestrator.supervisor.ports import address_for_others, choose_port


class TestChoosePort:
    def test_a_free_one_is_taken(self) -> None:
        free = choose_port("127.0.0.1", 0)
        assert not free.wanted_was_taken
        assert choose_port("127.0.0.1", free.number).number == free.number

    def test_another_one_replaces_a_taken_one(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            wanted = taken.getsockname()[1]
            port = choose_port("127.0.0.1", wanted)
            assert port.wanted_was_taken
            assert port.number != wanted

    def test_an_address_of_another_machine_is_refused(self) -> None:
        with pytest.raises(SetupError, match=r"Nothing can listen on 192\.0\.2\.1"):
            choose_port("192.0.2.1", 8451)


class TestAddressForOthers:
    def test_a_named_address_is_itself(self) -> None:
        assert address_for_others("192.168.1.7") == "192.168.1.7"

    def test_every_address_becomes_one_that_can_be_reached(self) -> None:
        assert address_for_others("0.0.0.0") != "0.0.0.0"
