//! Keys, fills and files.

use super::options::Arguments;
use crate::failure::Failure;
use crate::hex;
use std::fs::File;
use std::io::{ErrorKind, Read};

/// Contents of a message.
#[derive(Clone, Copy)]
pub enum Fill {
    Zero,
    Counter,
    Random,
}

impl Fill {
    pub fn named(name: &str) -> Self {
        match name {
            "zero" => Fill::Zero,
            "random" => Fill::Random,
            _ => Fill::Counter,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Fill::Zero => "zero",
            Fill::Counter => "counter",
            Fill::Random => "random",
        }
    }

    /// Writes zeros, 00 01 02 … or the sequence of SplitMix64 (Steele, Lea and Flood 2014) from a fixed seed: it
    /// looks random and is the same each time, so that digests can be compared.
    pub fn write(self, bytes: &mut [u8]) {
        match self {
            Fill::Zero => bytes.fill(0),
            Fill::Counter => {
                for (i, byte) in bytes.iter_mut().enumerate() {
                    *byte = i as u8;
                }
            }
            Fill::Random => {
                let mut state = 0u64;
                for part in bytes.chunks_mut(8) {
                    state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                    let mut word = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                    word ^= word >> 31;
                    part.copy_from_slice(&word.to_le_bytes()[..part.len()]);
                }
            }
        }
    }
}

/// The bytes of an option, none where it is absent.
pub fn hex_option(arguments: &Arguments, name: &str) -> Result<Vec<u8>, Failure> {
    hex::decode(arguments.get(name).unwrap_or_default())
        .ok_or_else(|| Failure::bad_input(format!("{name} is not an even number of hexadecimal digits")))
}

/// The bytes of an option; any other number of them is refused.
pub fn fixed_hex(arguments: &Arguments, name: &str, expected: usize) -> Result<Vec<u8>, Failure> {
    let bytes = hex_option(arguments, name)?;
    if bytes.len() == expected {
        return Ok(bytes);
    }
    Err(Failure::bad_input(format!(
        "{name} has {} bytes, expected {expected}",
        bytes.len()
    )))
}

/// The bytes of an option, or those of the fill where it is absent.
pub fn secret(arguments: &Arguments, name: &str, expected: usize, fill: Fill) -> Result<Vec<u8>, Failure> {
    if arguments.get(name).is_some() {
        return fixed_hex(arguments, name, expected);
    }
    let mut bytes = vec![0; expected];
    fill.write(&mut bytes);
    Ok(bytes)
}

/// A file that is open, and whose length is known.
pub struct InputFile {
    file: File,
    path: String,
    pub bytes: usize,
}

/// The kernel's reason without its number.
pub fn bad_file(path: &str, error: &std::io::Error) -> Failure {
    let reason = error.to_string();
    let reason = reason.split(" (os error").next().unwrap_or_default();
    Failure::bad_input(format!("{path}: {reason}"))
}

impl InputFile {
    pub fn open(path: &str) -> Result<Self, Failure> {
        let file = File::open(path).map_err(|error| bad_file(path, &error))?;
        let facts = file.metadata().map_err(|error| bad_file(path, &error))?;
        if !facts.is_file() {
            return Err(Failure::bad_input(format!("{path}: is not a regular file")));
        }
        let bytes = usize::try_from(facts.len())
            .map_err(|_| Failure::bad_input(format!("{path}: is larger than the memory")))?;
        Ok(InputFile {
            file,
            path: path.to_string(),
            bytes,
        })
    }

    /// Reads the whole file.
    pub fn read_into(&mut self, memory: &mut [u8]) -> Result<(), Failure> {
        self.file.read_exact(&mut memory[..self.bytes]).map_err(|error| {
            if error.kind() == ErrorKind::UnexpectedEof {
                return Failure::bad_input(format!("{}: was truncated while it was read", self.path));
            }
            bad_file(&self.path, &error)
        })
    }
}
