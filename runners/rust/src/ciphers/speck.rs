//! The block cipher Speck in all ten parameter sets, on machine words.
//!
//! Source: R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers, "The Simon and Speck
//! Families of Lightweight Block Ciphers", IACR ePrint 2013/404, section 4. Byte order: that of the designers'
//! implementation guide: words are little-endian, and the word that the paper prints last comes first.

use super::modes::Block;
use super::{load, store};

const MAX_ROUNDS: usize = 34;

/// Table 4.1: for each length of a word one round more with each word of the key.
const fn rounds(word_bits: u32, key_words: usize) -> usize {
    key_words
        + match word_bits {
            16 => 18,
            24 => 19,
            32 => 23,
            48 => 26,
            _ => 30,
        }
}

/// WORD_BITS: of a word, half a block. KEY_WORDS: words of the key.
pub struct Speck<const WORD_BITS: u32, const KEY_WORDS: usize> {
    keys: [u64; MAX_ROUNDS],
}

impl<const WORD_BITS: u32, const KEY_WORDS: usize> Default for Speck<WORD_BITS, KEY_WORDS> {
    fn default() -> Self {
        Speck {
            keys: [0; MAX_ROUNDS],
        }
    }
}

impl<const WORD_BITS: u32, const KEY_WORDS: usize> Speck<WORD_BITS, KEY_WORDS> {
    const ROUNDS: usize = rounds(WORD_BITS, KEY_WORDS);
    const WORD_BYTES: usize = WORD_BITS as usize / 8;
    const MASK: u64 = u64::MAX >> (64 - WORD_BITS);
    /// The rotations of section 4.1.
    const ALPHA: u32 = if WORD_BITS == 16 { 7 } else { 8 };
    const BETA: u32 = if WORD_BITS == 16 { 2 } else { 3 };

    #[inline(always)]
    fn rotate_left(x: u64, n: u32) -> u64 {
        (x << n | x >> (WORD_BITS - n)) & Self::MASK
    }

    /// The round function of section 4.1.
    #[inline(always)]
    fn round(x: u64, y: u64, key: u64) -> (u64, u64) {
        let x = (Self::rotate_left(x, WORD_BITS - Self::ALPHA).wrapping_add(y) & Self::MASK) ^ key;
        (x, Self::rotate_left(y, Self::BETA) ^ x)
    }

    #[inline(always)]
    fn inverse_round(x: u64, y: u64, key: u64) -> (u64, u64) {
        let y = Self::rotate_left(x ^ y, WORD_BITS - Self::BETA);
        (
            Self::rotate_left((x ^ key).wrapping_sub(y) & Self::MASK, Self::ALPHA),
            y,
        )
    }
}

impl<const WORD_BITS: u32, const KEY_WORDS: usize> Block for Speck<WORD_BITS, KEY_WORDS> {
    const BLOCK_BYTES: usize = 2 * Self::WORD_BYTES;

    /// The key schedule of section 4.2: the round function with the number of the round as its key.
    fn set_key(&mut self, key: &[u8]) {
        let mut words = key.chunks_exact(Self::WORD_BYTES).map(load);
        let mut k = words.next().unwrap_or_default();
        let mut l: Vec<u64> = words.collect();
        for i in 0..Self::ROUNDS {
            self.keys[i] = k;
            let at = i % (KEY_WORDS - 1);
            (l[at], k) = Self::round(l[at], k, i as u64);
        }
    }

    fn encrypt_blocks(&self, blocks: &mut [u8]) {
        for block in blocks.chunks_exact_mut(Self::BLOCK_BYTES) {
            let (low, high) = block.split_at_mut(Self::WORD_BYTES);
            let (mut y, mut x) = (load(low), load(high));
            for key in &self.keys[..Self::ROUNDS] {
                (x, y) = Self::round(x, y, *key);
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
                (x, y) = Self::inverse_round(x, y, *key);
            }
            store(low, y);
            store(high, x);
        }
    }
}
