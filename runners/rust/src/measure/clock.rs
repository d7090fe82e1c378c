use super::system::{clock_gettime, Timespec, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID};

fn read_clock(clock: i32) -> i64 {
    let mut now = Timespec::default();
    // SAFETY: `now` is a struct timespec. The call cannot fail: both clocks exist in every kernel.
    unsafe { clock_gettime(clock, &mut now) };
    now.seconds as i64 * 1_000_000_000 + now.nanoseconds as i64
}

/// CLOCK_MONOTONIC: the clock of the launcher too, so that stamps of both can be subtracted.
pub fn monotonic_ns() -> i64 {
    read_clock(CLOCK_MONOTONIC)
}

/// CPU time of this process.
pub fn process_cpu_ns() -> i64 {
    read_clock(CLOCK_PROCESS_CPUTIME_ID)
}

/// The smallest step of the clock that was seen, and the cost of a reading.
pub struct ClockQuality {
    pub resolution_ns: i64,
    pub reading_ns: i64,
}

/// Reads the clock many times.
pub fn observe() -> ClockQuality {
    const READINGS: i64 = 4096;
    let begin = monotonic_ns();
    let (mut last, mut smallest) = (begin, i64::MAX);
    for _ in 0..READINGS {
        let now = monotonic_ns();
        if now > last {
            smallest = smallest.min(now - last);
        }
        last = now;
    }
    // A clock that did not advance is at least as coarse as the time waited.
    let elapsed = (last - begin).max(1);
    ClockQuality {
        resolution_ns: smallest.min(elapsed),
        reading_ns: elapsed / READINGS,
    }
}
