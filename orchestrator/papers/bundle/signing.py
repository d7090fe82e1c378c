"""Signatures of bundles by ``ssh-keygen -Y``, over the list of sums."""

import re
import subprocess
import tempfile
from pathlib import Path

from orchestrator.papers.bundle.archive import SIGNATURE, SUMS, pack, unpack
from orchestrator.shared.errors import BundleDamaged, InvalidRequest, SetupError
from orchestrator.shared.values.models import LazyModel

NAMESPACE = "ciphermark-bundle"
"""A signature that was made for another purpose with the same key is not accepted."""
_TIMEOUT_SECONDS = 60
_KEY = re.compile(r"(SHA256:\S+)")


class Signature(LazyModel):
    """Signer of a bundle."""

    key: str
    """Fingerprint."""
    signer: str
    """Name in the file of allowed signers; empty if none was given."""


def sign_bundle(bundle: Path, key: Path) -> None:
    """Add a signature to a bundle, or replace it; raises InvalidRequest for a key that cannot sign."""
    with tempfile.TemporaryDirectory(prefix="ciphermark-bundle-") as folder:
        unpack(bundle, Path(folder))
        _sign(Path(folder), key)
        pack(Path(folder), bundle)


def _sign(folder: Path, key: Path) -> None:
    """Sign the list of sums with a private key of OpenSSH, or a public one whose private key an agent has."""
    (folder / SIGNATURE).unlink(missing_ok=True)
    done = _ssh_keygen(["-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(folder / SUMS)])
    if done.returncode or not (folder / SIGNATURE).is_file():
        raise InvalidRequest(
            f"The bundle could not be signed: {_last_line(done)}.",
            remedy="Give a private key of OpenSSH, or the public one of a key in ssh-agent.",
        )


def verify_signature(folder: Path, signers: Path | None) -> Signature | None:
    """Return the signer, None without a signature.

    Raises BundleDamaged for a wrong or unknown signature, and InvalidRequest for a file of signers that does not exist.
    """
    if signers is not None and not signers.is_file():
        raise InvalidRequest(
            f"{signers} is not a file of allowed signers.",
            remedy="Write one: a line has the name of a signer and the public key (ssh-keygen, ALLOWED SIGNERS).",
            field="signers",
        )
    file = folder / SIGNATURE
    if not file.is_file():
        if signers is not None:
            raise BundleDamaged("The bundle has no signature, and one of the allowed signers was required.")
        return None
    common = ["-n", NAMESPACE, "-s", str(file)]
    content = (folder / SUMS).read_bytes()
    done = _ssh_keygen(["-Y", "check-novalidate", *common], content)
    key = _KEY.search(done.stdout + done.stderr)
    if done.returncode or key is None:
        raise BundleDamaged(f"The signature is not that of this bundle: {_last_line(done)}.")
    if signers is None:
        return Signature(key=key[1], signer="")
    found = _ssh_keygen(["-Y", "find-principals", "-f", str(signers), "-s", str(file)])
    principal = found.stdout.splitlines()[0].strip() if found.returncode == 0 and found.stdout.strip() else ""
    if not principal:
        raise BundleDamaged(f"The key {key[1]} that signed the bundle is not among the allowed signers.")
    done = _ssh_keygen(["-Y", "verify", "-f", str(signers), "-I", principal, *common], content)
    if done.returncode:
        raise BundleDamaged(f"The signature of {principal} is not valid: {_last_line(done)}.")
    return Signature(key=key[1], signer=principal)


def _ssh_keygen(arguments: list[str], content: bytes | None = None) -> subprocess.CompletedProcess[str]:
    try:
        done = subprocess.run(
            ["ssh-keygen", *arguments],
            input=content or b"",
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise SetupError("ssh-keygen is not installed.", remedy="apt-get install openssh-client") from error
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    )


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = (done.stderr or done.stdout).strip().splitlines()
    return lines[-1].strip() if lines else f"ssh-keygen ended with {done.returncode}"
