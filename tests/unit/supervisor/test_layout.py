from pathlib import Path

import pytest

from orchestrator.cli.supervisor.layout import MAX_SOCKET_PATH_BYTES, Layout


class TestRedisSocket:
    def test_socket_is_elsewhere_if_its_path_exceeds_the_kernels_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1000")
        long, other = Path("/") / ("x" * 120), Path("/") / ("y" * 120)
        socket = Layout(long).redis_socket
        assert socket.is_relative_to("/run/user/1000")
        assert len(str(socket)) <= MAX_SOCKET_PATH_BYTES
        assert socket == Layout(long).redis_socket
        assert socket != Layout(other).redis_socket
