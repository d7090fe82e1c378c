"""Times that no machine reaches, and times of real machines, which must pass."""

from typing import Any

import pytest

from orchestrator.results.admission.bounds import MachineFacts, broken_bound, duration_ns
from orchestrator.results.admission.least_work import LeastWork, work_of
from orchestrator.wire.messages import CIPHER_SEQUENCE
from tests.support.result_world import CHUNK, latency_record, record

PI = MachineFacts(max_frequency_hz=1.8e9, cores=4)
MIB = 1024 * 1024


LONG = {"work_wall_ns": 2 * 10**9, "process_wall_ns": 3 * 10**9, "encrypt_wall_ns": 10**7, "decrypt_wall_ns": 10**7}
CALL = work_of("aes-128-ctr", "encrypt", 16)


def broken(
    message_bytes: int = len(CHUNK), machine: MachineFacts = PI, algorithm: str = "aes-128-ctr", **changes: Any
) -> str:
    return broken_bound(record(1, **changes), work_of(algorithm, CIPHER_SEQUENCE, message_bytes), machine) or ""


def test_times_of_a_real_device_pass() -> None:
    assert broken() == ""
    assert broken_bound(latency_record(1), CALL, PI) is None
    # aes-128-ctr with VAES: 6.9 GiB/s, the fastest measured here; at 64 MiB this takes 9 ms.
    fast = {"encrypt_wall_ns": 9_000_000, "decrypt_wall_ns": 9_000_000, "work_wall_ns": 60_000_000}
    assert broken(64 * MIB, MachineFacts(), process_wall_ns=61_000_000, **fast) == ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"work_wall_ns": 0}, "work_wall_ns is 0 ns, below"),
        ({"process_wall_ns": 1}, "process_wall_ns is 1 ns, below"),
        ({"process_wall_ns": 2**63 - 1}, "more than"),
        ({"work_wall_ns": 2**63 - 1, "process_wall_ns": 2**63 - 1}, "more than"),
        ({"work_wall_ns": 2_600_000, "process_wall_ns": 2_500_000}, "longer than the whole process"),
        ({"encrypt_wall_ns": 2_400_000}, "the phases take"),
        ({"work_cpu_ns": 10**9}, "the CPU time is"),
    ],
)
def test_impossible_time_of_a_process_names_its_bound(changes: dict[str, Any], words: str) -> None:
    assert words in broken(**changes)


def test_phase_faster_than_the_stores_of_a_core_is_impossible() -> None:
    # 8 MiB at twice 1.8 GHz and 128 bytes per cycle take at least 18 µs.
    unknown = {"message_bytes": 8 * MIB, "algorithm": "noop"}
    assert "encrypt_wall_ns is 1000 ns" in broken(**unknown, encrypt_wall_ns=1000)
    assert "decrypt_wall_ns is 16000 ns" in broken(**unknown, decrypt_wall_ns=16_000)
    assert broken(**unknown, decrypt_wall_ns=19_000) == ""


@pytest.mark.parametrize(
    ("algorithm", "possible_ns", "impossible_ns"),
    [
        ("aes-256-gcm", 70_000, 60_000),  # 14 instructions of 16 bytes a block
        ("chacha20-poly1305", 185_000, 175_000),
        ("aes-128-cbc", 1_460_000, 1_450_000),  # 10 rounds, one after the other, for 16 bytes
        ("ascon-aead128", 2_340_000, 2_320_000),
    ],
)
def test_phase_below_the_least_work_of_its_algorithm_is_impossible(
    algorithm: str, possible_ns: int, impossible_ns: int
) -> None:
    # Finding S106: times multiplied by 0.02 passed the bound of the stores. 8 MiB at twice 1.8 GHz.
    assert broken(8 * MIB, algorithm=algorithm, **LONG | {"encrypt_wall_ns": possible_ns}) == ""
    words = broken(8 * MIB, algorithm=algorithm, **LONG | {"encrypt_wall_ns": impossible_ns})
    assert words.startswith(f"encrypt_wall_ns is {impossible_ns} ns; its algorithm takes at least ")
    assert words.endswith(" at 3.6 GHz.")


def test_messages_of_a_batch_need_not_wait_for_each_other() -> None:
    one, many = (work_of("aes-128-cbc", operation, 1024) for operation in ("encrypt", "encrypt-8"))
    assert 0 < many.cycles < one.cycles / 8
    in_parallel = work_of("aes-128-ctr", "encrypt", 1024).cycles
    assert work_of("aes-128-ctr", "encrypt-8", 1024) == LeastWork({"encrypt-8": in_parallel})


def test_decryption_of_cbc_needs_no_block_before() -> None:
    assert broken(8 * MIB, algorithm="aes-128-cbc", **LONG | {"decrypt_wall_ns": 100_000}) == ""


def test_inventory_cannot_lift_the_bound_of_the_clock() -> None:
    boastful = MachineFacts(max_frequency_hz=1e15, cores=10**9)
    assert "encrypt_wall_ns" in broken(64 * MIB, boastful, encrypt_wall_ns=1000)
    assert "the CPU time is" in broken(machine=boastful, work_cpu_ns=10**14)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"call_wall_ns": 1e308}, "more than"),
        ({"call_wall_ns": 0.0}, "the median of its timings is 400"),
        ({"call_wall_ns": 200.0}, "the median of its timings is 400"),
        ({"process_wall_ns": 1_000_000}, "longer than the whole process"),
    ],
)
def test_impossible_time_of_a_call_names_its_bound(changes: dict[str, Any], words: str) -> None:
    made = latency_record(1).model_copy(update=changes)
    assert words in (broken_bound(made, CALL, PI) or "")


def test_timing_without_time_is_impossible() -> None:
    made = latency_record(1, call_wall_ns=0.0)
    assert "a timing of 1000 calls is 0 ns" in (broken_bound(made, CALL, PI) or "")


def test_failed_execution_has_no_time_to_judge() -> None:
    failed = record(1).model_copy(update={"state": "failed", "work_wall_ns": 0})
    assert broken_bound(failed, CALL, PI) is None


def test_duration_is_the_longest_reported_time() -> None:
    assert duration_ns(record(1)) == 2_500_000
    assert duration_ns(latency_record(1)) == 9_000_000
    assert duration_ns(latency_record(1).model_copy(update={"process_wall_ns": None})) == 1_200_000
