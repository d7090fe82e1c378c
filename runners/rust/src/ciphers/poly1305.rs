//! The authenticator Poly1305: RFC 8439 section 2.5, in limbs of 64 bits.

use super::load;

const BLOCK_BYTES: usize = 16;

#[derive(Default)]
pub struct Poly1305 {
    r: [u64; 2],
    s: [u64; 2],
    /// Below 2^131.
    h: [u64; 3],
}

/// Returns a + b + carry and the new carry.
#[inline(always)]
fn add(a: u64, b: u64, carry: u64) -> (u64, u64) {
    let sum = u128::from(a) + u128::from(b) + u128::from(carry);
    (sum as u64, (sum >> 64) as u64)
}

#[inline(always)]
fn multiply(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

impl Poly1305 {
    /// Takes the one-time key of 32 bytes; the clamp is that of section 2.5.1.
    pub fn new(key: &[u8]) -> Self {
        Poly1305 {
            r: [
                load(&key[..8]) & 0x0ffffffc0fffffff,
                load(&key[8..16]) & 0x0ffffffc0ffffffc,
            ],
            s: [load(&key[16..24]), load(&key[24..32])],
            h: [0; 3],
        }
    }

    /// Takes the bytes and zeros to the next whole block.
    pub fn absorb_padded(&mut self, data: &[u8]) {
        let blocks = data.chunks_exact(BLOCK_BYTES);
        let rest = blocks.remainder();
        for block in blocks {
            self.absorb(load(&block[..8]), load(&block[8..]));
        }
        if !rest.is_empty() {
            let mut block = [0; BLOCK_BYTES];
            block[..rest.len()].copy_from_slice(rest);
            self.absorb(load(&block[..8]), load(&block[8..]));
        }
    }

    /// Computes h = (h + block + 2^128) r modulo 2^130 - 5, up to a multiple of the modulus.
    pub fn absorb(&mut self, low: u64, high: u64) {
        let [r0, r1] = self.r;
        let (h0, carry) = add(self.h[0], low, 0);
        let (h1, carry) = add(self.h[1], high, carry);
        let h2 = self.h[2] + carry + 1;

        // The schoolbook product. Every r is below 2^60 and h2 below 2^3, so that no sum exceeds 128 bits.
        let m0 = multiply(h0, r0);
        let m1 = multiply(h0, r1) + multiply(h1, r0) + (m0 >> 64);
        let m2 = multiply(h1, r1) + multiply(h2, r0) + (m1 >> 64);
        let t3 = (h2 * r1).wrapping_add((m2 >> 64) as u64);
        let (t0, t1, t2) = (m0 as u64, m1 as u64, m2 as u64);

        // 2^130 is 5: what is above bit 130 counts once, and four times where it is.
        let (h0, carry) = add(t0, t2 & !3, 0);
        let (h1, carry) = add(t1, t3, carry);
        let h2 = (t2 & 3) + carry;
        let (h0, carry) = add(h0, t2 >> 2 | t3 << 62, 0);
        let (h1, carry) = add(h1, t3 >> 2, carry);
        self.h = [h0, h1, h2 + carry];
    }

    pub fn finish(&self) -> [u8; BLOCK_BYTES] {
        // h or h - (2^130 - 5), whichever is in the range, without a branch on it.
        let (g0, carry) = add(self.h[0], 5, 0);
        let (g1, carry) = add(self.h[1], 0, carry);
        let mask = ((self.h[2] + carry) >> 2 & 1).wrapping_neg();
        let (low, carry) = add(self.h[0] & !mask | g0 & mask, self.s[0], 0);
        let (high, _) = add(self.h[1] & !mask | g1 & mask, self.s[1], carry);
        let mut tag = [0; BLOCK_BYTES];
        tag[..8].copy_from_slice(&low.to_le_bytes());
        tag[8..].copy_from_slice(&high.to_le_bytes());
        tag
    }
}
