//! The block cipher Simon in all ten parameter sets, on machine words.
//!
//! Source: R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers, "The Simon and Speck
//! Families of Lightweight Block Ciphers", IACR ePrint 2013/404, section 3. Byte order: that of the designers'
//! implementation guide: words are little-endian, and the word that the paper prints last comes first.

use super::modes::Block;
use super::{load, store};

/// The sequences z0 to z4 of section 3.2, as printed; each has a period of 62 bits.
pub const SEQUENCES: [&[u8; 62]; 5] = [
    b"11111010001001010110000111001101111101000100101011000011100110",
    b"10001110111110010011000010110101000111011111001001100001011010",
    b"10101111011100000011010010011000101000010001111110010110110011",
    b"11011011101011000110010111100000010010001010011100110100001111",
    b"11010001111001101011011000100000010111000011001010010011101111",
];

const MAX_ROUNDS: usize = 72;

/// Table 3.1: the rounds and the sequence of a set.
const fn parameters(word_bits: u32, key_words: usize) -> (usize, usize) {
    match (word_bits, key_words) {
        (16, _) => (32, 0),
        (24, 3) => (36, 0),
        (24, _) => (36, 1),
        (32, 3) => (42, 2),
        (32, _) => (44, 3),
        (48, 2) => (52, 2),
        (48, _) => (54, 3),
        (_, 2) => (68, 2),
        (_, 3) => (69, 3),
        (_, _) => (72, 4),
    }
}

/// WORD_BITS: of a word, half a block. KEY_WORDS: words of the key.
pub struct Simon<const WORD_BITS: u32, const KEY_WORDS: usize> {
    keys: [u64; MAX_ROUNDS],
}

impl<const WORD_BITS: u32, const KEY_WORDS: usize> Default for Simon<WORD_BITS, KEY_WORDS> {
    fn default() -> Self {
        Simon {
            keys: [0; MAX_ROUNDS],
        }
    }
}

impl<const WORD_BITS: u32, const KEY_WORDS: usize> Simon<WORD_BITS, KEY_WORDS> {
    const ROUNDS: usize = parameters(WORD_BITS, KEY_WORDS).0;
    const SEQUENCE: usize = parameters(WORD_BITS, KEY_WORDS).1;
    const WORD_BYTES: usize = WORD_BITS as usize / 8;
    const MASK: u64 = u64::MAX >> (64 - WORD_BITS);

    #[inline(always)]
    fn rotate_left(x: u64, n: u32) -> u64 {
        (x << n | x >> (WORD_BITS - n)) & Self::MASK
    }

    /// The function f of section 3.1.
    #[inline(always)]
    fn f(x: u64) -> u64 {
        (Self::rotate_left(x, 1) & Self::rotate_left(x, 8)) ^ Self::rotate_left(x, 2)
    }
}

impl<const WORD_BITS: u32, const KEY_WORDS: usize> Block for Simon<WORD_BITS, KEY_WORDS> {
    const BLOCK_BYTES: usize = 2 * Self::WORD_BYTES;

    /// The key schedule of section 3.2.
    fn set_key(&mut self, key: &[u8]) {
        for (word, bytes) in self.keys.iter_mut().zip(key.chunks_exact(Self::WORD_BYTES)) {
            *word = load(bytes);
        }
        for i in KEY_WORDS..Self::ROUNDS {
            let mut mixed = Self::rotate_left(self.keys[i - 1], WORD_BITS - 3);
            if KEY_WORDS == 4 {
                mixed ^= self.keys[i - 3];
            }
            mixed ^= Self::rotate_left(mixed, WORD_BITS - 1);
            let bit = u64::from(SEQUENCES[Self::SEQUENCE][(i - KEY_WORDS) % 62] - b'0');
            self.keys[i] = (!self.keys[i - KEY_WORDS] ^ mixed ^ bit ^ 3) & Self::MASK;
        }
    }

    fn encrypt_blocks(&self, blocks: &mut [u8]) {
        for block in blocks.chunks_exact_mut(Self::BLOCK_BYTES) {
            let (low, high) = block.split_at_mut(Self::WORD_BYTES);
            let (mut y, mut x) = (load(low), load(high));
            for key in &self.keys[..Self::ROUNDS] {
                (x, y) = (y ^ Self::f(x) ^ key, x);
            }
            store(low, y);
            store(high, x);
        }
    }

    fn decrypt_blocks(&self, blocks: &mut [u8]) {
        for block in blocks.chunks_exact_mut(Self::BLOCK_BYTES) {
            let (low, high) = block.split_at_mut(Self::WORD_BYTES);
            let (mut y, mut x) = (load(low), load(high));
            for key in self.keys[..Self::ROUNDS].iter().rev() {
                (y, x) = (x ^ Self::f(y) ^ key, y);
            }
            store(low, y);
            store(high, x);
        }
    }
}
