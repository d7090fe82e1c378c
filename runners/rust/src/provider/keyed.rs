//! An implementation with a key.

use super::{Implementation, Kind, Refusal};
use crate::ciphers::{Authenticated, Message};

/// A cipher without a key.
pub enum Cipher {
    Message(Box<dyn Message>),
    Authenticated(Box<dyn Authenticated>),
}

/// Makes the cipher of an implementation.
pub type Maker = fn() -> Cipher;

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
}
