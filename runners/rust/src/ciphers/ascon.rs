//! The AEAD Ascon-AEAD128.
//!
//! Source: NIST SP 800-232 (2025) sections 3 and 4. Byte order: little-endian. Deviations: none.

use super::{equal, load, store, Authenticated};

pub const RATE_BYTES: usize = 16;
const TAG_BYTES: usize = 16;
const IV: u64 = 0x0000_1000_808c_0001;

/// The constants of p[12], table 5; p[8] takes the last eight.
const CONSTANTS: [u64; 12] = [
    0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87, 0x78, 0x69, 0x5a, 0x4b,
];
const OUTER: usize = 0;
const INNER: usize = 4;

#[derive(Default)]
pub struct Ascon {
    key: [u64; 2],
}

/// The words S_0 to S_4.
struct State([u64; 5]);

impl State {
    /// A round for each constant from `first` on: p_C, p_S and p_L of section 3.
    fn permute(&mut self, first: usize) {
        let [mut x0, mut x1, mut x2, mut x3, mut x4] = self.0;
        for constant in &CONSTANTS[first..] {
            x2 ^= constant;
            x0 ^= x4;
            x4 ^= x3;
            x2 ^= x1;
            let (t0, t1, t2) = (x0 ^ (!x1 & x2), x1 ^ (!x2 & x3), x2 ^ (!x3 & x4));
            let (t3, t4) = (x3 ^ (!x4 & x0), x4 ^ (!x0 & x1));
            let (t1, t0, t3, t2) = (t1 ^ t0, t0 ^ t4, t3 ^ t2, !t2);
            x0 = t0 ^ t0.rotate_right(19) ^ t0.rotate_right(28);
            x1 = t1 ^ t1.rotate_right(61) ^ t1.rotate_right(39);
            x2 = t2 ^ t2.rotate_right(1) ^ t2.rotate_right(6);
            x3 = t3 ^ t3.rotate_right(10) ^ t3.rotate_right(17);
            x4 = t4 ^ t4.rotate_right(7) ^ t4.rotate_right(41);
        }
        self.0 = [x0, x1, x2, x3, x4];
    }

    fn add(&mut self, block: &[u8]) {
        self.0[0] ^= load(&block[..8]);
        self.0[1] ^= load(&block[8..]);
    }

    fn extract(&self, block: &mut [u8]) {
        store(&mut block[..8], self.0[0]);
        store(&mut block[8..], self.0[1]);
    }
}

/// Returns the block of a last part: the part, a one and zeros.
fn padded(part: &[u8]) -> [u8; RATE_BYTES] {
    let mut block = [0; RATE_BYTES];
    block[..part.len()].copy_from_slice(part);
    block[part.len()] = 1;
    block
}

impl Ascon {
    /// The initialization and the associated data of algorithm 3.
    fn start(&self, nonce: &[u8], data: &[u8]) -> State {
        let [k0, k1] = self.key;
        let mut state = State([IV, k0, k1, load(&nonce[..8]), load(&nonce[8..])]);
        state.permute(OUTER);
        state.0[3] ^= k0;
        state.0[4] ^= k1;
        if !data.is_empty() {
            let blocks = data.chunks_exact(RATE_BYTES);
            let last = padded(blocks.remainder());
            for block in blocks {
                state.add(block);
                state.permute(INNER);
            }
            state.add(&last);
            state.permute(INNER);
        }
        state.0[4] ^= 1 << 63;
        state
    }

    /// The finalization of algorithm 3.
    fn finish(&self, mut state: State) -> [u8; TAG_BYTES] {
        let [k0, k1] = self.key;
        state.0[2] ^= k0;
        state.0[3] ^= k1;
        state.permute(OUTER);
        let mut tag = [0; TAG_BYTES];
        store(&mut tag[..8], state.0[3] ^ k0);
        store(&mut tag[8..], state.0[4] ^ k1);
        tag
    }
}

impl Authenticated for Ascon {
    fn set_key(&mut self, key: &[u8]) {
        self.key = [load(&key[..8]), load(&key[8..])];
    }

    fn seal(&mut self, nonce: &[u8], data: &[u8], text: &mut [u8], tag: &mut [u8]) {
        let mut state = self.start(nonce, data);
        let mut blocks = text.chunks_exact_mut(RATE_BYTES);
        for block in &mut blocks {
            state.add(block);
            state.extract(block);
            state.permute(INNER);
        }
        let rest = blocks.into_remainder();
        let mut block = padded(rest);
        state.add(&block);
        state.extract(&mut block);
        rest.copy_from_slice(&block[..rest.len()]);
        tag.copy_from_slice(&self.finish(state));
    }

    fn open(&mut self, nonce: &[u8], data: &[u8], text: &mut [u8], tag: &[u8]) -> bool {
        let mut state = self.start(nonce, data);
        let mut blocks = text.chunks_exact_mut(RATE_BYTES);
        for block in &mut blocks {
            let (low, high) = (load(&block[..8]), load(&block[8..]));
            store(&mut block[..8], state.0[0] ^ low);
            store(&mut block[8..], state.0[1] ^ high);
            (state.0[0], state.0[1]) = (low, high);
            state.permute(INNER);
        }
        let rest = blocks.into_remainder();
        let mut keystream = [0; RATE_BYTES];
        state.extract(&mut keystream);
        super::xor(rest, &keystream);
        state.add(&padded(rest));
        equal(&self.finish(state), tag)
    }
}
