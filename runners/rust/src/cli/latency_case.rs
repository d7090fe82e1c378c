//! What `latency` measures.

use super::implementation;
use super::inputs::{secret, Fill};
use super::options::Arguments;
use crate::failure::{Failure, Kind as FailureKind};
use crate::measure::available_memory_bytes;
use crate::provider::{Implementation, Kind};

/// Encrypted after timed key setups, to see that the key is right.
const PROOF_BLOCKS: u64 = 16;
/// `process` takes longer messages.
const LONGEST_TIMED_BYTES: u64 = 1 << 30;
/// Input, ciphertext, plaintext, and the copy that the ciphertext is compared with.
const MESSAGE_BUFFERS: u64 = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Encrypt,
    Decrypt,
    KeySetup,
}

pub struct LatencyCase {
    pub implementation: Implementation,
    pub operation: Operation,
    /// Whether a timed call sets the key first.
    pub sets_key: bool,
    pub fill: Fill,
    pub key: Vec<u8>,
    pub nonce: Vec<u8>,
    pub data: Vec<u8>,
    pub message_bytes: usize,
    pub min_time_ns: i64,
    pub timings: usize,
}

impl LatencyCase {
    pub fn new(arguments: &Arguments) -> Result<Self, Failure> {
        let operation = match arguments.get("--operation") {
            Some("encrypt") => Operation::Encrypt,
            Some("decrypt") => Operation::Decrypt,
            _ => Operation::KeySetup,
        };
        let sets_key = arguments.get("--key-setup") == Some("included");
        let key_fill = arguments.get("--key-fill");
        if key_fill.is_some() && (arguments.get("--key").or_else(|| arguments.get("--nonce"))).is_some() {
            let detail = "--key-fill makes key and nonce; expected it without --key and --nonce";
            return Err(Failure::new(FailureKind::Usage, detail));
        }
        if operation == Operation::KeySetup && sets_key {
            let detail =
                "--key-setup included belongs to encrypt and decrypt; --operation is key-setup, which is \
                          timed alone";
            return Err(Failure::new(FailureKind::Usage, detail));
        }
        let implementation = implementation(arguments)?;
        let message_bytes = message_bytes(&implementation, operation, arguments)?;
        let data_bytes = arguments.number("--ad-length").unwrap_or(0);
        require_lengths(&implementation, message_bytes, data_bytes)?;
        let key_fill = Fill::named(key_fill.unwrap_or("counter"));
        let key = secret(arguments, "--key", implementation.key_bytes, key_fill)?;
        let nonce = secret(arguments, "--nonce", implementation.nonce_bytes, key_fill)?;
        let fill = Fill::named(arguments.get("--fill").unwrap_or("counter"));
        // Both lengths are at most 1 GiB.
        let mut data = vec![0; data_bytes as usize];
        fill.write(&mut data);
        let milliseconds: f64 = arguments
            .get("--min-time-ms")
            .and_then(|text| text.parse().ok())
            .unwrap_or(10.0);
        Ok(LatencyCase {
            implementation,
            operation,
            sets_key,
            fill,
            key,
            nonce,
            data,
            message_bytes: message_bytes as usize,
            min_time_ns: (milliseconds * 1e6).round() as i64,
            timings: arguments.number("--timings").unwrap_or(10) as usize,
        })
    }
}

fn message_bytes(one: &Implementation, operation: Operation, arguments: &Arguments) -> Result<u64, Failure> {
    let given = arguments.number("--length");
    if operation != Operation::KeySetup {
        let detail = "--length is required to encrypt or decrypt";
        return given.ok_or_else(|| Failure::new(FailureKind::Usage, detail));
    }
    let (message, data) = (given.unwrap_or(0), arguments.number("--ad-length").unwrap_or(0));
    if message != 0 || data != 0 {
        return Err(Failure::bad_input(format!(
            "--length is {message} and --ad-length {data}, expected 0 for key-setup: it takes no message"
        )));
    }
    Ok(PROOF_BLOCKS * one.block_bytes as u64)
}

fn require_lengths(one: &Implementation, message: u64, data: u64) -> Result<(), Failure> {
    one.require_message_length(message)?;
    if data != 0 && one.kind != Kind::Aead {
        return Err(Failure::bad_input(format!(
            "--ad-length is {data}, but {} is no AEAD",
            one.algorithm
        )));
    }
    for (option, bytes) in [("--length", message), ("--ad-length", data)] {
        if bytes > LONGEST_TIMED_BYTES {
            return Err(Failure::bad_input(format!(
                "{option} is {bytes}, expected at most {LONGEST_TIMED_BYTES}; 'process' takes longer messages"
            )));
        }
    }
    let needed = MESSAGE_BUFFERS * (message + one.tag_bytes as u64) + data;
    match available_memory_bytes() {
        Some(available) if needed as i64 > available => Err(Failure::bad_input(format!(
            "the buffers need {needed} bytes of memory, and this machine has {available} available"
        ))),
        _ => Ok(()),
    }
}
