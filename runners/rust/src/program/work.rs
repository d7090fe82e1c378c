//! A prepared message, and the timings of operations on it.

// c_long has 32 bits on some processors, where these conversions are needed.
#![allow(clippy::unnecessary_cast)]

use std::fmt::Write;
use std::io;
use std::os::raw::{c_int, c_long};

use super::buffer::Buffer;
use super::{internal, Failure};
use crate::provider::{Implementation, Keyed, Refusal};

const CLOCK_MONOTONIC: c_int = 1;
const CLOCK_PROCESS_CPUTIME_ID: c_int = 2;

#[repr(C)]
#[derive(Default)]
struct Timespec {
    seconds: c_long,
    nanoseconds: c_long,
}

extern "C" {
    fn clock_gettime(clock: c_int, now: *mut Timespec) -> c_int;
}

fn read_clock(clock: c_int) -> i64 {
    let mut now = Timespec::default();
    // SAFETY: `now` is a struct timespec. The call cannot fail: both clocks exist in every kernel.
    unsafe { clock_gettime(clock, &mut now) };
    now.seconds as i64 * 1_000_000_000 + now.nanoseconds as i64
}

/// CLOCK_MONOTONIC: the clock of the launcher and the driver too.
pub fn monotonic_ns() -> i64 {
    read_clock(CLOCK_MONOTONIC)
}

fn process_cpu_ns() -> i64 {
    read_clock(CLOCK_PROCESS_CPUTIME_ID)
}

/// Called through a pointer that a request selects, so that the compiler can neither move, merge nor drop calls.
type Operation = fn(&mut Work) -> Result<(), Refusal>;

/// A prepared message with its cipher.
pub struct Work<'a> {
    /// Absent without a cipher.
    keyed: Option<Keyed<'a>>,
    key: Vec<u8>,
    nonce: Vec<u8>,
    data: Vec<u8>,
    message: Buffer,
    ciphertext: Buffer,
    plaintext: Buffer,
}

impl<'a> Work<'a> {
    /// Allocates and touches the buffers of a message.
    pub fn new(
        implementation: Option<&'a Implementation>,
        key: Vec<u8>,
        nonce: Vec<u8>,
        data: Vec<u8>,
        message_bytes: usize,
    ) -> io::Result<Self> {
        let tag_bytes = implementation.map_or(0, |one| one.tag_bytes);
        Ok(Work {
            keyed: implementation.map(Implementation::keyed),
            key,
            nonce,
            data,
            message: Buffer::new(message_bytes)?,
            ciphertext: Buffer::new(message_bytes + tag_bytes)?,
            plaintext: Buffer::new(message_bytes)?,
        })
    }

    /// Returns the buffer of a name.
    pub fn buffer(&mut self, name: &[u8]) -> Result<&mut [u8], Failure> {
        match name {
            b"message" => Ok(self.message.bytes()),
            b"ciphertext" => Ok(self.ciphertext.bytes()),
            b"plaintext" => Ok(self.plaintext.bytes()),
            _ => Err(internal("there is no such buffer")),
        }
    }

    /// Returns the answer to `time`. Its text is made when all timings have ended.
    pub fn time(&mut self, operations: &[u8], iterations: u64, timings: usize) -> Result<String, Failure> {
        let names = operations.split(|byte| *byte == b'+');
        let operations: Vec<Operation> = names.map(operation).collect::<Result<_, _>>()?;
        let mut timed = Vec::with_capacity(timings);
        for _ in 0..timings {
            timed.push(self.time_once(&operations, iterations)?);
        }
        let mut text = "ok".to_string();
        for (wall_ns, cpu_ns) in timed {
            // Writing to a string cannot fail.
            let _ = write!(text, " {wall_ns} {cpu_ns} -");
        }
        Ok(text)
    }

    /// Times calls. The CPU clock runs from just outside the wall clock.
    fn time_once(&mut self, operations: &[Operation], iterations: u64) -> Result<(i64, i64), Refusal> {
        let cpu_begin = process_cpu_ns();
        let begin = monotonic_ns();
        match operations {
            // A loop over operations would be a part of each iteration.
            [only] => (0..iterations).try_for_each(|_| only(self))?,
            several => (0..iterations).try_for_each(|_| several.iter().try_for_each(|one| one(self)))?,
        }
        let wall_ns = monotonic_ns() - begin;
        Ok((wall_ns, process_cpu_ns() - cpu_begin))
    }

    fn set_key(&mut self) -> Result<(), Refusal> {
        required(&mut self.keyed)?.set_key(&self.key)
    }

    fn encrypt(&mut self) -> Result<(), Refusal> {
        let (message, ciphertext) = (self.message.bytes(), self.ciphertext.bytes());
        required(&mut self.keyed)?.encrypt(&self.nonce, &self.data, message, ciphertext)
    }

    fn decrypt(&mut self) -> Result<(), Refusal> {
        let (ciphertext, plaintext) = (self.ciphertext.bytes(), self.plaintext.bytes());
        required(&mut self.keyed)?.decrypt(&self.nonce, &self.data, ciphertext, plaintext)
    }
}

fn operation(name: &[u8]) -> Result<Operation, Failure> {
    match name {
        b"nothing" => Ok(|_| Ok(())),
        b"key-setup" => Ok(|work| work.set_key()),
        b"encrypt" => Ok(|work| work.encrypt()),
        b"decrypt" => Ok(|work| work.decrypt()),
        _ => Err(internal("there is no such operation")),
    }
}

/// Without a cipher, no length fits.
fn required<T>(keyed: &mut Option<T>) -> Result<&mut T, Refusal> {
    keyed.as_mut().ok_or(Refusal::BadLength)
}
