//! Modes of operation of block ciphers: SP 800-38A sections 6.1, 6.2 and 6.5.

use super::{xor, Message};

/// A block cipher, which processes whole blocks in place.
pub trait Block {
    const BLOCK_BYTES: usize;
    fn set_key(&mut self, key: &[u8]);
    fn encrypt_blocks(&self, blocks: &mut [u8]);
    fn decrypt_blocks(&self, blocks: &mut [u8]);
}

/// Electronic codebook: each block alone, without a nonce.
#[derive(Default)]
pub struct Ecb<B>(B);

impl<B: Block> Message for Ecb<B> {
    fn set_key(&mut self, key: &[u8]) {
        self.0.set_key(key);
    }
    fn encrypt(&mut self, _nonce: &[u8], text: &mut [u8]) {
        self.0.encrypt_blocks(text);
    }
    fn decrypt(&mut self, _nonce: &[u8], text: &mut [u8]) {
        self.0.decrypt_blocks(text);
    }
}

/// Cipher block chaining: the nonce is the initialization vector.
#[derive(Default)]
pub struct Cbc<B>(B);

const MAX_BLOCK_BYTES: usize = 16;

impl<B: Block> Message for Cbc<B> {
    fn set_key(&mut self, key: &[u8]) {
        self.0.set_key(key);
    }

    fn encrypt(&mut self, nonce: &[u8], text: &mut [u8]) {
        let mut chain = [0; MAX_BLOCK_BYTES];
        let chain = &mut chain[..B::BLOCK_BYTES];
        chain.copy_from_slice(nonce);
        for block in text.chunks_exact_mut(B::BLOCK_BYTES) {
            xor(block, chain);
            self.0.encrypt_blocks(block);
            chain.copy_from_slice(block);
        }
    }

    fn decrypt(&mut self, nonce: &[u8], text: &mut [u8]) {
        let mut memory = [0; 2 * MAX_BLOCK_BYTES];
        let (chain, ciphertext) = memory.split_at_mut(MAX_BLOCK_BYTES);
        let (chain, ciphertext) = (&mut chain[..B::BLOCK_BYTES], &mut ciphertext[..B::BLOCK_BYTES]);
        chain.copy_from_slice(nonce);
        for block in text.chunks_exact_mut(B::BLOCK_BYTES) {
            ciphertext.copy_from_slice(block);
            self.0.decrypt_blocks(block);
            xor(block, chain);
            chain.copy_from_slice(ciphertext);
        }
    }
}

/// A multiple of every length of a block (4, 6, 8, 12 and 16 bytes), small enough for the nearest cache.
const BATCH_BYTES: usize = 768;

/// Counter mode: the nonce is the first counter block, which counts big-endian over the whole block.
#[derive(Default)]
pub struct Ctr<B>(B);

/// Length of a message after which a counter repeats (SP 800-38A appendix B); from 8 bytes a block on it is out
/// of reach.
pub const fn max_counter_bytes(block_bytes: usize) -> u64 {
    if block_bytes >= 8 {
        u64::MAX
    } else {
        (block_bytes as u64) << (8 * block_bytes)
    }
}

fn increment(counter: &mut [u8]) {
    for byte in counter.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            return;
        }
    }
}

impl<B: Block> Message for Ctr<B> {
    fn set_key(&mut self, key: &[u8]) {
        self.0.set_key(key);
    }

    fn encrypt(&mut self, nonce: &[u8], text: &mut [u8]) {
        let mut counter = [0; MAX_BLOCK_BYTES];
        let counter = &mut counter[..B::BLOCK_BYTES];
        counter.copy_from_slice(nonce);
        let mut keystream = [0; BATCH_BYTES];
        for part in text.chunks_mut(BATCH_BYTES) {
            let blocks = (part.len() + B::BLOCK_BYTES - 1) / B::BLOCK_BYTES;
            let keystream = &mut keystream[..blocks * B::BLOCK_BYTES];
            for block in keystream.chunks_exact_mut(B::BLOCK_BYTES) {
                block.copy_from_slice(counter);
                increment(counter);
            }
            self.0.encrypt_blocks(keystream);
            xor(part, keystream);
        }
    }

    fn decrypt(&mut self, nonce: &[u8], text: &mut [u8]) {
        self.encrypt(nonce, text);
    }
}
