//! Calls timed inside one process.

use super::inputs::Fill;
use super::json::Json;
use super::latency_case::{LatencyCase, Operation};
use super::options::Arguments;
use super::process_report::core_clock;
use super::timing::{Settling, Stopwatch, Timing};
use super::{print, COUNTERS, NO_COLLECTOR, NO_COUNTERS};
use crate::failure::{Failure, Kind};
use crate::known_answers;
use crate::measure::{compute_in_child, observe, Buffers, ClockQuality, Parts, Phase, Phases, Resources};
use crate::provider::{Keyed, Refusal, NAME};
use crate::sha256;

/// A timing lasts at least so many clock steps, so that a step is a thousandth of it.
const STEPS_OF_A_TIMING: i64 = 1000;
const WARM_CALLS: usize = 16;
/// A batch so much faster than required has too few iterations by now.
const FASTER_THAN_REQUIRED: f64 = 1.5;

/// The work of one case: its calls, and where they read and write.
struct TimedWork<'a> {
    case: &'a LatencyCase,
    keyed: Keyed<'a>,
    parts: Parts<'a>,
    /// Of the last call that failed.
    refusal: Option<Refusal>,
}

struct Readings {
    clock: ClockQuality,
    min_timing_ns: i64,
    cold_key_setup: Timing,
    cold_call: Option<Timing>,
    warm_ns: Vec<i64>,
    settling: Settling,
    timings: Vec<Timing>,
}

impl TimedWork<'_> {
    fn note(&mut self, outcome: Result<(), Refusal>) {
        if let Err(refusal) = outcome {
            self.refusal = Some(refusal);
        }
    }

    fn set_key(&mut self) {
        let outcome = self.keyed.set_key(&self.case.key);
        self.note(outcome);
    }

    fn encrypt(&mut self) {
        let case = self.case;
        let outcome = self
            .keyed
            .encrypt(&case.nonce, &case.data, self.parts.input, self.parts.ciphertext);
        self.note(outcome);
    }

    fn decrypt(&mut self) {
        let case = self.case;
        let outcome = self.keyed.decrypt(
            &case.nonce,
            &case.data,
            self.parts.ciphertext,
            self.parts.plaintext,
        );
        self.note(outcome);
    }

    fn require(&self, step: &str) -> Result<(), Failure> {
        self.refusal.map_or(Ok(()), |refusal| Err(refusal.failure(step)))
    }

    fn prepare_ciphertext(&mut self) -> Result<(), Failure> {
        let (case, keyed, input) = (self.case, &mut self.keyed, &*self.parts.input);
        compute_in_child(self.parts.ciphertext, |out| {
            let set = keyed.set_key(&case.key);
            set.and_then(|()| keyed.encrypt(&case.nonce, &case.data, input, out))
                .is_ok()
        })
    }

    fn output(&mut self) -> &mut [u8] {
        if self.case.operation == Operation::Decrypt {
            self.parts.plaintext
        } else {
            self.parts.ciphertext
        }
    }

    fn measure(&mut self) -> Result<Readings, Failure> {
        let clock = observe();
        let min_timing_ns = self.case.min_time_ns.max(STEPS_OF_A_TIMING * clock.resolution_ns);
        let cold_key_setup = Stopwatch::new(&mut || self.set_key()).time(1);
        self.require("key setup")?;
        // Closures of their own, so that no timed call branches on its kind.
        let call: fn(&mut Self) = match (self.case.operation, self.case.sets_key) {
            (Operation::KeySetup, _) => Self::set_key,
            (Operation::Encrypt, false) => Self::encrypt,
            (Operation::Decrypt, false) => Self::decrypt,
            (Operation::Encrypt, true) => |work| {
                work.set_key();
                work.encrypt();
            },
            (Operation::Decrypt, true) => |work| {
                work.set_key();
                work.decrypt();
            },
        };
        // SAFETY: a reference. Volatile, so that the compiler does not see which function is called.
        let call = unsafe { std::ptr::read_volatile(&call) };
        let mut cold_call = None;
        if self.case.operation != Operation::KeySetup {
            cold_call = Some(Stopwatch::new(&mut || call(self)).time(1));
            self.require("the first call")?;
        }
        let mut timed_call = || call(self);
        let mut watch = Stopwatch::new(&mut timed_call);
        watch.calls = 1;
        let warm_ns = (0..WARM_CALLS).map(|_| watch.time(1).wall_ns).collect();
        let mut iterations = watch.calibrate(min_timing_ns);
        let mut settling = watch.settle(iterations);
        if settling.fastest_ns as f64 * FASTER_THAN_REQUIRED < min_timing_ns as f64 {
            iterations = watch.calibrate(min_timing_ns);
            settling.calls = watch.calls;
        }
        let timings = self.time(call, iterations);
        Ok(Readings {
            clock,
            min_timing_ns,
            cold_key_setup,
            cold_call,
            warm_ns,
            settling,
            timings,
        })
    }

    /// The timings. What is verified later is what the last of them made.
    fn time(&mut self, call: fn(&mut Self), iterations: u64) -> Vec<Timing> {
        let mut timings = Vec::with_capacity(self.case.timings);
        for left in (0..self.case.timings).rev() {
            if left == 0 {
                Fill::Zero.write(self.output());
            }
            timings.push(Stopwatch::new(&mut || call(self)).time(iterations));
        }
        timings
    }

    /// Verifies what the last timing wrote. Returns what verified it, and a complaint where it is wrong.
    fn check(&mut self) -> Result<(Vec<String>, Option<String>), Failure> {
        let one = &self.case.implementation;
        let mut by = vec!["known answers".to_string()];
        for answer in &known_answers::load(&one.algorithm)?.answers {
            if let (_, Some(complaint)) = known_answers::check(one, answer) {
                return Ok((
                    by,
                    Some(format!("{}.vec line {}: {complaint}", one.algorithm, answer.line)),
                ));
            }
        }
        if self.case.operation == Operation::Decrypt {
            by.push("the message that was encrypted".to_string());
        } else {
            let mut keyed = one.keyed();
            keyed
                .set_key(&self.case.key)
                .map_err(|refusal| refusal.failure("key setup"))?;
            // A tag that is wrong leaves zeros, which are no plaintext either.
            let _ = keyed.decrypt(
                &self.case.nonce,
                &self.case.data,
                self.parts.ciphertext,
                self.parts.plaintext,
            );
            by.push("decryption".to_string());
        }
        if self.parts.plaintext != self.parts.input {
            return Ok((
                by,
                Some("the output of the timed calls does not match the message".to_string()),
            ));
        }
        let other = match one.other() {
            None => return Ok((by, None)),
            Some(other) => other,
        };
        by.push(format!("variant {}", other.variant));
        let mut keyed = other.keyed();
        let mut sealed = vec![0; self.parts.ciphertext.len()];
        keyed
            .set_key(&self.case.key)
            .and_then(|()| keyed.encrypt(&self.case.nonce, &self.case.data, self.parts.input, &mut sealed))
            .map_err(|refusal| refusal.failure("encrypt"))?;
        let differs = sealed != self.parts.ciphertext;
        Ok((
            by,
            differs.then(|| format!("variant {} makes another ciphertext", other.variant)),
        ))
    }
}

pub fn execute(arguments: &Arguments, phases: &mut Phases) -> Result<(), Failure> {
    let case = LatencyCase::new(arguments)?;
    let mut buffers = Buffers::new(
        case.message_bytes,
        case.message_bytes + case.implementation.tag_bytes,
    )?;
    let parts = buffers.parts();
    case.fill.write(parts.input);
    let mut work = TimedWork {
        case: &case,
        keyed: case.implementation.keyed(),
        parts,
        refusal: None,
    };
    if case.operation == Operation::Decrypt {
        work.prepare_ciphertext()?;
    }
    let readings = work.measure()?;
    let peak_rss_bytes = Resources::read().peak_rss_bytes;
    if case.operation == Operation::KeySetup {
        work.encrypt();
    }
    work.require("encrypt")?;
    let digest = sha256::hex(work.output());
    let (verified_by, complaint) = work.check()?;
    let mut fields = describe_case(&case);
    fields.extend(describe(&readings));
    fields.extend([
        ("multiply_cycles", Json::Null),
        ("min_cycles", Json::Null),
        ("peak_rss_bytes", peak_rss_bytes.into()),
        (
            "baseline_rss_bytes",
            phases.record(Phase::Start).after.rss_bytes.into(),
        ),
        ("output_sha256", digest.into()),
        ("verified_by", verified_by.into()),
        ("verified", complaint.is_none().into()),
    ]);
    print(&format!("{}\n", Json::Object(fields)))?;
    complaint.map_or(Ok(()), |complaint| {
        Err(Failure::new(Kind::NotVerified, complaint))
    })
}

fn describe_case(case: &LatencyCase) -> Vec<(&'static str, Json)> {
    let operation = match case.operation {
        Operation::Encrypt => "encrypt",
        Operation::Decrypt => "decrypt",
        Operation::KeySetup => "key-setup",
    };
    let message_bytes = if case.operation == Operation::KeySetup {
        0
    } else {
        case.message_bytes
    };
    vec![
        ("protocol", 2usize.into()),
        ("command", "latency".into()),
        ("provider", NAME.into()),
        ("algorithm", case.implementation.algorithm.as_str().into()),
        ("variant", case.implementation.variant.into()),
        ("masking", Json::Null),
        ("operation", operation.into()),
        (
            "key_setup",
            if case.sets_key { "included" } else { "apart" }.into(),
        ),
        ("message_bytes", message_bytes.into()),
        ("associated_data_bytes", case.data.len().into()),
        ("fill", case.fill.name().into()),
    ]
}

fn describe(readings: &Readings) -> Vec<(&'static str, Json)> {
    let clock = Json::object([
        ("resolution_ns", readings.clock.resolution_ns.into()),
        ("reading_ns", readings.clock.reading_ns.into()),
    ]);
    let cold = Json::object([
        ("key_setup", readings.cold_key_setup.cold_json()),
        ("call", readings.cold_call.as_ref().map(Timing::cold_json).into()),
    ]);
    let warm = Json::object([
        ("calls", WARM_CALLS.into()),
        ("wall_ns", readings.warm_ns.clone().into()),
    ]);
    let reasons = COUNTERS.iter().map(|name| (*name, NO_COUNTERS.into())).collect();
    vec![
        ("clock", clock),
        ("min_timing_ns", readings.min_timing_ns.into()),
        ("cold", cold),
        ("warm", warm),
        ("settling", readings.settling.json()),
        (
            "timings",
            Json::List(readings.timings.iter().map(describe_timing).collect()),
        ),
        ("counters_reason", NO_COUNTERS.into()),
        ("counter_reasons", Json::Object(reasons)),
        ("garbage_collections_reason", NO_COLLECTOR.into()),
    ]
}

fn describe_timing(timing: &Timing) -> Json {
    Json::object([
        ("iterations", (timing.iterations as i64).into()),
        ("wall_ns", timing.wall_ns.into()),
        ("cpu_ns", timing.cpu_ns.into()),
        ("cycles", Json::Null),
        ("instructions", Json::Null),
        (
            "counters",
            Json::Object(COUNTERS.iter().map(|name| (*name, Json::Null)).collect()),
        ),
        ("core_clock", core_clock()),
        ("derived_cycles", Json::Null),
        ("impossible", Json::Null),
        ("garbage_collections", Json::Null),
    ])
}
