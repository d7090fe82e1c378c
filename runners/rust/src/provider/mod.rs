//! The implementations of this program, and the selection of one by its names.

mod table;

pub use table::implementations;

use crate::ciphers::{Authenticated, Message};
use crate::failure::{Failure, Kind as FailureKind};

pub const NAME: &str = "rust";
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

/// A cipher without a key.
pub enum Cipher {
    Message(Box<dyn Message>),
    Authenticated(Box<dyn Authenticated>),
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
    make: fn() -> Cipher,
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

/// An implementation with a key; it checks every length.
pub struct Keyed<'a> {
    implementation: &'a Implementation,
    cipher: Cipher,
}

impl Keyed<'_> {
    pub fn set_key(&mut self, key: &[u8]) -> Result<(), Refusal> {
        if key.len() != self.implementation.key_bytes {
            return Err(Refusal::BadLength);
        }
        match &mut self.cipher {
            Cipher::Message(cipher) => cipher.set_key(key),
            Cipher::Authenticated(cipher) => cipher.set_key(key),
        }
        Ok(())
    }

    /// Checks the lengths of a message without its tag, and of the message with it.
    fn require_fit(&self, nonce: &[u8], data: &[u8], message: usize, sealed: usize) -> Result<(), Refusal> {
        let one = self.implementation;
        let fits = nonce.len() == one.nonce_bytes
            && (data.is_empty() || one.kind == Kind::Aead)
            && sealed.checked_sub(one.tag_bytes) == Some(message)
            && message as u64 <= one.max_message_bytes
            && (!one.whole_blocks_only || message % one.block_bytes == 0);
        if fits {
            Ok(())
        } else {
            Err(Refusal::BadLength)
        }
    }

    /// Writes ciphertext and tag to out.
    pub fn encrypt(
        &mut self,
        nonce: &[u8],
        data: &[u8],
        input: &[u8],
        out: &mut [u8],
    ) -> Result<(), Refusal> {
        self.require_fit(nonce, data, input.len(), out.len())?;
        let (text, tag) = out.split_at_mut(input.len());
        text.copy_from_slice(input);
        match &mut self.cipher {
            Cipher::Message(cipher) => cipher.encrypt(nonce, text),
            Cipher::Authenticated(cipher) => cipher.seal(nonce, data, text, tag),
        }
        Ok(())
    }

    /// Takes ciphertext and tag; out is zeros where the tag is wrong.
    pub fn decrypt(
        &mut self,
        nonce: &[u8],
        data: &[u8],
        input: &[u8],
        out: &mut [u8],
    ) -> Result<(), Refusal> {
        self.require_fit(nonce, data, out.len(), input.len())?;
        let (text, tag) = input.split_at(out.len());
        out.copy_from_slice(text);
        match &mut self.cipher {
            Cipher::Message(cipher) => cipher.decrypt(nonce, out),
            Cipher::Authenticated(cipher) => {
                if !cipher.open(nonce, data, out, tag) {
                    out.fill(0);
                    return Err(Refusal::AuthenticationFailed);
                }
            }
        }
        Ok(())
    }
}

impl Implementation {
    pub fn keyed(&self) -> Keyed<'_> {
        Keyed {
            implementation: self,
            cipher: (self.make)(),
        }
    }

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
