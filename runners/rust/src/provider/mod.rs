//! The implementations of this program, and the selection of one by its names.

mod keyed;
mod table;

pub use keyed::Keyed;
pub use table::{implementations, NAME};

use crate::failure::{Failure, Kind as FailureKind};

/// Version of the project.
pub const VERSION: &str = "0.1.0";

/// A kind of algorithm, as `list` names it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    BlockMode,
    Stream,
    Aead,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::BlockMode => "block-mode",
            Kind::Stream => "stream",
            Kind::Aead => "aead",
        }
    }
}

/// One algorithm in one variant. Lengths are in bytes.
pub struct Implementation {
    pub algorithm: String,
    pub variant: &'static str,
    pub kind: Kind,
    pub key_bytes: usize,
    pub nonce_bytes: usize,
    pub tag_bytes: usize,
    pub block_bytes: usize,
    pub whole_blocks_only: bool,
    pub constant_time: bool,
    pub default: bool,
    pub source: String,
    pub max_message_bytes: u64,
    make: keyed::Maker,
}

/// What a keyed cipher refuses; it releases nothing then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    BadLength,
    AuthenticationFailed,
}

impl Refusal {
    pub fn name(self) -> &'static str {
        match self {
            Refusal::BadLength => "bad-length",
            Refusal::AuthenticationFailed => "authentication-failed",
        }
    }

    /// The failure that it means for a command. step: the start of its sentence.
    pub fn failure(self, step: &str) -> Failure {
        match self {
            Refusal::BadLength => Failure::bad_input(format!("{step} rejected the length")),
            Refusal::AuthenticationFailed => Failure::new(
                FailureKind::AuthenticationFailed,
                format!(
                    "{step} rejected the tag: it does not match key, nonce, associated data and ciphertext"
                ),
            ),
        }
    }
}

impl Implementation {
    /// Another variant of the algorithm, if there is one.
    pub fn other(&self) -> Option<Implementation> {
        implementations()
            .into_iter()
            .find(|one| one.algorithm == self.algorithm && one.variant != self.variant)
    }

    /// Refuses a length that the algorithm does not take.
    pub fn require_message_length(&self, bytes: u64) -> Result<(), Failure> {
        let expected = if self.whole_blocks_only && bytes % self.block_bytes as u64 != 0 {
            format!("a multiple of {}", self.block_bytes)
        } else if bytes > self.max_message_bytes {
            format!("at most {}", self.max_message_bytes)
        } else {
            return Ok(());
        };
        let algorithm = &self.algorithm;
        Err(Failure::bad_input(format!(
            "the message has {bytes} bytes, expected {expected} for {algorithm}"
        )))
    }
}

/// Returns the implementation of these names, or the default one where there is no variant.
pub fn select(algorithm: &str, variant: Option<&str>) -> Result<Implementation, Failure> {
    let mut variants = Vec::new();
    for candidate in implementations() {
        if candidate.algorithm != algorithm {
            continue;
        }
        if variant.map_or(candidate.default, |name| name == candidate.variant) {
            return Ok(candidate);
        }
        variants.push(candidate.variant);
    }
    if variants.is_empty() {
        let detail = format!("{NAME} has no algorithm '{algorithm}'; 'list' prints its algorithms");
        return Err(Failure::new(FailureKind::UnknownAlgorithm, detail));
    }
    let (variant, variants) = (variant.unwrap_or_default(), variants.join(", "));
    let detail = format!("{algorithm} has no variant '{variant}'; it has {variants}");
    Err(Failure::new(FailureKind::UnknownVariant, detail))
}
