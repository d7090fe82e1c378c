"""Command crypt: one message from a file to a file."""

from __future__ import annotations

from program.errors import RunnerError
from program.implementations import find
from program.inputs import InputFile, fixed_hex, from_hex, write_file
from program.measure import Phases
from program.options import Options


def execute(options: Options, _phases: Phases) -> None:
    """Encrypt or decrypt; a length that the mode does not take is refused, never padded."""
    implementation = find(options.algorithm, options.variant)
    key = fixed_hex("--key", options.get("--key"), implementation.key_bytes)
    nonce = fixed_hex("--nonce", options.get("--nonce"), implementation.nonce_bytes)
    associated_data = from_hex("--ad", options.get("--ad"))
    if associated_data and implementation.kind != "aead":
        raise RunnerError("bad-input", f"--ad was given, but {implementation.algorithm} is no AEAD")
    file = InputFile(options.values["--in"])
    tag_bytes = implementation.tag_bytes if options.operation == "decrypt" else 0
    if file.size < tag_bytes:
        raise RunnerError(
            "bad-input", f"the message has {file.size} bytes, expected at least {tag_bytes}, which is the tag"
        )
    implementation.require_message(file.size - tag_bytes)
    message = bytearray(file.size)
    file.read_into(message)
    cipher = implementation.make(key)
    work = cipher.encrypt if options.operation == "encrypt" else cipher.decrypt
    write_file(options.values["--out"], work(nonce, associated_data, bytes(message)))
