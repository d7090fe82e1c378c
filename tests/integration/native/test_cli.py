"""Runners on valid and invalid command lines."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from orchestrator.builds.masked_variants import masked_variants_of
from orchestrator.wire.runners import EXIT_MEANINGS, ListReport, ProcessReport
from tests.support.runner_programs import REPOSITORY, Message, Runner

pytestmark = pytest.mark.untraced

KEY = bytes(range(16))
VECTORS = REPOSITORY / "runners" / "vectors"
CRYPT = ("crypt", "--algorithm", "aes-128-cbc", "--operation", "encrypt")
GIBIBYTE = 1 << 30
# More than a runner takes at its start, and less than any of the messages that must be refused.
LITTLE_MEMORY_BYTES = 256 << 20


@pytest.fixture
def chunk(tmp_path: Path) -> Path:
    path = tmp_path / "chunk"
    path.write_bytes(hashlib.shake_256(b"chunk").digest(100_001))
    return path


class TestList:
    def test_it_is_what_the_wire_expects(self, runner: Runner) -> None:
        report = ListReport.model_validate(runner.list())
        assert report.provider in str(runner.path)
        assert {"compiler", "compiler_version", "flags", "link", "target"} <= report.build.keys()
        assert report.build["planted"] is None

    def test_each_available_algorithm_has_one_default_variant(self, runner: Runner) -> None:
        rows = ListReport.model_validate(runner.list()).implementations
        defaults = [row.algorithm for row in rows if row.default]
        assert sorted(defaults) == sorted({row.algorithm for row in rows if row.available})

    def test_masked_variants_are_those_that_the_sources_declare(self, own: Runner) -> None:
        rows = ListReport.model_validate(own.list()).implementations
        listed = {(row.algorithm, row.variant): row.masking.degrees for row in rows if row.masking}
        features = {feature for row in rows if row.available for feature in row.requires}
        declared = {
            (algorithm, one.name): list(one.degrees)
            for algorithm in {row.algorithm for row in rows}
            for one in masked_variants_of(algorithm)
            if features.issuperset(one.features)
        }
        assert declared.items() <= listed.items()
        assert all(row.requires for row in rows if (row.algorithm, row.variant) in listed.keys() - declared.keys())

    def test_library_reports_the_version_it_was_compiled_against(self, runner: Runner) -> None:
        answer = runner.list()
        if answer["provider"] != "own":
            # The headers and the loaded library come from the same package here.
            assert answer["build"]["headers_version"] == answer["version"]


class TestKat:
    def test_every_known_answer_of_every_algorithm_passes(self, any_runner: Runner) -> None:
        for algorithm in any_runner.available():
            ended = any_runner.call("kat", "--algorithm", algorithm)
            assert ended.returncode == 0, ended.stderr
            records = ended.stdout.decode().strip().split("\n\n")
            assert [record.split("\n")[0] for record in records] == [
                f"Count = {count}" for count in range(1, len(records) + 1)
            ]
            assert len(records) >= 4

    @pytest.mark.long
    def test_the_print_of_every_variant_has_the_published_digest(self, own: Runner) -> None:
        published = {
            path.stem: line.split()[-1].lower()
            for path in sorted(VECTORS.glob("*.vec"))
            for line in path.read_text(encoding="utf-8").splitlines()
            if line.startswith("Genkat = ")
        }
        # Four of Ascon, and TinyJAMBU in three key sizes and two versions.
        assert len(published) >= 10
        rows = [row for row in own.list()["implementations"] if row["algorithm"] in published and row["available"]]
        assert {row["algorithm"] for row in rows} == published.keys()
        for row in rows:
            ended = own.call("kat", "--algorithm", row["algorithm"], "--variant", row["variant"])
            assert hashlib.sha256(ended.stdout).hexdigest() == published[row["algorithm"]], row

    def test_the_print_is_the_same_for_every_provider(self, runners: dict[str, Runner]) -> None:
        printed = {name: runner.call("kat", "--algorithm", "aes-256-ctr").stdout for name, runner in runners.items()}
        assert len(set(printed.values())) == 1


class TestProcess:
    def test_the_report_is_what_the_wire_expects(self, runner: Runner, chunk: Path) -> None:
        for algorithm in runner.available():
            report = ProcessReport.model_validate(runner.process(algorithm, chunk))
            assert report.verified
            assert report.input_bytes == 100_001

    def test_the_phases_follow_each_other(self, runner: Runner, chunk: Path) -> None:
        report = runner.process("aes-192-ofb", chunk)
        begins, ends = report["begins_ns"], report["stamps_ns"]
        moments = [ends["main"]]
        for phase in ("load", "key_setup", "encrypt", "decrypt"):
            moments += [begins[phase], ends[phase]]
        assert moments == sorted(moments)

    def test_only_whole_block_modes_pad(self, own: Runner, chunk: Path) -> None:
        cbc, ctr = own.process("aes-128-cbc", chunk), own.process("aes-128-ctr", chunk)
        aead = own.process("chacha20-poly1305", chunk)
        assert (cbc["padded_bytes"], cbc["output_bytes"]) == (100_016, 100_016)
        assert (ctr["padded_bytes"], ctr["output_bytes"]) == (100_001, 100_001)
        assert (aead["padded_bytes"], aead["output_bytes"]) == (100_001, 100_017)

    def test_the_digest_is_that_of_crypt_with_zero_padding(self, runner: Runner, chunk: Path, tmp_path: Path) -> None:
        nonce = bytes(range(16))
        message = Message(KEY, nonce, chunk.read_bytes() + bytes(15))
        ciphertext = runner.crypt("encrypt", "aes-128-cbc", message, tmp_path)
        report = runner.process("aes-128-cbc", chunk)
        assert report["output_sha256"] == hashlib.sha256(ciphertext).hexdigest()

    def test_cipher_phases_fault_in_no_page_of_the_buffers(self, own: Runner, chunk: Path) -> None:
        chunk.write_bytes(bytes(4 << 20))
        faults = {phase["phase"]: phase["minor_faults"] for phase in own.process("aes-128-ctr", chunk)["phases"]}
        # The buffers have 3 x 1024 pages, and load touches all of them; code of the cipher may still be mapped in.
        assert faults["load"] - faults["start"] >= 3072
        assert faults["decrypt"] - faults["load"] < 16

    def test_memory_is_the_buffers_and_a_little(self, own: Runner, chunk: Path) -> None:
        chunk.write_bytes(bytes(8 << 20))
        report = own.process("aes-128-ctr", chunk)
        assert report["buffers_bytes"] == 3 * (8 << 20)
        # The pages of program and libraries that are first touched after main. Selecting an implementation once
        # executed a function of each family and made 2.8 MiB of code of other ciphers resident.
        rest_bytes = report["peak_rss_bytes"] - report["baseline_rss_bytes"] - report["buffers_bytes"]
        assert 0 <= rest_bytes < 1 << 20

    def test_an_empty_file_is_a_message_too(self, runner: Runner, chunk: Path) -> None:
        chunk.write_bytes(b"")
        report = runner.process("chacha20-poly1305", chunk)
        assert (report["input_bytes"], report["output_bytes"]) == (0, 16)


class TestNoop:
    def test_it_reports_like_process(self, runner: Runner, chunk: Path) -> None:
        ended = runner.call("noop", "--in", chunk)
        report = ProcessReport.model_validate_json(ended.stdout)
        assert (report.command, report.algorithm, report.variant) == ("noop", "noop", "none")
        assert report.output_sha256 == hashlib.sha256(chunk.read_bytes()).hexdigest()


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "code", "error"),
        [
            ((), 2, "usage"),
            (("frobnicate",), 2, "usage"),
            (("kat",), 2, "usage"),
            (("list", "--algorithm", "aes-128-ecb"), 2, "usage"),
            (("kat", "--algorithm"), 2, "usage"),
            (("kat", "--algo", "aes-128-ecb"), 2, "usage"),
            (("kat", "--algorithm", "aes-128-ecb", "--algorithm", "aes-128-ctr"), 2, "usage"),
            ((*CRYPT[:-1], "sign", "--key", KEY.hex(), "--in", "x", "--out", "y"), 2, "usage"),
            (("kat", "--algorithm", "rot13"), 3, "unknown-algorithm"),
            (("kat", "--algorithm", "aes-128-ecb", "--variant", "fastest"), 3, "unknown-variant"),
            (("process", "--algorithm", "aes-128-ctr", "--in", "/nonexistent"), 4, "bad-input"),
            (("process", "--algorithm", "aes-128-ctr", "--in", "/"), 4, "bad-input"),
            (("noop", "--in", "/dev/zero"), 4, "bad-input"),
        ],
    )
    def test_it_ends_with_a_documented_code_and_one_line(
        self, runner: Runner, arguments: tuple[str, ...], code: int, error: str
    ) -> None:
        assert runner.refusal(*arguments)[:2] == (code, error)
        assert code in EXIT_MEANINGS

    @pytest.mark.parametrize(
        ("option", "value", "seen"),
        [
            ("--key", "00" * 15, "--key has 15 bytes, expected 16"),
            ("--key", "0", "--key is not"),
            ("--key", "zz" * 16, "--key is not"),
            ("--nonce", "00" * 17, "--nonce has 17 bytes, expected 16"),
            ("--ad", "00", "--ad was given"),
            ("--in", "short", "the message has 15 bytes, expected a multiple of 16"),
            ("--out", "missing/folder", "missing/folder: No such file"),
        ],
    )
    def test_crypt_names_what_it_saw_and_what_it_expected(
        self, runner: Runner, tmp_path: Path, option: str, value: str, seen: str
    ) -> None:
        (tmp_path / "in").write_bytes(bytes(32))
        (tmp_path / "short").write_bytes(bytes(15))
        given = {"--key": "00" * 16, "--nonce": "00" * 16, "--in": "in", "--out": "out", option: value}
        for path in ("--in", "--out"):
            given[path] = str(tmp_path / given[path])
        code, error, detail = runner.refusal(*CRYPT, *(word for pair in given.items() for word in pair))
        assert (code, error) == (4, "bad-input")
        assert seen in detail

    def test_every_algorithm_names_the_lengths_of_key_and_nonce_that_it_takes(
        self, runner: Runner, tmp_path: Path
    ) -> None:
        (tmp_path / "in").write_bytes(b"")
        files = ("--in", tmp_path / "in", "--out", tmp_path / "out")
        for algorithm, row in runner.available().items():
            right = {"--key": row["key_bytes"], "--nonce": row["nonce_bytes"]}
            wrong = [("--key", row["key_bytes"] - 1), ("--nonce", row["nonce_bytes"] + 1)]
            for option, length in wrong:
                given = [word for name, count in {**right, option: length}.items() for word in (name, "00" * count)]
                refused = runner.refusal("crypt", "--algorithm", algorithm, "--operation", "encrypt", *given, *files)
                sentence = f"{option} has {length} bytes, expected {right[option]}"
                assert refused == (4, "bad-input", sentence), algorithm

    @pytest.mark.parametrize(
        ("algorithm", "limit_bytes"),
        [
            ("chacha20-ietf", 256 * GIBIBYTE),
            # Block 0 makes the key of Poly1305.
            ("chacha20-poly1305", 256 * GIBIBYTE - 64),
            # A block of 32 bits counts to 2^32; 16 GiB later the keystream would begin again.
            ("simon-32-64-ctr", 16 * GIBIBYTE),
            ("speck-32-64-ctr", 16 * GIBIBYTE),
        ],
    )
    def test_a_message_above_the_limit_of_its_counter_is_refused_before_memory_is_taken(
        self, runner: Runner, algorithm: str, limit_bytes: int, tmp_path: Path
    ) -> None:
        row = runner.available().get(algorithm)
        if row is None:
            pytest.skip(f"{runner.path.name} does not offer {algorithm}")
        path = tmp_path / "sparse"
        keyed = ("--key", "00" * row["key_bytes"], "--nonce", "00" * row["nonce_bytes"], "--out", tmp_path / "out")
        crypt = ("crypt", *keyed, "--operation")
        commands = [((*crypt, "encrypt"), 0), ((*crypt, "decrypt"), row["tag_bytes"]), (("process",), 0)]
        for command, tag_bytes in commands:
            with path.open("wb") as file:
                file.truncate(limit_bytes + 1 + tag_bytes)
            refused = runner.within(LITTLE_MEMORY_BYTES).refusal(*command, "--algorithm", algorithm, "--in", path)
            sentence = f"the message has {limit_bytes + 1} bytes, expected at most {limit_bytes} for {algorithm}"
            assert refused == (4, "bad-input", sentence), command
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
    def test_a_trillion_bytes_are_refused_before_memory_is_taken(self, runner: Runner, operation: str) -> None:
        trillion = "1000000000000"
        limited = runner.within(LITTLE_MEMORY_BYTES)
        timed = ("latency", "--algorithm", "chacha20-poly1305", "--operation", operation)
        expected = f"{trillion}, expected at most 1073741824; 'process' takes longer messages"
        # For this algorithm so long a message is not even allowed.
        code, error, detail = limited.refusal(*timed, "--length", trillion)
        assert (code, error) == (4, "bad-input")
        assert detail == "the message has 1000000000000 bytes, expected at most 274877906880 for chacha20-poly1305"
        unlimited = ("latency", "--algorithm", "aes-128-ctr", "--operation", operation, "--length", trillion)
        assert limited.refusal(*unlimited) == (4, "bad-input", f"--length is {expected}")
        refused = limited.refusal(*timed, "--length", "0", "--ad-length", trillion)
        assert refused == (4, "bad-input", f"--ad-length is {expected}")

    def test_a_ciphertext_shorter_than_its_tag_is_bad_input(self, runner: Runner, tmp_path: Path) -> None:
        (tmp_path / "in").write_bytes(bytes(15))
        code, error, detail = runner.refusal(
            *("crypt", "--algorithm", "chacha20-poly1305", "--operation", "decrypt", "--key", "00" * 32),
            *("--nonce", "00" * 12, "--in", tmp_path / "in", "--out", tmp_path / "out"),
        )
        assert (code, error) == (4, "bad-input")
        assert "at least 16" in detail


class TestPlantedFaults:
    @pytest.mark.parametrize("planted", ["identity"], indirect=True)
    def test_a_cipher_that_does_nothing_fails_its_known_answers_alone(self, planted: Runner, chunk: Path) -> None:
        assert planted.list()["build"]["planted"] == "identity"
        assert planted.process("aes-128-ctr", chunk)["verified"]
        code, error, detail = planted.refusal("kat", "--algorithm", "aes-128-ctr")
        assert (code, error) == (6, "not-verified")
        assert "vector 1" in detail

    @pytest.mark.parametrize("planted", ["wrong-byte"], indirect=True)
    def test_a_wrong_byte_shows_in_the_digest_alone(self, planted: Runner, own: Runner, chunk: Path) -> None:
        assert planted.list()["build"]["planted"] == "wrong-byte"
        assert planted.call("kat", "--algorithm", "aes-128-ctr").returncode == 0
        faulty, genuine = (each.process("aes-128-ctr", chunk) for each in (planted, own))
        assert faulty["verified"]
        assert faulty["output_sha256"] != genuine["output_sha256"]

    @pytest.mark.parametrize("planted", ["slow-digest"], indirect=True)
    def test_slow_reporting_gives_the_same_report(self, planted: Runner, own: Runner, chunk: Path) -> None:
        assert planted.list()["build"]["planted"] == "slow-digest"
        slow, genuine = (each.process("aes-128-ctr", chunk) for each in (planted, own))
        assert slow["output_sha256"] == genuine["output_sha256"]


def test_help_and_version_are_no_errors(runner: Runner) -> None:
    assert b"process" in runner.call("--help").stdout
    assert runner.call("--version").stdout.decode().strip() == runner.list()["version"]
    assert json.loads(runner.call("list").stdout)["protocol"] == 2


class TestLeakage:
    def test_build_without_the_programs_for_evidence_names_the_remedy(self, own: Runner, tmp_path: Path) -> None:
        alone = Runner(Path(shutil.copy(own.path, tmp_path)))
        code, error, detail = alone.refusal("leakage", "--check", "gadgets")
        assert (code, error) == (2, "usage")
        assert "make evidence" in detail

    def test_unknown_check_is_refused_with_the_list_of_checks(self, own: Runner) -> None:
        code, error, detail = own.refusal("leakage", "--check", "power")
        assert (code, error) == (2, "usage")
        assert "object-code" in detail
