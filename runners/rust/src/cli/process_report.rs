//! The report of `process` and `noop` about one execution.

use super::json::Json;
use super::{COUNTERS, NO_CLOCK, NO_COLLECTOR, NO_COUNTERS};
use crate::measure::{InputOutput, Parts, Phase, Phases, Usage, PHASES};
use crate::provider::NAME;
use crate::sha256;

pub struct Report<'a> {
    pub command: &'a str,
    pub algorithm: &'a str,
    pub variant: &'a str,
    pub input_bytes: usize,
    pub moved: InputOutput,
}

/// A value of both cipher phases that is absent.
fn absent(reason: &str) -> Json {
    Json::object([
        ("encrypt", Json::Null),
        ("decrypt", Json::Null),
        ("reason", reason.into()),
    ])
}

/// The clock of the core is unknown here.
pub fn core_clock() -> Json {
    Json::object([
        ("before_hz", Json::Null),
        ("after_hz", Json::Null),
        ("hz", Json::Null),
        ("reason", NO_CLOCK.into()),
    ])
}

fn describe(usage: &Usage) -> Vec<(&'static str, Json)> {
    vec![
        ("user_us", usage.user_us.into()),
        ("system_us", usage.system_us.into()),
        ("minor_faults", usage.minor_faults.into()),
        ("major_faults", usage.major_faults.into()),
        ("voluntary_switches", usage.voluntary_switches.into()),
        ("involuntary_switches", usage.involuntary_switches.into()),
    ]
}

/// All counts start when the process was created; the cost of the readings falls between two phases.
fn readings(phases: &Phases) -> Json {
    let rows = PHASES.iter().map(|(phase, name)| {
        let record = phases.record(*phase);
        let mut row = vec![("phase", (*name).into())];
        row.extend(describe(&record.after.usage));
        row.push(("rss_bytes", record.after.rss_bytes.into()));
        row.push((
            "begin",
            record
                .before
                .as_ref()
                .map(|usage| Json::Object(describe(usage)))
                .into(),
        ));
        Json::Object(row)
    });
    Json::List(rows.collect())
}

/// The readings between the phases read files in the process's own name.
fn describe_moved(moved: &InputOutput, phases: &Phases) -> Json {
    let instruments: i64 = PHASES
        .iter()
        .map(|(phase, _)| phases.record(*phase).after.instrument_read_bytes)
        .sum();
    Json::object([
        ("read_bytes", moved.read_bytes.into()),
        ("written_bytes", moved.written_bytes.into()),
        ("storage_read_bytes", moved.storage_read_bytes.into()),
        ("storage_written_bytes", moved.storage_written_bytes.into()),
        ("instruments_read_bytes", instruments.into()),
        ("reason", moved.reason.clone().into()),
    ])
}

impl Report<'_> {
    pub fn json(&self, parts: &Parts<'_>, buffers_bytes: usize, verified: bool, phases: &Phases) -> Json {
        let stamps = PHASES.iter().map(|(phase, name)| {
            (
                if *phase == Phase::Start { "main" } else { name },
                phases.record(*phase).end_ns.into(),
            )
        });
        let begins = PHASES[1..]
            .iter()
            .map(|(phase, name)| (*name, phases.record(*phase).begin_ns.into()));
        let mut fields = vec![
            ("protocol", 2usize.into()),
            ("command", self.command.into()),
            ("provider", NAME.into()),
            ("algorithm", self.algorithm.into()),
            ("variant", self.variant.into()),
            ("masking", Json::Null),
            ("input_bytes", self.input_bytes.into()),
            ("padded_bytes", parts.input.len().into()),
            ("output_bytes", parts.ciphertext.len().into()),
            ("stamps_ns", Json::Object(stamps.collect())),
            ("begins_ns", Json::Object(begins.collect())),
            ("phases", readings(phases)),
            (
                "peak_rss_bytes",
                phases.record(Phase::Decrypt).after.peak_rss_bytes.into(),
            ),
            (
                "baseline_rss_bytes",
                phases.record(Phase::Start).after.rss_bytes.into(),
            ),
            ("buffers_bytes", buffers_bytes.into()),
            ("io", describe_moved(&self.moved, phases)),
            ("cycles", absent(NO_COUNTERS)),
            ("instructions", absent(NO_COUNTERS)),
            (
                "counters",
                Json::Object(COUNTERS.iter().map(|name| (*name, absent(NO_COUNTERS))).collect()),
            ),
            ("core_clock", core_clock()),
            ("derived_cycles", absent(NO_CLOCK)),
            ("clock_probe_wall_ns", Json::Null),
        ];
        if self.command == "process" {
            fields.push(("garbage_collections", absent(NO_COLLECTOR)));
        }
        fields.push(("output_sha256", sha256::hex(parts.ciphertext).into()));
        fields.push(("verified", verified.into()));
        Json::Object(fields)
    }
}
