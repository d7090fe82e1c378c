"""Beyond loopback the service requires TLS or an explicit setting."""

from pathlib import Path

import pytest

from orchestrator.service.security.binding import check, is_loopback
from orchestrator.shared.errors import SetupError
from orchestrator.shared.settings import ServiceSettings
from tests.support.authority import Authority


class TestIsLoopback:
    @pytest.mark.parametrize("host", ["127.0.0.1", "127.5.5.5", "::1", "[::1]", "localhost"])
    def test_this_machine_alone(self, host: str) -> None:
        assert is_loopback(host)

    @pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "pi.local", ""])
    def test_everything_else(self, host: str) -> None:
        assert not is_loopback(host)


class TestCheck:
    def test_a_network_without_tls_is_refused_with_the_way_out(self) -> None:
        with pytest.raises(SetupError, match="CIPHERMARK_INSECURE_LAN"):
            check(ServiceSettings(host="0.0.0.0"))

    def test_the_risk_can_be_taken_by_name(self) -> None:
        check(ServiceSettings(host="0.0.0.0", insecure_lan=True))

    def test_loopback_needs_nothing(self) -> None:
        check(ServiceSettings())

    def test_half_a_pair_or_no_file_is_refused(self, tmp_path: Path) -> None:
        certificate = tmp_path / "certificate.pem"
        certificate.write_text("")
        with pytest.raises(SetupError, match="CIPHERMARK_TLS_KEY is not set"):
            check(ServiceSettings(host="0.0.0.0", tls_certificate=certificate))
        with pytest.raises(SetupError, match=r"is .*key\.pem, which is not a file"):
            check(ServiceSettings(host="0.0.0.0", tls_certificate=certificate, tls_key=tmp_path / "key.pem"))
        pair = Authority(tmp_path).sign("service", "bench.example")
        check(ServiceSettings(host="0.0.0.0", tls_certificate=pair.certificate, tls_key=pair.key))
