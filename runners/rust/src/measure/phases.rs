use super::clock::monotonic_ns;
use super::usage::{Resources, Usage};

/// The phases, in their order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Start,
    Load,
    KeySetup,
    Encrypt,
    Decrypt,
}

/// All of them with their names.
pub const PHASES: [(Phase, &str); 5] = [
    (Phase::Start, "start"),
    (Phase::Load, "load"),
    (Phase::KeySetup, "key_setup"),
    (Phase::Encrypt, "encrypt"),
    (Phase::Decrypt, "decrypt"),
];

/// When one part of the work began and ended, and what the kernel had counted around it.
#[derive(Clone, Default)]
pub struct Record {
    pub begin_ns: i64,
    pub end_ns: i64,
    /// Absent for start, before which there is nothing.
    pub before: Option<Usage>,
    pub after: Resources,
}

pub struct Phases([Record; PHASES.len()]);

impl Phases {
    /// Ends the phase start; call it first in main.
    pub fn begin() -> Self {
        let end_ns = monotonic_ns();
        let mut records: [Record; PHASES.len()] = Default::default();
        records[0] = Record {
            end_ns,
            after: Resources::read(),
            ..Record::default()
        };
        Phases(records)
    }

    /// Stamps, does the work, stamps, and only then reads what the work used.
    pub fn measure<T>(&mut self, phase: Phase, work: impl FnOnce() -> T) -> T {
        let before = Some(Usage::read());
        let begin_ns = monotonic_ns();
        let result = work();
        let end_ns = monotonic_ns();
        self.0[phase as usize] = Record {
            begin_ns,
            end_ns,
            before,
            after: Resources::read(),
        };
        result
    }

    pub fn record(&self, phase: Phase) -> &Record {
        &self.0[phase as usize]
    }
}
