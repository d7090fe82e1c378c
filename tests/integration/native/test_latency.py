"""Calls timed inside one process: what ``latency`` reports, proves and refuses."""

import hashlib
import json
from collections import defaultdict
from pathlib import Path

import pytest

from orchestrator.compilation.calibration import CalibrateOutput
from orchestrator.wire.runners import EXIT_MEANINGS, LatencyReport
from tests.support.runner_programs import Message, Runner

pytestmark = pytest.mark.untraced

AEAD = ("--algorithm", "chacha20-poly1305")
CTR = ("--algorithm", "aes-128-ctr")
SECOND_NS = 1_000_000_000


def quick(timings: int = 3) -> tuple[str, ...]:
    """Return the arguments that make an execution short."""
    return ("--min-time-ms", "1", "--timings", str(timings))


def latency(runner: Runner, *arguments: str, timings: int = 3) -> LatencyReport:
    """Return the report of ``latency``."""
    ended = runner.call("latency", *quick(timings), *arguments)
    assert ended.returncode == 0, ended.stderr
    return LatencyReport.model_validate_json(ended.stdout)


def encrypt(runner: Runner, algorithm: tuple[str, str], length: int, *more: str) -> LatencyReport:
    """Return the report of timed encryptions."""
    return latency(runner, *algorithm, "--operation", "encrypt", "--length", str(length), *more)


class TestReport:
    @pytest.mark.long  # test_cli.py executes every algorithm
    @pytest.mark.parametrize("operation", ["encrypt", "decrypt", "key-setup"])
    def test_every_algorithm_is_timed_and_verified(self, runner: Runner, operation: str) -> None:
        for algorithm, row in runner.available().items():
            length = () if operation == "key-setup" else ("--length", str(4 * row["block_bytes"]))
            report = latency(runner, "--algorithm", algorithm, "--operation", operation, *length, timings=1)
            assert (report.algorithm, report.variant, report.operation) == (algorithm, row["variant"], operation)
            assert report.verified
            assert "known answers" in report.verified_by

    def test_timing_lasts_the_requested_time(self, runner: Runner) -> None:
        options = ("--length", "16", "--min-time-ms", "20", "--timings", "5")
        ended = runner.call("latency", *CTR, "--operation", "encrypt", *options)
        report = LatencyReport.model_validate_json(ended.stdout)
        assert report.min_timing_ns >= 20_000_000
        assert report.min_timing_ns >= 1000 * report.clock.resolution_ns
        assert len(report.timings) == 5
        # The iterations are calibrated twice. Where other programs used the core then, the timings are shorter.
        assert all(1_000_000 < timing.wall_ns < 60 * SECOND_NS for timing in report.timings)
        assert len({timing.iterations for timing in report.timings}) == 1

    def test_a_fraction_of_a_millisecond_is_enough(self, own: Runner) -> None:
        ended = own.call("latency", *CTR, "--operation", "encrypt", "--length", "16", "--min-time-ms", "0.5")
        report = LatencyReport.model_validate_json(ended.stdout)
        assert report.min_timing_ns == max(500_000, 1000 * report.clock.resolution_ns)

    def test_a_long_message_is_one_call_a_timing(self, own: Runner) -> None:
        algorithm = ("--algorithm", "3des-192-cbc")
        report = encrypt(own, algorithm, 1 << 20)
        assert all(timing.iterations == 1 for timing in report.timings)

    def test_more_bytes_take_longer(self, runner: Runner) -> None:
        short, long = (encrypt(runner, CTR, length).timings[0] for length in (16, 1 << 20))
        assert long.cpu_ns / long.iterations > 20 * short.cpu_ns / short.iterations

    def test_associated_data_takes_longer_and_changes_the_tag(self, runner: Runner) -> None:
        without, with_data = (encrypt(runner, AEAD, 16, "--ad-length", length) for length in ("0", "65536"))
        per_call = [min(t.cpu_ns / t.iterations for t in report.timings) for report in (without, with_data)]
        assert per_call[1] > 5 * per_call[0]
        assert with_data.associated_data_bytes == 65_536
        assert without.output_sha256 != with_data.output_sha256

    def test_cold_calls_are_reported_separately(self, runner: Runner) -> None:
        report = encrypt(runner, CTR, 16)
        assert report.cold.call is not None
        assert min(report.cold.call.wall_ns, report.cold.key_setup.wall_ns) > 0
        assert latency(runner, *CTR, "--operation", "key-setup").cold.call is None

    def test_decryption_is_cold_although_the_ciphertext_had_to_be_made(self, own: Runner) -> None:
        # The ciphertext comes from another process, or the code of counter mode would have been called already.
        colds, warms = [], []
        for _ in range(5):
            report = latency(own, *CTR, "--operation", "decrypt", "--length", "16")
            assert report.cold.call is not None
            colds.append(report.cold.call.wall_ns)
            warms.append(min(timing.wall_ns / timing.iterations for timing in report.timings))
        assert min(colds) > 3 * min(warms)

    def test_counters_are_numbers_or_absent_with_the_reason(self, own: Runner) -> None:
        report = encrypt(own, CTR, 16)
        for timing in report.timings:
            assert (timing.cycles is None) == (timing.instructions is None) == (report.counters_reason is not None)

    def test_derived_cycles_are_cpu_time_by_a_clock_that_held_still(self, own: Runner) -> None:
        for timing in latency(own, *CTR, "--operation", "encrypt", "--length", "1024", timings=10).timings:
            clock = timing.core_clock
            assert (timing.derived_cycles is None) == (clock.hz is None) == (clock.reason is not None)
            if clock.hz is None or clock.before_hz is None or clock.after_hz is None:
                continue
            assert 1e8 < clock.hz < 1e10
            assert abs(clock.after_hz - clock.before_hz) <= 0.02 * clock.before_hz
            assert timing.derived_cycles == pytest.approx(timing.cpu_ns * clock.hz / 1e9)


class TestOutput:
    @pytest.mark.parametrize(
        ("fill", "message"),
        [
            ("zero", bytes(600)),
            ("counter", bytes(range(256)) * 2 + bytes(range(88))),
        ],
    )
    def test_the_digest_is_that_of_crypt(self, runner: Runner, fill: str, message: bytes, tmp_path: Path) -> None:
        report = encrypt(runner, AEAD, 600, "--ad-length", "32", "--fill", fill)
        data = message[:32]
        sealed = runner.crypt("encrypt", AEAD[1], Message(bytes(range(32)), bytes(range(12)), message, data), tmp_path)
        assert report.output_sha256 == hashlib.sha256(sealed).hexdigest()

    def test_decryption_gives_the_message_back(self, runner: Runner) -> None:
        report = latency(runner, *AEAD, "--operation", "decrypt", "--length", "48", "--fill", "zero")
        assert report.output_sha256 == hashlib.sha256(bytes(48)).hexdigest()

    def test_random_bytes_are_the_same_for_everybody(self, runners: dict[str, Runner]) -> None:
        reports = [encrypt(each, CTR, 1000, "--fill", "random") for each in runners.values()]
        assert len({report.output_sha256 for report in reports}) == 1
        assert reports[0].output_sha256 != encrypt(runners["own"], CTR, 1000).output_sha256

    def test_key_and_nonce_are_those_given(self, own: Runner, tmp_path: Path) -> None:
        given = ("--key", "ab" * 16, "--nonce", "cd" * 16, "--fill", "zero")
        sealed = own.crypt("encrypt", CTR[1], Message(b"\xab" * 16, b"\xcd" * 16, bytes(100)), tmp_path)
        assert encrypt(own, CTR, 100, *given).output_sha256 == hashlib.sha256(sealed).hexdigest()

    def test_all_variants_are_held_against_another_one(self, own: Runner) -> None:
        rows = [row for row in own.list()["implementations"] if row["algorithm"] == CTR[1] and row["available"]]
        for row in rows:
            report = encrypt(own, CTR, 500, "--variant", row["variant"])
            others = [by.removeprefix("variant ") for by in report.verified_by if by.startswith("variant ")]
            assert others != [row["variant"]]
            assert bool(others) == (len(rows) > 1)

    def test_key_and_nonce_of_zeros(self, runner: Runner) -> None:
        report = encrypt(runner, CTR, 100, "--key-fill", "zero")
        given = ("--key", "00" * 16, "--nonce", "00" * 16)
        assert report.output_sha256 == encrypt(runner, CTR, 100, *given).output_sha256
        assert report.output_sha256 != encrypt(runner, CTR, 100, "--key-fill", "counter").output_sha256
        assert (
            encrypt(runner, CTR, 100).output_sha256 == encrypt(runner, CTR, 100, "--key-fill", "counter").output_sha256
        )


class TestKeySetup:
    @pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
    def test_included_makes_the_same_bytes(self, runner: Runner, operation: str) -> None:
        case = (*AEAD, "--operation", operation, "--length", "64", "--ad-length", "16")
        included, apart = (latency(runner, *case, "--key-setup", each) for each in ("included", "apart"))
        assert included.key_setup == "included"
        assert included.output_sha256 == apart.output_sha256

    def test_a_call_that_sets_the_key_takes_longer(self, own: Runner) -> None:
        # Bitsliced AES spends many times as long on its round keys as on one block.
        case = ("--algorithm", "aes-256-ctr", "--variant", "bitsliced64", "--operation")
        message = (*case, "encrypt", "--length", "16", "--key-setup")
        included, apart, alone = (
            min(timing.cpu_ns / timing.iterations for timing in latency(own, *arguments, timings=5).timings)
            for arguments in ((*message, "included"), (*message, "apart"), (*case, "key-setup"))
        )
        assert included > apart + 0.5 * alone


class TestMessages:
    @pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
    def test_several_messages_are_verified_one_at_a_time(self, runner: Runner, operation: str) -> None:
        case = (*AEAD, "--operation", operation, "--length", "40", "--messages", "5", "--keys")
        for keys in ("one", "each"):
            ended = runner.call("latency", *quick(), *case, keys, "--key-setup", "included")
            report = json.loads(ended.stdout)
            assert (report["messages"], report["keys"], report["verified"]) == (5, keys, True)
            assert report["min_cycles"] is None


class TestMemory:
    def test_the_peak_holds_the_buffers_and_the_baseline_does_not(self, own: Runner) -> None:
        length = 1 << 24
        report = encrypt(own, CTR, length)
        assert report.peak_rss_bytes is not None
        assert report.baseline_rss_bytes is not None
        assert report.baseline_rss_bytes + 3 * length <= report.peak_rss_bytes < report.baseline_rss_bytes + 4 * length


class TestLowerBound:
    def test_a_genuine_cipher_is_not_called_impossible(self, own: Runner) -> None:
        report = encrypt(own, ("--algorithm", "tinyjambu-128"), 64)
        assert report.min_cycles is not None
        assert report.min_cycles > 16 * 28
        for timing in report.timings:
            unknown = timing.cycles is None and timing.derived_cycles is None
            assert timing.impossible is (None if unknown else False)

    def test_lower_bound_is_absent_if_none_is_derived(self, own: Runner) -> None:
        report = encrypt(own, CTR, 64)
        assert report.min_cycles is None
        assert {timing.impossible for timing in report.timings} == {None}


class TestPlantedFaults:
    @pytest.mark.parametrize("planted", ["identity"], indirect=True)
    def test_a_cipher_that_does_nothing_has_no_times(self, planted: Runner) -> None:
        arguments = (*quick(), "--operation", "encrypt", "--length", "4096")
        code, error, detail = planted.refusal("latency", *CTR, *arguments)
        assert (code, error) == (6, "not-verified")
        assert "aes-128-ctr.vec line" in detail
        assert not LatencyReport.model_validate_json(planted.call("latency", *CTR, *arguments).stdout).verified

    @pytest.mark.parametrize("planted", ["identity"], indirect=True)
    def test_a_cipher_that_is_too_quick_is_called_impossible(self, planted: Runner) -> None:
        arguments = (*quick(20), "--algorithm", "tinyjambu-128", "--operation", "encrypt", "--length", "65536")
        for _ in range(5):  # On a loaded machine the clock of a whole report may be unknown.
            report = LatencyReport.model_validate_json(planted.call("latency", *arguments).stdout)
            known = [t.impossible for t in report.timings if t.cycles is not None or t.derived_cycles is not None]
            if known:
                break
        assert all(known)
        assert known or all(t.core_clock.reason for t in report.timings)


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "code", "seen"),
        [
            ((*CTR,), 2, "--operation is required"),
            ((*CTR, "--operation", "sign"), 2, "sign"),
            ((*CTR, "--operation", "encrypt"), 2, "--length is required"),
            ((*CTR, "--operation", "encrypt", "--length", "-1"), 2, "'-1' is not a number of bytes"),
            ((*CTR, "--operation", "encrypt", "--length", "9" * 30), 2, "not a number of bytes"),
            ((*CTR, "--operation", "encrypt", "--length", "16", "--timings", "0"), 2, "'0' is not a whole"),
            ((*CTR, "--operation", "encrypt", "--length", "16", "--min-time-ms", "10001"), 2, "'10001' is no"),
            ((*CTR, "--operation", "encrypt", "--length", "16", "--min-time-ms", "0.09"), 2, "'0.09' is no"),
            ((*CTR, "--operation", "encrypt", "--length", "16", "--min-time-ms", "nan"), 2, "'nan' is no"),
            ((*CTR, "--operation", "encrypt", "--length", "16", "--key-fill", "random"), 2, "random"),
            ((*CTR, "--operation", "encrypt", "--length", "16", "--key-setup", "never"), 2, "never"),
            ((*CTR, "--operation", "key-setup", "--key-setup", "included"), 2, "which is timed alone"),
            ((*CTR, "--operation", "key-setup", "--messages", "2"), 2, "expected 1 for key-setup"),
            ((*CTR, "--operation", "encrypt", "--length", "16", "--messages", "1025"), 2, "'1025' is not a whole"),
            (
                (*CTR, "--operation", "encrypt", "--length", "16", "--key-fill", "zero", "--nonce", "00" * 16),
                2,
                "expected it without --key and --nonce",
            ),
            ((*CTR, "--operation", "encrypt", "--length", "16", "--fill", "ones"), 2, "ones"),
            ((*CTR, "--operation", "encrypt", "--length", "16", "--ad-length", "1"), 4, "is no AEAD"),
            ((*CTR, "--operation", "key-setup", "--length", "16"), 4, "expected 0 for key-setup"),
            ((*CTR, "--operation", "encrypt", "--length", "16", "--key", "00"), 4, "--key has 1 bytes, expected 16"),
            (("--algorithm", "aes-128-cbc", "--operation", "encrypt", "--length", "17"), 4, "a multiple of 16"),
            ((*CTR, "--variant", "fastest", "--operation", "encrypt", "--length", "16"), 3, "fastest"),
        ],
    )
    def test_it_names_what_it_saw_and_what_it_takes(
        self, runner: Runner, arguments: tuple[str, ...], code: int, seen: str
    ) -> None:
        ended, _, detail = runner.refusal("latency", *arguments)
        assert ended == code
        assert code in EXIT_MEANINGS
        assert seen in detail


class TestCalibration:
    def test_every_variant_is_timed_by_length_with_the_default_twice(self, own: Runner) -> None:
        ended = own.call("calibrate")
        assert ended.returncode == 0, ended.stderr
        report = CalibrateOutput.model_validate_json(ended.stdout)
        assert report.lengths == [16, 64, 256, 1024, 4096]
        listed, multiples = defaultdict(set), {}
        for row in json.loads(own.call("list").stdout)["implementations"]:
            if row["available"] and not row["masking"]:
                listed[row["algorithm"]].add(row["variant"])
                multiples[row["algorithm"]] = row["block_bytes"] if row["whole_blocks_only"] else 1
        several = {name: variants for name, variants in listed.items() if len(variants) > 1}
        timed = defaultdict(list)
        for one in report.rows:
            timed[one.algorithm].append(one)
            assert [len(rounds) for rounds in one.call_ns] == [21] * len(report.lengths)
            assert min(map(min, one.call_ns)) > 0
            multiple = multiples[one.algorithm]
            assert one.message_bytes == [length // multiple * multiple for length in report.lengths]
        assert {name: {one.variant for one in rows} for name, rows in timed.items()} == several
        assert all(sum(one.control for one in rows) == 1 for rows in timed.values())

    def test_a_library_has_nothing_to_choose_from(self, runners: dict[str, Runner]) -> None:
        ended = runners["botan"].call("calibrate")
        assert CalibrateOutput.model_validate_json(ended.stdout).rows == []
