"""Batches with real runners: the same outputs by every provider, and times of one message."""

from itertools import product
from typing import Any

from orchestrator.compilation.installed import InstalledBuild
from orchestrator.wire.jobs import JobMessage
from tests.support.daemon_bench import DaemonBench, a_job

ALGORITHM = "chacha20-poly1305"
PROVIDERS = {"own": "ref64", "botan": "library"}
OPERATIONS = ("encrypt", "encrypt-3", "encrypt-3-keys", "decrypt-3-keys")


def a_job_of_batches(build: InstalledBuild) -> JobMessage:
    """Return a job with the cases of each operation by both providers, each executed once."""
    cases: list[dict[str, Any]] = [
        {"case_id": number, "build_key": build.build_key, "provider": provider, "algorithm": ALGORITHM,
         "variant": PROVIDERS[provider], "protocol": "latency", "operation": operation, "message_bytes": 40,
         "associated_data_bytes": 5, "fill": "counter", "key_fill": "counter", "key_setup": "included",
         "timings": 2, "min_timing_ms": 0.5}
        for number, (operation, provider) in enumerate(product(OPERATIONS, PROVIDERS), start=1)
    ]  # fmt: skip
    executions = [{"case_id": case["case_id"], "repetition": 1, "position": n} for n, case in enumerate(cases)]
    return a_job(build, 1, cases=cases, executions=executions)


def test_every_provider_makes_the_outputs_of_a_batch_and_is_timed_by_message(bench: DaemonBench) -> None:
    assert bench.execute(a_job_of_batches(bench.build)) == "done"
    records = sorted(bench.records(), key=lambda record: record.case_id)
    assert {(record.state, record.failure) for record in records} == {("ok", None)}
    digests = [record.output_sha256 for record in records]
    own, library = digests[::2], digests[1::2]
    assert own == library
    alone, same_key, own_keys, decrypted = own
    assert len({alone, same_key, own_keys}) == 3
    assert decrypted is None  # its output is compared with the message in the runner
    for record in records[2:]:
        assert record.timings is not None
        assert record.call_wall_ns is not None
        assert all(messages % 3 == 0 for messages in record.timings.iterations)
        times = [
            wall / messages for wall, messages in zip(record.timings.wall_ns, record.timings.iterations, strict=True)
        ]
        assert min(times) <= record.call_wall_ns <= max(times)
