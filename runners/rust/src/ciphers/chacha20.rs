//! The stream cipher ChaCha20 in its three parameter sets.
//!
//! Source: D. J. Bernstein, "ChaCha, a variant of Salsa20" (2008); RFC 8439 sections 2.1 to 2.4. Byte order:
//! little-endian. Deviations: none.

use super::{load32, xor, Message};

/// Length of a block of the keystream.
pub const BLOCK_BYTES: usize = 64;

const FIRST_COUNTER_WORD: usize = 12;

/// COUNTER_WORDS: 2 for the original with an 8-byte nonce, 1 for RFC 8439 with a 12-byte nonce.
#[derive(Default)]
pub struct ChaCha20<const COUNTER_WORDS: usize> {
    state: [u32; 16],
}

/// Length of a message after which the counter repeats.
pub const fn max_message_bytes(counter_words: usize) -> u64 {
    if counter_words == 1 {
        (BLOCK_BYTES as u64) << 32
    } else {
        u64::MAX
    }
}

/// RFC 8439 section 2.1.
#[inline(always)]
fn quarter_round(x: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(16);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(12);
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(8);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(7);
}

impl<const COUNTER_WORDS: usize> ChaCha20<COUNTER_WORDS> {
    /// Sets the nonce, and block 0 as the next one.
    pub fn start(&mut self, nonce: &[u8]) {
        self.state[FIRST_COUNTER_WORD..].fill(0);
        for (word, bytes) in self.state[FIRST_COUNTER_WORD + COUNTER_WORDS..]
            .iter_mut()
            .zip(nonce.chunks_exact(4))
        {
            *word = load32(bytes);
        }
    }

    /// The block function of RFC 8439 section 2.3: the next block of the keystream.
    pub fn block(&mut self) -> [u8; BLOCK_BYTES] {
        let mut x = self.state;
        for _ in 0..10 {
            quarter_round(&mut x, 0, 4, 8, 12);
            quarter_round(&mut x, 1, 5, 9, 13);
            quarter_round(&mut x, 2, 6, 10, 14);
            quarter_round(&mut x, 3, 7, 11, 15);
            quarter_round(&mut x, 0, 5, 10, 15);
            quarter_round(&mut x, 1, 6, 11, 12);
            quarter_round(&mut x, 2, 7, 8, 13);
            quarter_round(&mut x, 3, 4, 9, 14);
        }
        let mut bytes = [0; BLOCK_BYTES];
        for ((to, word), first) in bytes.chunks_exact_mut(4).zip(x).zip(self.state) {
            to.copy_from_slice(&word.wrapping_add(first).to_le_bytes());
        }
        let (counter, carry) = self.state[FIRST_COUNTER_WORD].overflowing_add(1);
        self.state[FIRST_COUNTER_WORD] = counter;
        if COUNTER_WORDS == 2 && carry {
            self.state[FIRST_COUNTER_WORD + 1] = self.state[FIRST_COUNTER_WORD + 1].wrapping_add(1);
        }
        bytes
    }

    /// Goes on with the next whole block of the keystream.
    pub fn xor_keystream(&mut self, text: &mut [u8]) {
        for part in text.chunks_mut(BLOCK_BYTES) {
            let keystream = self.block();
            xor(part, &keystream);
        }
    }
}

impl<const COUNTER_WORDS: usize> Message for ChaCha20<COUNTER_WORDS> {
    /// Takes 16 bytes, which are used twice, or 32.
    fn set_key(&mut self, key: &[u8]) {
        let constants: &[u8; 16] = if key.len() == 16 {
            b"expand 16-byte k"
        } else {
            b"expand 32-byte k"
        };
        let words = constants
            .chunks_exact(4)
            .chain(key.chunks_exact(4).cycle().take(8));
        for (word, bytes) in self.state.iter_mut().zip(words) {
            *word = load32(bytes);
        }
    }

    fn encrypt(&mut self, nonce: &[u8], text: &mut [u8]) {
        self.start(nonce);
        self.xor_keystream(text);
    }

    fn decrypt(&mut self, nonce: &[u8], text: &mut [u8]) {
        self.encrypt(nonce, text);
    }
}
