//! Simon 128/256 on lists of bits, the variant `bits`: the text and the key are hexadecimal strings, the cipher
//! works on a list with an element for each bit, and the list becomes a hexadecimal string again. The programs
//! that the paper simon-languages measured work like that; the variant shows what it costs.

use super::modes::Block;
use super::simon::SEQUENCES;
use crate::hex;

const WORD: usize = 64;
const ROUNDS: usize = 72;
const KEY_WORDS: usize = 4;

/// An element for each bit, the most significant one first.
type Bits = Vec<u8>;

#[derive(Default)]
pub struct SimonBits {
    keys: Vec<Bits>,
}

/// Returns the bytes as the paper prints them: the last byte first.
fn printed(bytes: &[u8]) -> String {
    bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads what the paper prints.
fn store(block: &mut [u8], text: &str) {
    let bytes = hex::decode(text).unwrap_or_default();
    for (to, from) in block.iter_mut().rev().zip(bytes) {
        *to = from;
    }
}

fn from_hex(text: &str) -> Bits {
    let digits = text.chars().filter_map(|digit| digit.to_digit(16));
    digits
        .flat_map(|value| (0..4).rev().map(move |bit| (value >> bit & 1) as u8))
        .collect()
}

fn to_hex(bits: &[u8]) -> String {
    bits.chunks_exact(4)
        .map(|digit| format!("{:x}", digit.iter().fold(0, |value, bit| value << 1 | bit)))
        .collect()
}

fn rotate(x: &[u8], n: usize) -> Bits {
    [&x[n..], &x[..n]].concat()
}

fn xor(x: &[u8], y: &[u8]) -> Bits {
    x.iter().zip(y).map(|(x, y)| x ^ y).collect()
}

fn and(x: &[u8], y: &[u8]) -> Bits {
    x.iter().zip(y).map(|(x, y)| x & y).collect()
}

/// The function f of section 3.1.
fn f(x: &[u8]) -> Bits {
    xor(&and(&rotate(x, 1), &rotate(x, 8)), &rotate(x, 2))
}

impl Block for SimonBits {
    const BLOCK_BYTES: usize = 16;

    /// The key schedule of section 3.2.
    fn set_key(&mut self, key: &[u8]) {
        self.keys = from_hex(&printed(key))
            .chunks_exact(WORD)
            .rev()
            .map(<[u8]>::to_vec)
            .collect();
        let constant = from_hex("fffffffffffffffc");
        for i in KEY_WORDS..ROUNDS {
            let mut mixed = xor(&rotate(&self.keys[i - 1], WORD - 3), &self.keys[i - 3]);
            mixed = xor(&mixed, &rotate(&mixed, WORD - 1));
            let mut next = xor(&xor(&constant, &self.keys[i - KEY_WORDS]), &mixed);
            next[WORD - 1] ^= SEQUENCES[4][(i - KEY_WORDS) % 62] - b'0';
            self.keys.push(next);
        }
    }

    fn encrypt_blocks(&self, blocks: &mut [u8]) {
        for block in blocks.chunks_exact_mut(Self::BLOCK_BYTES) {
            let text = from_hex(&printed(block));
            let (mut x, mut y) = (text[..WORD].to_vec(), text[WORD..].to_vec());
            for key in &self.keys {
                (x, y) = (xor(&xor(&y, &f(&x)), key), x);
            }
            store(block, &(to_hex(&x) + &to_hex(&y)));
        }
    }

    fn decrypt_blocks(&self, blocks: &mut [u8]) {
        for block in blocks.chunks_exact_mut(Self::BLOCK_BYTES) {
            let text = from_hex(&printed(block));
            let (mut x, mut y) = (text[..WORD].to_vec(), text[WORD..].to_vec());
            for key in self.keys.iter().rev() {
                (y, x) = (xor(&xor(&x, &f(&y)), key), y);
            }
            store(block, &(to_hex(&x) + &to_hex(&y)));
        }
    }
}
