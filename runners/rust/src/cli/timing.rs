//! The timings of one kind of call: cold, warm, settled.

use super::json::Json;
use crate::measure::{monotonic_ns, process_cpu_ns};

/// Of the search for the number of iterations.
const GROWTH: u64 = 8;
/// The rule of settling: the fastest of the last three batches is within 2 % of the three before.
const SETTLING_RULE: &str = "fastest of 3 batches within 2 % of the 3 before";
const SETTLING_WINDOW: usize = 3;
const SETTLING_TOLERANCE: f64 = 0.02;
const SETTLING_LIMIT_NS: i64 = 2_000_000_000;

/// Consecutive calls, timed together.
pub struct Timing {
    pub iterations: u64,
    pub wall_ns: i64,
    pub cpu_ns: i64,
}

pub struct Settling {
    batches: usize,
    /// All calls before the first timing.
    pub calls: u64,
    wall_ns: i64,
    settled: bool,
    /// Of the last batches.
    pub fastest_ns: i64,
}

/// Times one kind of call and counts how many were made.
pub struct Stopwatch<'a> {
    call: &'a mut dyn FnMut(),
    pub calls: u64,
}

impl<'a> Stopwatch<'a> {
    pub fn new(call: &'a mut dyn FnMut()) -> Self {
        Stopwatch { call, calls: 0 }
    }

    /// Makes so many calls; the CPU clock runs from just outside the wall clock. The call is a value that the compiler
    /// does not see through.
    pub fn time(&mut self, iterations: u64) -> Timing {
        self.calls += iterations;
        let cpu_begin = process_cpu_ns();
        let begin = monotonic_ns();
        for _ in 0..iterations {
            (self.call)();
        }
        let wall_ns = monotonic_ns() - begin;
        Timing {
            iterations,
            wall_ns,
            cpu_ns: process_cpu_ns() - cpu_begin,
        }
    }

    /// Returns how many calls last at least so long, seen twice in a row: a pause that the kernel put into one timing
    /// must not pass for work.
    pub fn calibrate(&mut self, min_ns: i64) -> u64 {
        let mut iterations = 1;
        loop {
            let first = self.time(iterations).wall_ns;
            let seen = first.min(self.time(iterations).wall_ns).max(1);
            if seen >= min_ns {
                return iterations;
            }
            // A tenth more than needed, so that the next look is the last one; far away in smaller steps.
            let needed = 1.1 * min_ns as f64 / seen as f64 * iterations as f64;
            iterations = (needed as u64).clamp(iterations + 1, GROWTH * iterations);
        }
    }

    /// Times batches until they are as fast as they become.
    pub fn settle(&mut self, iterations: u64) -> Settling {
        let mut batches = Vec::new();
        let (mut wall_ns, mut settled) = (0, false);
        while !settled && wall_ns < SETTLING_LIMIT_NS {
            let batch = self.time(iterations).wall_ns;
            wall_ns += batch;
            batches.push(batch);
            if let Some(first) = batches.len().checked_sub(2 * SETTLING_WINDOW) {
                let (before, last) = batches[first..].split_at(SETTLING_WINDOW);
                settled = smallest(last) as f64 >= (1.0 - SETTLING_TOLERANCE) * smallest(before) as f64;
            }
        }
        let last = &batches[batches.len().saturating_sub(SETTLING_WINDOW)..];
        Settling {
            batches: batches.len(),
            calls: self.calls,
            wall_ns,
            settled,
            fastest_ns: smallest(last),
        }
    }
}

fn smallest(values: &[i64]) -> i64 {
    values.iter().copied().min().unwrap_or(i64::MAX)
}

impl Settling {
    pub fn json(&self) -> Json {
        Json::object([
            ("rule", SETTLING_RULE.into()),
            ("batches", self.batches.into()),
            ("calls", (self.calls as i64).into()),
            ("wall_ns", self.wall_ns.into()),
            ("settled", self.settled.into()),
        ])
    }
}

impl Timing {
    /// The report of a first call.
    pub fn cold_json(&self) -> Json {
        Json::object([
            ("wall_ns", self.wall_ns.into()),
            ("cpu_ns", self.cpu_ns.into()),
            ("cycles", Json::Null),
            ("instructions", Json::Null),
        ])
    }
}
