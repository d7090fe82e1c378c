//! The AEAD TinyJAMBU with keys of 128, 192 and 256 bits.
//!
//! Source: H. Wu, T. Huang, "TinyJAMBU: A Family of Lightweight Authenticated Encryption Algorithms (Version
//! 2)", 2021, section 3. Byte order: little-endian. Deviations: none.

use super::{equal, load, load32, Authenticated};

pub const NONCE_BYTES: usize = 12;
pub const TAG_BYTES: usize = 8;
pub const BLOCK_BYTES: usize = 4;

/// The limit of section 3: 2^50 bytes are too many.
pub const MAX_MESSAGE_BYTES: u64 = (1 << 50) - 1;

/// Frame bits of section 3.3, at their place in the second word of the state.
const NONCE: u32 = 0x10;
const DATA: u32 = 0x30;
const TEXT: u32 = 0x50;
const FINAL: u32 = 0x70;

/// 640 rounds, as steps of 32.
const SHORT_STEPS: usize = 640 / 32;

type State = [u32; 4];

/// KEY_WORDS: 4, 6 or 8.
pub struct TinyJambu<const KEY_WORDS: usize> {
    /// Inverted, so that the NAND of a round is an AND.
    key: [u32; KEY_WORDS],
    /// After the key setup of section 3.3.1.
    keyed: State,
}

impl<const KEY_WORDS: usize> Default for TinyJambu<KEY_WORDS> {
    fn default() -> Self {
        TinyJambu {
            key: [0; KEY_WORDS],
            keyed: [0; 4],
        }
    }
}

/// 32 rounds: the new value of the word `a`, which is the oldest one.
#[inline(always)]
fn step(a: u32, b: u32, c: u32, d: u32, inverted_key: u32) -> u32 {
    let and = (c >> 6 | d << 26) & (c >> 21 | d << 11);
    a ^ (b >> 15 | c << 17) ^ and ^ (c >> 27 | d << 5) ^ inverted_key
}

impl<const KEY_WORDS: usize> TinyJambu<KEY_WORDS> {
    /// 1024, 1152 or 1280 rounds, as steps of 32.
    const LONG_STEPS: usize = (1024 + 64 * (KEY_WORDS - 4)) / 32;

    /// P_n of section 3.2; steps is a multiple of 4.
    #[inline(always)]
    fn permute(&self, state: &mut State, steps: usize) {
        let [mut s0, mut s1, mut s2, mut s3] = *state;
        let mut at = 0;
        for _ in 0..steps / 4 {
            s0 = step(s0, s1, s2, s3, self.key[at]);
            s1 = step(s1, s2, s3, s0, self.key[at + 1]);
            at = (at + 2) % KEY_WORDS;
            s2 = step(s2, s3, s0, s1, self.key[at]);
            s3 = step(s3, s0, s1, s2, self.key[at + 1]);
            at = (at + 2) % KEY_WORDS;
        }
        *state = [s0, s1, s2, s3];
    }

    /// The nonce and the associated data, sections 3.3.1 and 3.3.2.
    fn start(&self, nonce: &[u8], data: &[u8]) -> State {
        let mut state = self.keyed;
        for word in nonce.chunks_exact(4) {
            state[1] ^= NONCE;
            self.permute(&mut state, SHORT_STEPS);
            state[3] ^= load32(word);
        }
        for part in data.chunks(BLOCK_BYTES) {
            state[1] ^= DATA;
            self.permute(&mut state, SHORT_STEPS);
            state[3] ^= load(part) as u32;
            add_length(&mut state, part.len());
        }
        state
    }

    /// Section 3.3.4.
    fn finish(&self, mut state: State) -> [u8; TAG_BYTES] {
        let mut tag = [0; TAG_BYTES];
        state[1] ^= FINAL;
        self.permute(&mut state, Self::LONG_STEPS);
        tag[..4].copy_from_slice(&state[2].to_le_bytes());
        state[1] ^= FINAL;
        self.permute(&mut state, SHORT_STEPS);
        tag[4..].copy_from_slice(&state[2].to_le_bytes());
        tag
    }
}

/// The length of a last word that is not whole goes to the lowest bits of the second word.
#[inline(always)]
fn add_length(state: &mut State, bytes: usize) {
    if bytes < BLOCK_BYTES {
        state[1] ^= bytes as u32;
    }
}

impl<const KEY_WORDS: usize> Authenticated for TinyJambu<KEY_WORDS> {
    fn set_key(&mut self, key: &[u8]) {
        for (word, bytes) in self.key.iter_mut().zip(key.chunks_exact(4)) {
            *word = !load32(bytes);
        }
        let mut state = [0; 4];
        self.permute(&mut state, Self::LONG_STEPS);
        self.keyed = state;
    }

    /// Section 3.3.3.
    fn seal(&mut self, nonce: &[u8], data: &[u8], text: &mut [u8], tag: &mut [u8]) {
        let mut state = self.start(nonce, data);
        for part in text.chunks_mut(BLOCK_BYTES) {
            state[1] ^= TEXT;
            self.permute(&mut state, Self::LONG_STEPS);
            state[3] ^= load(part) as u32;
            add_length(&mut state, part.len());
            super::xor(part, &state[2].to_le_bytes());
        }
        tag.copy_from_slice(&self.finish(state));
    }

    fn open(&mut self, nonce: &[u8], data: &[u8], text: &mut [u8], tag: &[u8]) -> bool {
        let mut state = self.start(nonce, data);
        for part in text.chunks_mut(BLOCK_BYTES) {
            state[1] ^= TEXT;
            self.permute(&mut state, Self::LONG_STEPS);
            super::xor(part, &state[2].to_le_bytes());
            state[3] ^= load(part) as u32;
            add_length(&mut state, part.len());
        }
        equal(&self.finish(state), tag)
    }
}
