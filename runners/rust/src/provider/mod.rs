//! The implementations of this program.

mod keyed;
mod table;

pub use keyed::Keyed;
pub use table::{implementations, NAME};

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
