"""Every language has the same algorithms, bytes, reports, exit codes and sentences as the native runner."""

import hashlib
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from orchestrator.wire.languages.contract import ALGORITHMS, LIBRARY_VARIANT, algorithms_of
from orchestrator.wire.messages import CIPHER_SEQUENCE, phases_of
from orchestrator.wire.runners import LatencyReport, ListReport, ProcessReport, Usage
from tests.integration.languages.conftest import Provider
from tests.support.language_program import started
from tests.support.runner_programs import Message, Runner

KEY = bytes(range(16)).hex()
# Which errors, by command line: a file of 17 bytes is at IN, the output goes to OUT.
REFUSALS = [
    ("", 2, "usage", None),
    ("frobnicate", 2, "usage", None),
    ("kat", 2, "usage", None),
    ("kat --algorithm aes-128-ecb --color red", 2, "usage", None),
    ("process --algorithm aes-128-ecb", 2, "usage", None),
    ("footprint --algorithm aes-128-ecb", 2, "usage", None),
    ("crypt --algorithm aes-128-ecb --operation rot13 --key 00 --in IN --out OUT", 2, "usage", None),
    ("latency --algorithm aes-128-ecb --operation encrypt --length -1", 2, "usage", None),
    ("latency --algorithm aes-128-ecb --operation encrypt --length 16 --timings 0", 2, "usage", None),
    ("latency --algorithm aes-128-ecb --operation encrypt --length 16 --min-time-ms nan", 2, "usage", None),
    ("latency --algorithm aes-128-ecb --operation encrypt", 2, "usage", "--length is required to encrypt or decrypt"),
    (
        "latency --algorithm aes-128-ctr --operation encrypt --length 16 --key-fill zero --key " + KEY,
        2,
        "usage",
        "--key-fill makes key and nonce; expected it without --key and --nonce",
    ),
    (
        "kat --algorithm rot13",
        3,
        "unknown-algorithm",
        "PROVIDER has no algorithm 'rot13'; 'list' prints its algorithms",
    ),
    ("process --algorithm aes-128-ecb --variant fast --in IN", 3, "unknown-variant", None),
    (
        "kat --algorithm simon-128-256-ecb --variant fast",
        3,
        "unknown-variant",
        "simon-128-256-ecb has no variant 'fast'; it has VARIANTS",
    ),
    ("process --algorithm aes-128-ecb --in /nowhere/x", 4, "bad-input", "/nowhere/x: No such file or directory"),
    ("process --algorithm aes-128-ecb --in /", 4, "bad-input", "/: is not a regular file"),
    ("process --algorithm aes-128-ecb --key 00 --in IN", 4, "bad-input", "--key has 1 bytes, expected 16"),
    (
        "crypt --algorithm aes-128-ecb --operation encrypt --key 0g --in IN --out OUT",
        4,
        "bad-input",
        "--key is not an even number of hexadecimal digits",
    ),
    (
        f"crypt --algorithm aes-128-ctr --operation encrypt --key {KEY} --in IN --out OUT",
        4,
        "bad-input",
        "--nonce has 0 bytes, expected 16",
    ),
    (
        f"crypt --algorithm aes-128-ecb --operation encrypt --key {KEY} --in IN --out OUT",
        4,
        "bad-input",
        "the message has 17 bytes, expected a multiple of 16 for aes-128-ecb",
    ),
    (
        f"crypt --algorithm aes-128-ecb --operation encrypt --key {KEY} --ad 00 --in IN --out OUT",
        4,
        "bad-input",
        "--ad was given, but aes-128-ecb is no AEAD",
    ),
    (
        f"crypt --algorithm ascon-aead128 --operation decrypt --key {KEY} --nonce {KEY} --in SHORT --out OUT",
        4,
        "bad-input",
        "the message has 3 bytes, expected at least 16, which is the tag",
    ),
    (
        "latency --algorithm speck-64-128-ecb --operation encrypt --length 17",
        4,
        "bad-input",
        "the message has 17 bytes, expected a multiple of 8 for speck-64-128-ecb",
    ),
    (
        "latency --algorithm aes-128-ctr --operation encrypt --length 16 --ad-length 5",
        4,
        "bad-input",
        "--ad-length is 5, but aes-128-ctr is no AEAD",
    ),
    (
        f"crypt --algorithm ascon-aead128 --operation decrypt --key {KEY} --nonce {KEY} --in IN --out OUT",
        5,
        "authentication-failed",
        "decrypt rejected the tag: it does not match key, nonce, associated data and ciphertext",
    ),
]


def _bytes(purpose: str, count: int) -> bytes:
    return hashlib.shake_256(purpose.encode()).digest(count)


def _lengths(row: dict[str, Any]) -> list[int]:
    """Return the lengths to 4 blocks + 1 that the algorithm takes; of AEADs with long blocks some of them."""
    block = row["block_bytes"]
    walked = range(4 * block + 2)
    if row["kind"] == "aead" and block > 16:
        around = {blocks * block + beside for blocks in range(1, 5) for beside in (-1, 0, 1)}
        walked = sorted({*range(18), *around})
    return [length for length in walked if not row["whole_blocks_only"] or length % block == 0]


def _message(row: dict[str, Any], length: int) -> Message:
    key, nonce = _bytes("key", row["key_bytes"]), _bytes("nonce", row["nonce_bytes"])
    associated_data = _bytes("data", length % 50) if row["kind"] == "aead" else b""
    return Message(key, nonce, _bytes(row["algorithm"], length), associated_data)


def _expected(own: Runner, row: dict[str, Any], folder: Path) -> Iterator[tuple[Message, bytes]]:
    """Yield messages with the native runner's ciphertext; that of a mode without a tag begins like a longer one."""
    messages = [_message(row, length) for length in _lengths(row)]
    longest = own.crypt("encrypt", row["algorithm"], messages[-1], folder)
    for message in messages:
        if row["kind"] == "aead":
            yield message, own.crypt("encrypt", row["algorithm"], message, folder)
        else:
            yield message, longest[: len(message.data)]


@pytest.fixture(scope="session")
def expected(own: Runner, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[Message, bytes]]]:
    """Return messages of every length to 4 blocks + 1 with the native runner's ciphertext, by algorithm."""
    folder, rows = tmp_path_factory.mktemp("expected"), own.available()
    return {algorithm: list(_expected(own, rows[algorithm], folder)) for algorithm in ALGORITHMS}


def _implementations(provider: Provider) -> list[tuple[str, str]]:
    listing = provider.build.report.runners[0].listing
    return [(row.algorithm, row.variant or "") for row in listing.implementations]


def _kat(runner: Runner, algorithm: str, variant: str = "") -> bytes:
    options = ["--variant", variant] if variant else []
    ended = runner.call("kat", "--algorithm", algorithm, *options)
    assert ended.returncode == 0, (algorithm, variant, ended.stderr)
    return ended.stdout


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "in").write_bytes(bytes(range(17)))
    (tmp_path / "short").write_bytes(b"abc")
    return {"IN": str(tmp_path / "in"), "SHORT": str(tmp_path / "short"), "OUT": str(tmp_path / "out")}


def test_list_has_the_algorithms_of_the_contract_with_the_facts_of_the_native_runner(
    provider: Provider, own: Runner
) -> None:
    listing = ListReport.model_validate(provider.runner.list())
    native = own.available()

    assert listing.build["language"] == provider.tool.language.label
    assert str(listing.build["language_version"]).split()[-1] == provider.tool.version
    found: dict[str, list[str]] = {}
    for row in listing.implementations:
        found.setdefault(row.algorithm, []).append(row.variant or "")
        same = ("kind", "key_bytes", "nonce_bytes", "tag_bytes", "block_bytes", "whole_blocks_only", "vectors_sha256")
        assert {name: getattr(row, name) for name in same} == {name: native[row.algorithm][name] for name in same}
        assert row.default == (row.variant != "bits")
    contract = algorithms_of(provider.tool.language)
    assert {name: found.pop(name) for name in contract} == {name: list(one.variants) for name, one in contract.items()}
    if provider.tool.language.binding:
        assert set(map(tuple, found.values())) == {(LIBRARY_VARIANT,)}
        assert all(row.constant_time == native[row.algorithm]["constant_time"] for row in listing.implementations)
    else:
        assert found == {}


@pytest.mark.long
def test_known_answers_are_printed_byte_for_byte_as_by_the_native_runner(provider: Provider, own: Runner) -> None:
    with ThreadPoolExecutor(2) as pool:
        printed = list(pool.map(lambda one: _kat(provider.runner, *one), _implementations(provider)))

    for (algorithm, variant), text in zip(_implementations(provider), printed, strict=True):
        assert text == _kat(own, algorithm), (algorithm, variant)


def test_every_length_to_four_blocks_and_one_agrees_with_the_native_runner(
    provider: Provider, expected: dict[str, list[tuple[Message, bytes]]]
) -> None:
    with started(provider.program.command[1:-1]) as program:
        for one in _implementations(provider):
            for message, ciphertext in expected.get(one[0], []):
                assert program.encrypt(one, message) == ciphertext, (one, message)
                assert program.decrypt(one, replace(message, data=ciphertext)) == message.data, (one, message)


@pytest.mark.long
def test_messages_longer_than_a_mebibyte_agree_with_the_native_runner(
    provider: Provider, own: Runner, tmp_path: Path
) -> None:
    rows = own.available()
    (tmp_path / "long").write_bytes(_bytes("long", (1 << 20) + 1))

    for algorithm, variant in _implementations(provider):
        if variant == "bits":
            continue
        options = ("--algorithm", rows[algorithm]["algorithm"], "--in", tmp_path / "long")
        report = json.loads(provider.runner.call("process", *options, "--variant", variant).stdout)
        assert report["output_sha256"] == json.loads(own.call("process", *options).stdout)["output_sha256"]
        assert report["verified"]


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda one: one[0])
def test_refusals_have_the_same_exit_codes_and_sentences(
    provider: Provider, files: dict[str, str], refusal: tuple[str, int, str, str | None]
) -> None:
    line, code, name, detail = refusal
    words = [files.get(word, word) for word in line.split()]

    refused = provider.runner.refusal(*words)

    assert refused[:2] == (code, name)
    variants = LIBRARY_VARIANT if provider.tool.language.binding else "words, bits"
    assert detail is None or refused[2] == detail.replace("PROVIDER", provider.name).replace("VARIANTS", variants)
    assert name != "usage" or detail or refused[2].endswith("; --help lists the options")
    assert not Path(files["OUT"]).exists()


@pytest.mark.parametrize("algorithm", ["simon-128-256-ecb", "ascon-aead128"])
def test_process_reports_ordered_phases_and_exact_memory(
    provider: Provider, own: Runner, tmp_path: Path, algorithm: str
) -> None:
    path = tmp_path / "in"
    path.write_bytes(_bytes("process", 1001))

    document = provider.runner.process(algorithm, path)

    report = ProcessReport.model_validate_json(json.dumps(document))
    assert report.output_sha256 == own.process(algorithm, path)["output_sha256"]
    assert report.verified
    assert [phase.phase for phase in report.phases] == ["start", "load", "key_setup", "encrypt", "decrypt"]
    stamps, begins = report.stamps_ns, report.begins_ns
    phases = ["load", *phases_of(CIPHER_SEQUENCE)]
    assert list(begins) == phases
    assert list(stamps) == ["main", *phases]
    moments = [stamps["main"], *(one[phase] for phase in phases for one in (begins, stamps))]
    assert moments == sorted(moments)
    assert report.peak_rss_bytes >= report.baseline_rss_bytes > 0
    assert all(phase.rss_bytes and phase.begin for phase in report.phases[1:])
    for before, after in pairwise(report.phases):
        assert all(getattr(after, name) >= getattr(before, name) for name in Usage.model_fields), (before, after)
    for counts in (report.cycles, report.instructions, *report.counters.values()):
        assert counts.encrypt is None
        assert counts.reason
    collections = report.garbage_collections
    assert collections is not None
    assert (collections.encrypt is None) == bool(collections.reason)


def test_noop_reports_the_same_phases_without_a_cipher(provider: Provider, tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_bytes(_bytes("noop", 1001))

    ended = provider.runner.call("noop", "--in", path)

    report = ProcessReport.model_validate_json(ended.stdout)
    assert (report.algorithm, report.variant, report.input_bytes) == ("noop", "none", 1001)
    assert report.output_sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("algorithm", "operation", "length"),
    [("simon-128-256-ecb", "encrypt", 16), ("ascon-aead128", "decrypt", 33), ("aes-128-ctr", "key-setup", None)],
)
def test_latency_separates_cold_warm_and_settled_calls(
    provider: Provider, own: Runner, algorithm: str, operation: str, length: int | None
) -> None:
    options = ["--algorithm", algorithm, "--operation", operation, "--min-time-ms", "1", "--timings", "3"]
    options += ["--fill", "random"] + (["--length", str(length)] if length is not None else [])

    ended = provider.runner.call("latency", *options)

    assert ended.returncode == 0, ended.stderr
    report = LatencyReport.model_validate_json(ended.stdout)
    assert report.verified
    assert report.output_sha256 == json.loads(own.call("latency", *options).stdout)["output_sha256"]
    assert (report.cold.call is None) == (operation == "key-setup")
    assert report.warm is not None
    assert report.warm.calls == len(report.warm.wall_ns) == 16
    assert report.settling is not None
    assert report.settling.batches >= 6
    assert report.settling.calls > report.settling.batches
    assert len(report.timings) == 3
    assert min(timing.wall_ns for timing in report.timings) > 0
    counts = {timing.garbage_collections is None for timing in report.timings}
    assert counts == {report.garbage_collections_reason is not None}
