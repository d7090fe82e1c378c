"""Records and the time since their claim."""

from datetime import UTC, datetime, timedelta

from orchestrator.results.admission.claims import KnownClaim, LostPeriod, Timing, exceeded_window, started_at
from orchestrator.shared.values.boot_clock import BootTime, boot_time

GRANTED = datetime(2026, 11, 22, 12, tzinfo=UTC)
SECOND = 10**9


def claim(reported_ns: int = 0) -> KnownClaim:
    return KnownClaim(7, 3, "a" * 32, GRANTED, "boot", 100 * SECOND, reported_ns)


def timing(duration: float, since: float | None = 0.0, at: datetime = GRANTED) -> Timing:
    return Timing(round(duration * SECOND), None if since is None else round(since * SECOND), at)


def at(seconds: float) -> BootTime:
    return BootTime("boot", round((100 + seconds) * SECOND))


def test_execution_within_the_time_since_the_claim_is_accepted() -> None:
    assert exceeded_window(claim(), timing(3, since=6), at(10)) is None
    assert exceeded_window(claim(6 * SECOND), timing(3.9), at(10)) is None


def test_execution_that_ends_after_its_arrival_is_refused() -> None:
    assert "ended 11.000 s after its claim" in (exceeded_window(claim(), timing(3, since=8), at(10)) or "")


def test_executions_longer_than_the_time_since_the_claim_are_refused_together() -> None:
    assert "take 11.000 s together" in (exceeded_window(claim(8 * SECOND), timing(3), at(10)) or "")


def test_clocks_may_differ_by_their_tolerance() -> None:
    assert exceeded_window(claim(), timing(1001, since=0.5), at(1000)) is None
    assert exceeded_window(claim(), timing(1005), at(1000)) is not None


def test_restart_of_the_services_machine_leaves_no_window() -> None:
    assert exceeded_window(claim(), timing(10**6), BootTime("another boot", 1)) is None


def test_start_is_on_the_services_clock_whatever_the_agents_clock_is() -> None:
    wrong = datetime(2099, 1, 1, tzinfo=UTC)
    now = GRANTED + timedelta(seconds=20)
    assert started_at(claim(), timing(1, since=5, at=wrong), None, now) == GRANTED + timedelta(seconds=5)
    assert started_at(claim(), Timing(1, 2**70, wrong), None, now) == now


def test_start_without_an_answered_claim_is_limited_to_the_time_since_the_job_was_sent() -> None:
    sent, now = GRANTED - timedelta(seconds=5), GRANTED + timedelta(seconds=20)
    early, late = datetime(1970, 1, 1, tzinfo=UTC), datetime(2099, 1, 1, tzinfo=UTC)
    assert started_at(None, timing(1, None, early), sent, now) == sent
    assert started_at(None, timing(1, None, late), sent, now) == now
    assert started_at(None, timing(1, None, GRANTED), sent, now) == GRANTED


def test_boot_clock_advances_within_a_boot() -> None:
    first = boot_time()
    second = boot_time()
    assert first.boot_id == second.boot_id
    assert (second.since(first.boot_id, first.at_ns) or -1) >= 0


class TestLostPeriod:
    PERIOD = LostPeriod(GRANTED, GRANTED + timedelta(seconds=100), first_id=1000)

    def test_execution_of_a_job_in_the_backup_is_explained_between_backup_and_restore(self) -> None:
        assert self.PERIOD.explains(999, timing(60, at=GRANTED + timedelta(seconds=40)))

    def test_execution_before_the_backup_or_beyond_the_restore_is_not_explained(self) -> None:
        assert not self.PERIOD.explains(999, timing(1, at=GRANTED - timedelta(seconds=1)))
        assert not self.PERIOD.explains(999, timing(60, at=GRANTED + timedelta(seconds=41)))
        assert not self.PERIOD.explains(999, timing(10**12, at=GRANTED))
        assert not self.PERIOD.explains(999, timing(1, at=datetime(9999, 12, 31, tzinfo=UTC)))

    def test_job_made_after_the_restore_is_not_explained(self) -> None:
        assert not self.PERIOD.explains(1000, timing(1, at=GRANTED))
