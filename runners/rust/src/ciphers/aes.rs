//! The block cipher AES with keys of 128, 192 and 256 bits.
//!
//! Source: FIPS 197 (2001, updated 2023). Byte order: that of the document; a column of the state is a
//! big-endian word. Deviations: none. The indices of the tables are secret, so the time depends on the caches.

use super::modes::Block;

const MAX_WORDS: usize = 60;

/// Multiplies by x in GF(2^8), section 4.2.1.
const fn xtime(a: u8) -> u8 {
    (a << 1) ^ ((a >> 7) * 0x1b)
}

const fn multiply(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        product ^= a * (b & 1);
        a = xtime(a);
        b >>= 1;
    }
    product
}

/// The S-box of section 5.1.1: all values but 0 by the generator 3, whose inverse is 0xf6.
const fn make_sbox() -> [u8; 256] {
    let mut sbox = [0x63; 256];
    let (mut value, mut inverted) = (1u8, 1u8);
    let mut i = 0;
    while i < 255 {
        let b = inverted;
        sbox[value as usize] =
            b ^ b.rotate_left(1) ^ b.rotate_left(2) ^ b.rotate_left(3) ^ b.rotate_left(4) ^ 0x63;
        value = multiply(value, 3);
        inverted = multiply(inverted, 0xf6);
        i += 1;
    }
    sbox
}

const fn make_inverse() -> [u8; 256] {
    let mut inverse = [0; 256];
    let mut i = 0;
    while i < 256 {
        inverse[SBOX_VALUES[i] as usize] = i as u8;
        i += 1;
    }
    inverse
}

/// For each value of a byte the column that MixColumns makes of what `boxed` makes of it; the other three rows are
/// rotations of it.
const fn make_columns(boxed: &[u8; 256], factors: [u8; 4]) -> [u32; 256] {
    let mut columns = [0; 256];
    let mut i = 0;
    while i < 256 {
        let b = boxed[i];
        columns[i] = u32::from_be_bytes([
            multiply(b, factors[0]),
            multiply(b, factors[1]),
            multiply(b, factors[2]),
            multiply(b, factors[3]),
        ]);
        i += 1;
    }
    columns
}

static SBOX: [u8; 256] = SBOX_VALUES;
const SBOX_VALUES: [u8; 256] = make_sbox();
static INVERSE: [u8; 256] = make_inverse();
static ENCRYPT: [u32; 256] = make_columns(&SBOX_VALUES, [2, 1, 1, 3]);
static DECRYPT: [u32; 256] = make_columns(&make_inverse(), [14, 9, 13, 11]);

/// AES under one key.
pub struct Aes {
    rounds: usize,
    keys: [u32; MAX_WORDS],
    /// Of the equivalent inverse cipher, section 5.3.5, in the order of their use.
    inverse_keys: [u32; MAX_WORDS],
}

impl Default for Aes {
    fn default() -> Self {
        Aes {
            rounds: 0,
            keys: [0; MAX_WORDS],
            inverse_keys: [0; MAX_WORDS],
        }
    }
}

/// The byte of a word at this shift, as an index.
#[inline(always)]
fn byte(word: u32, shift: u32) -> usize {
    (word >> shift & 0xff) as usize
}

/// SubBytes, ShiftRows and MixColumns, or their inverses, for one column, whose bytes are in four columns.
#[inline(always)]
fn mixed(table: &[u32; 256], a: u32, b: u32, c: u32, d: u32) -> u32 {
    table[byte(a, 24)]
        ^ table[byte(b, 16)].rotate_right(8)
        ^ table[byte(c, 8)].rotate_right(16)
        ^ table[byte(d, 0)].rotate_right(24)
}

/// The same without MixColumns; SubWord of section 5.2 for four times the same word.
#[inline(always)]
fn substituted(sbox: &[u8; 256], a: u32, b: u32, c: u32, d: u32) -> u32 {
    u32::from_be_bytes([
        sbox[byte(a, 24)],
        sbox[byte(b, 16)],
        sbox[byte(c, 8)],
        sbox[byte(d, 0)],
    ])
}

/// One direction of the cipher on one block. STEP: 1 to shift the rows to the left, 3 to the right.
#[inline(always)]
fn crypt_block<const STEP: usize>(keys: &[u32], table: &[u32; 256], sbox: &[u8; 256], block: &mut [u8]) {
    let mut s = [0u32; 4];
    for ((word, bytes), key) in s.iter_mut().zip(block.chunks_exact(4)).zip(keys) {
        *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) ^ key;
    }
    let row = |s: &[u32; 4], column: usize, row: usize| s[(column + STEP * row) % 4];
    let (middle, last) = keys[4..].split_at(keys.len() - 8);
    for key in middle.chunks_exact(4) {
        let mut next = [0; 4];
        for i in 0..4 {
            next[i] = mixed(table, row(&s, i, 0), row(&s, i, 1), row(&s, i, 2), row(&s, i, 3)) ^ key[i];
        }
        s = next;
    }
    for (i, bytes) in block.chunks_exact_mut(4).enumerate() {
        let word = substituted(sbox, row(&s, i, 0), row(&s, i, 1), row(&s, i, 2), row(&s, i, 3)) ^ last[i];
        bytes.copy_from_slice(&word.to_be_bytes());
    }
}

impl Block for Aes {
    const BLOCK_BYTES: usize = 16;

    /// The key expansion of section 5.2.
    fn set_key(&mut self, key: &[u8]) {
        let key_words = key.len() / 4;
        self.rounds = key_words + 6;
        for (word, bytes) in self.keys.iter_mut().zip(key.chunks_exact(4)) {
            *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        let mut constant = 1u8;
        for i in key_words..4 * (self.rounds + 1) {
            let mut word = self.keys[i - 1];
            if i % key_words == 0 {
                let rotated = word.rotate_left(8);
                word = substituted(&SBOX, rotated, rotated, rotated, rotated) ^ u32::from(constant) << 24;
                constant = xtime(constant);
            } else if key_words > 6 && i % key_words == 4 {
                word = substituted(&SBOX, word, word, word, word);
            }
            self.keys[i] = self.keys[i - key_words] ^ word;
        }
        for round in 0..=self.rounds {
            for i in 0..4 {
                let word = self.keys[4 * (self.rounds - round) + i];
                let outer = round == 0 || round == self.rounds;
                let boxed = substituted(&SBOX, word, word, word, word);
                self.inverse_keys[4 * round + i] = if outer {
                    word
                } else {
                    mixed(&DECRYPT, boxed, boxed, boxed, boxed)
                };
            }
        }
    }

    fn encrypt_blocks(&self, blocks: &mut [u8]) {
        let keys = &self.keys[..4 * (self.rounds + 1)];
        for block in blocks.chunks_exact_mut(Self::BLOCK_BYTES) {
            crypt_block::<1>(keys, &ENCRYPT, &SBOX, block);
        }
    }

    fn decrypt_blocks(&self, blocks: &mut [u8]) {
        let keys = &self.inverse_keys[..4 * (self.rounds + 1)];
        for block in blocks.chunks_exact_mut(Self::BLOCK_BYTES) {
            crypt_block::<3>(keys, &DECRYPT, &INVERSE, block);
        }
    }
}
