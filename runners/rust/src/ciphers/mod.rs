//! The ciphers, each written from its specification. None has tables of secrets but AES, whose header names it.

pub mod aes;
pub mod ascon;
pub mod chacha20;
pub mod chacha20_poly1305;
pub mod modes;
mod poly1305;
pub mod simon;
pub mod simon_bits;
pub mod speck;
pub mod tinyjambu;

/// A cipher without a tag. The length of the text was checked.
pub trait Message {
    fn set_key(&mut self, key: &[u8]);
    fn encrypt(&mut self, nonce: &[u8], text: &mut [u8]);
    fn decrypt(&mut self, nonce: &[u8], text: &mut [u8]);
}

/// Authenticated encryption with associated data.
pub trait Authenticated {
    fn set_key(&mut self, key: &[u8]);
    fn seal(&mut self, nonce: &[u8], data: &[u8], text: &mut [u8], tag: &mut [u8]);
    /// Returns whether the tag is right; if not, the caller overwrites the text.
    fn open(&mut self, nonce: &[u8], data: &[u8], text: &mut [u8], tag: &[u8]) -> bool;
}

/// Reads a little-endian word; `from` has at least 4 bytes.
fn load32(from: &[u8]) -> u32 {
    u32::from_le_bytes([from[0], from[1], from[2], from[3]])
}

/// Reads a little-endian word of at most 8 bytes.
fn load(from: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..from.len()].copy_from_slice(from);
    u64::from_le_bytes(bytes)
}

/// Writes the low bytes of a word, little-endian.
fn store(to: &mut [u8], word: u64) {
    to.copy_from_slice(&word.to_le_bytes()[..to.len()]);
}

fn xor(text: &mut [u8], mask: &[u8]) {
    for (byte, mask) in text.iter_mut().zip(mask) {
        *byte ^= mask;
    }
}

/// Compares secrets in a time that depends on their length alone.
fn equal(a: &[u8], b: &[u8]) -> bool {
    let different = a.iter().zip(b).fold(0, |sum, (a, b)| sum | (a ^ b));
    // SAFETY: a reference. Volatile, so that the compiler does not stop at the first difference.
    let different: u8 = unsafe { std::ptr::read_volatile(&different) };
    different == 0 && a.len() == b.len()
}
