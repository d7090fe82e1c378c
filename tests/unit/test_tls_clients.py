"""Verification of servers by clients."""

import ssl

import pytest

from orchestrator.shared.tls import certificate_error, verification


@pytest.mark.parametrize("url", ["https://bench.example:8451", "HTTPS://bench.example", "bench.example"])
def test_certificates_are_verified_for_all_but_plain_http(url: str) -> None:
    context = verification(url)
    assert isinstance(context, ssl.SSLContext)
    assert context.check_hostname
    assert context.verify_mode is ssl.CERT_REQUIRED


def test_no_authorities_are_loaded_for_plain_http() -> None:
    assert verification("http://127.0.0.1:8451") is False


def test_only_a_refused_certificate_is_a_certificate_error() -> None:
    assert certificate_error(OSError("no route")) is None
    refused = ssl.SSLCertVerificationError("refused")
    refused.verify_message = "certificate has expired."
    outer = ConnectionError("connect")
    outer.__cause__ = refused
    assert certificate_error(outer) == "certificate has expired"
