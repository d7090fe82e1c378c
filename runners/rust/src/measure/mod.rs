//! Clocks, memory, and what the kernel counts of this process.

// c_long has 32 bits on some processors, where these conversions are needed.
#![allow(clippy::unnecessary_cast)]

mod buffers;
mod child;
mod clock;
mod phases;
mod system;
mod usage;

pub use buffers::{Buffers, Parts};
pub use child::compute_in_child;
pub use clock::{monotonic_ns, observe, process_cpu_ns, ClockQuality};
pub use phases::{Phase, Phases, PHASES};
pub use usage::{available_memory_bytes, InputOutput, Resources, Usage};
