from pathlib import Path

import pytest

from orchestrator.supervisor.layout import LONGEST_SOCKET_PATH, Layout


class TestRedisSocket:
    def test_is_in_the_data_folder(self) -> None:
        assert Layout(Path("/data")).redis_socket == Path("/data/redis/redis.sock")

    def test_is_elsewhere_when_the_path_is_too_long_for_the_kernel(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1000")
        long, other = Path("/") / ("x" * 120), Path("/") / ("y" * 120)
        socket = Layout(long).redis_socket
        assert socket.is_relative_to("/run/user/1000")
        assert len(str(socket)) <= LONGEST_SOCKET_PATH
        assert socket == Layout(long).redis_socket
        assert socket != Layout(other).redis_socket
