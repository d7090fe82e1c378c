"""Fine curves of real processes: the test itself, and one that ends."""

import os
import subprocess

from orchestrator.measurement.instrument.fine_curve import FineCurve
from orchestrator.wire.launcher import Started


def curve_of(pid: int, max_samples: int = 1000) -> FineCurve:
    started = Started.read({"event": "started", "id": 1, "pid": pid, "spawn_ns": 100})
    return FineCurve(started, 10, measured_core=None, max_samples=max_samples)


class TestFineCurve:
    def test_each_sample_has_a_time_and_all_columns(self) -> None:
        curve = curve_of(os.getpid())

        assert [curve.take(at_ns) for at_ns in (110, 120, 130)] == [True] * 3

        samples = curve.finish()
        assert samples.at_ns == [10, 20, 30]
        assert min(samples.rss_bytes) > 1 << 20
        assert curve.peak_rss_bytes == max(samples.rss_bytes)
        assert all(count >= 1 for count in samples.threads)
        assert sorted(samples.cpu_ns) == samples.cpu_ns
        assert curve.migrations == 0

    def test_ended_process_gives_no_sample(self) -> None:
        child = subprocess.Popen(["sleep", "60"])
        curve = curve_of(child.pid)
        assert curve.take(200)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)

        assert curve.take(300)  # a zombie still has its files
        child.wait()
        assert not curve.take(400)
        assert curve.finish().at_ns == [100]

    def test_long_curve_is_thinned_and_keeps_its_peak(self) -> None:
        curve = curve_of(os.getpid(), max_samples=1000)
        for at_ns in range(100, 1100):
            curve.take(at_ns)

        assert curve.interval_ns == 20
        assert curve.finish().at_ns == list(range(0, 1000, 2))
