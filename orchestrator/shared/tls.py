"""TLS from the client's side: whom commands, daemons and the supervisor trust."""

import ssl
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

_MAX_CAUSES = 8


def client_context(certificate: Path | None = None) -> ssl.SSLContext:
    """Return the settings of a TLS client: the system's authorities, or those in SSL_CERT_FILE; names are checked.

    certificate: PEM file that is trusted, too. A certificate in it or in SSL_CERT_FILE need not be a root: the one of
    the service on this machine suffices, as from Python 3.13 on. Raises OSError if the file cannot be read.
    """
    context = ssl.create_default_context()
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if certificate is not None:
        context.load_verify_locations(certificate)
    return context


def verification(url: str, certificate: Path | None = None) -> ssl.SSLContext | bool:
    """Return what httpx verifies the server of a URL with.

    The authorities take 1 MiB, so they are not loaded for plain HTTP, where nothing can be verified. Redirections,
    which could lead to another scheme, must not be followed.
    """
    return False if urlsplit(url).scheme == "http" else client_context(certificate)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine, without a name lookup."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def certificate_error(error: BaseException) -> str | None:
    """Return why the certificate of a server was refused, or None if the error has another cause."""
    cause: BaseException | None = error
    for _ in range(_MAX_CAUSES):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return str(cause.verify_message).rstrip(".")
        if cause is None:
            return None
        cause = cause.__cause__ or cause.__context__
    return None
