//! The AEAD ChaCha20-Poly1305.
//!
//! Source: RFC 8439 section 2.8. Byte order: little-endian. Deviations: none.

use super::chacha20::{ChaCha20, BLOCK_BYTES};
use super::poly1305::Poly1305;
use super::{equal, Authenticated, Message};

/// Block 0 makes the key of Poly1305, 2^32 - 1 blocks are left.
pub const MAX_MESSAGE_BYTES: u64 = BLOCK_BYTES as u64 * 0xffff_ffff;

/// What is encrypted is authenticated while it is in the nearest cache; whole blocks of both primitives.
const CACHED_BYTES: usize = 8192;

#[derive(Default)]
pub struct ChaCha20Poly1305 {
    stream: ChaCha20<1>,
}

impl ChaCha20Poly1305 {
    /// The one-time key of section 2.6 is of block 0.
    fn authenticator(&mut self, nonce: &[u8], data: &[u8]) -> Poly1305 {
        self.stream.start(nonce);
        let mut poly = Poly1305::new(&self.stream.block()[..32]);
        poly.absorb_padded(data);
        poly
    }
}

fn finish(mut poly: Poly1305, data_bytes: usize, text_bytes: usize) -> [u8; 16] {
    poly.absorb(data_bytes as u64, text_bytes as u64);
    poly.finish()
}

impl Authenticated for ChaCha20Poly1305 {
    fn set_key(&mut self, key: &[u8]) {
        self.stream.set_key(key);
    }

    fn seal(&mut self, nonce: &[u8], data: &[u8], text: &mut [u8], tag: &mut [u8]) {
        let mut poly = self.authenticator(nonce, data);
        for part in text.chunks_mut(CACHED_BYTES) {
            self.stream.xor_keystream(part);
            poly.absorb_padded(part);
        }
        tag.copy_from_slice(&finish(poly, data.len(), text.len()));
    }

    fn open(&mut self, nonce: &[u8], data: &[u8], text: &mut [u8], tag: &[u8]) -> bool {
        let mut poly = self.authenticator(nonce, data);
        poly.absorb_padded(text);
        if !equal(&finish(poly, data.len(), text.len()), tag) {
            return false;
        }
        self.stream.xor_keystream(text);
        true
    }
}
