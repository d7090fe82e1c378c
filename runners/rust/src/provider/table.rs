//! The table of all implementations.

use super::keyed::Cipher;
use super::{Implementation, Kind};
use crate::ciphers::aes::Aes;
use crate::ciphers::ascon::{self, Ascon};
use crate::ciphers::chacha20::{self, ChaCha20};
use crate::ciphers::chacha20_poly1305::{self, ChaCha20Poly1305};
use crate::ciphers::modes::{max_counter_bytes, Block, Cbc, Ctr, Ecb};
use crate::ciphers::simon::Simon;
use crate::ciphers::simon_bits::SimonBits;
use crate::ciphers::speck::Speck;
use crate::ciphers::tinyjambu::{self, TinyJambu};
use crate::ciphers::{Authenticated, Message};

pub const NAME: &str = "rust";

const REF: &str = "ref";
const SIMON: &str = "IACR ePrint 2013/404, Simon";
const SPECK: &str = "IACR ePrint 2013/404, Speck";

fn message<C: Message + Default + 'static>() -> Cipher {
    Cipher::Message(Box::new(C::default()))
}

fn authenticated<C: Authenticated + Default + 'static>() -> Cipher {
    Cipher::Authenticated(Box::new(C::default()))
}

/// What the modes of one block cipher share.
struct BlockCipher {
    name: String,
    variant: &'static str,
    key_bytes: usize,
    source: &'static str,
    constant_time: bool,
    default: bool,
}

impl BlockCipher {
    fn mode<B: Block>(&self, mode: &str, section: &str, make: fn() -> Cipher) -> Implementation {
        Implementation {
            algorithm: format!("{}-{mode}", self.name),
            variant: self.variant,
            kind: Kind::BlockMode,
            key_bytes: self.key_bytes,
            nonce_bytes: if mode == "ecb" { 0 } else { B::BLOCK_BYTES },
            tag_bytes: 0,
            block_bytes: B::BLOCK_BYTES,
            whole_blocks_only: mode != "ctr",
            constant_time: self.constant_time,
            default: self.default,
            source: format!("{}; SP 800-38A section {section}", self.source),
            max_message_bytes: if mode == "ctr" {
                max_counter_bytes(B::BLOCK_BYTES)
            } else {
                u64::MAX
            },
            make,
        }
    }

    fn ecb<B: Block + Default + 'static>(&self) -> Implementation {
        self.mode::<B>("ecb", "6.1", message::<Ecb<B>>)
    }

    fn cbc<B: Block + Default + 'static>(&self) -> Implementation {
        self.mode::<B>("cbc", "6.2", message::<Cbc<B>>)
    }

    fn ctr<B: Block + Default + 'static>(&self) -> Implementation {
        self.mode::<B>("ctr", "6.5", message::<Ctr<B>>)
    }
}

fn word_cipher<B: Block + Default + 'static>(
    family: &str,
    source: &'static str,
    key_bits: usize,
) -> [Implementation; 2] {
    let block = BlockCipher {
        name: format!("{family}-{}-{key_bits}", 8 * B::BLOCK_BYTES),
        variant: if family == "simon" && key_bits == 256 {
            "words"
        } else {
            REF
        },
        key_bytes: key_bits / 8,
        source,
        constant_time: true,
        default: true,
    };
    [block.ecb::<B>(), block.ctr::<B>()]
}

fn stream(
    algorithm: &str,
    key_bytes: usize,
    counter_words: usize,
    source: &str,
    make: fn() -> Cipher,
) -> Implementation {
    Implementation {
        algorithm: algorithm.to_string(),
        variant: REF,
        kind: Kind::Stream,
        key_bytes,
        nonce_bytes: 16 - 4 * counter_words,
        tag_bytes: 0,
        block_bytes: chacha20::BLOCK_BYTES,
        whole_blocks_only: false,
        constant_time: true,
        default: true,
        source: source.to_string(),
        max_message_bytes: chacha20::max_message_bytes(counter_words),
        make,
    }
}

/// Lengths of an AEAD, in bytes.
struct Lengths {
    key: usize,
    nonce: usize,
    tag: usize,
    block: usize,
    max_message: u64,
}

fn aead(algorithm: &str, lengths: Lengths, source: &str, make: fn() -> Cipher) -> Implementation {
    Implementation {
        algorithm: algorithm.to_string(),
        variant: REF,
        kind: Kind::Aead,
        key_bytes: lengths.key,
        nonce_bytes: lengths.nonce,
        tag_bytes: lengths.tag,
        block_bytes: lengths.block,
        whole_blocks_only: false,
        constant_time: true,
        default: true,
        source: source.to_string(),
        max_message_bytes: lengths.max_message,
        make,
    }
}

fn tinyjambu<const KEY_WORDS: usize>() -> Implementation {
    let lengths = Lengths {
        key: 4 * KEY_WORDS,
        nonce: tinyjambu::NONCE_BYTES,
        tag: tinyjambu::TAG_BYTES,
        block: tinyjambu::BLOCK_BYTES,
        max_message: tinyjambu::MAX_MESSAGE_BYTES,
    };
    let name = format!("tinyjambu-{}", 32 * KEY_WORDS);
    aead(
        &name,
        lengths,
        "TinyJAMBU version 2 (2021) section 3",
        authenticated::<TinyJambu<KEY_WORDS>>,
    )
}

fn aes(key_bits: usize) -> [Implementation; 3] {
    let block = BlockCipher {
        name: format!("aes-{key_bits}"),
        variant: REF,
        key_bytes: key_bits / 8,
        source: "FIPS 197",
        constant_time: false,
        default: true,
    };
    [block.ecb::<Aes>(), block.cbc::<Aes>(), block.ctr::<Aes>()]
}

fn simon_bits() -> [Implementation; 2] {
    let block = BlockCipher {
        name: "simon-128-256".to_string(),
        variant: "bits",
        key_bytes: 32,
        source: SIMON,
        constant_time: false,
        default: false,
    };
    [block.ecb::<SimonBits>(), block.ctr::<SimonBits>()]
}

/// All implementations of this program.
pub fn implementations() -> Vec<Implementation> {
    const ORIGINAL: &str = "D. J. Bernstein, ChaCha, a variant of Salsa20 (2008)";
    let mut all: Vec<Implementation> = [128, 192, 256].into_iter().flat_map(aes).collect();
    all.extend(word_cipher::<Simon<16, 4>>("simon", SIMON, 64));
    all.extend(word_cipher::<Simon<24, 3>>("simon", SIMON, 72));
    all.extend(word_cipher::<Simon<24, 4>>("simon", SIMON, 96));
    all.extend(word_cipher::<Simon<32, 3>>("simon", SIMON, 96));
    all.extend(word_cipher::<Simon<32, 4>>("simon", SIMON, 128));
    all.extend(word_cipher::<Simon<48, 2>>("simon", SIMON, 96));
    all.extend(word_cipher::<Simon<48, 3>>("simon", SIMON, 144));
    all.extend(word_cipher::<Simon<64, 2>>("simon", SIMON, 128));
    all.extend(word_cipher::<Simon<64, 3>>("simon", SIMON, 192));
    all.extend(word_cipher::<Simon<64, 4>>("simon", SIMON, 256));
    all.extend(simon_bits());
    all.extend(word_cipher::<Speck<16, 4>>("speck", SPECK, 64));
    all.extend(word_cipher::<Speck<24, 3>>("speck", SPECK, 72));
    all.extend(word_cipher::<Speck<24, 4>>("speck", SPECK, 96));
    all.extend(word_cipher::<Speck<32, 3>>("speck", SPECK, 96));
    all.extend(word_cipher::<Speck<32, 4>>("speck", SPECK, 128));
    all.extend(word_cipher::<Speck<48, 2>>("speck", SPECK, 96));
    all.extend(word_cipher::<Speck<48, 3>>("speck", SPECK, 144));
    all.extend(word_cipher::<Speck<64, 2>>("speck", SPECK, 128));
    all.extend(word_cipher::<Speck<64, 3>>("speck", SPECK, 192));
    all.extend(word_cipher::<Speck<64, 4>>("speck", SPECK, 256));
    all.push(stream("chacha20-128", 16, 2, ORIGINAL, message::<ChaCha20<2>>));
    all.push(stream("chacha20-256", 32, 2, ORIGINAL, message::<ChaCha20<2>>));
    all.push(stream(
        "chacha20-ietf",
        32,
        1,
        "RFC 8439 section 2.4",
        message::<ChaCha20<1>>,
    ));
    let chacha = Lengths {
        key: 32,
        nonce: 12,
        tag: 16,
        block: chacha20::BLOCK_BYTES,
        max_message: chacha20_poly1305::MAX_MESSAGE_BYTES,
    };
    all.push(aead(
        "chacha20-poly1305",
        chacha,
        "RFC 8439 section 2.8",
        authenticated::<ChaCha20Poly1305>,
    ));
    let ascon = Lengths {
        key: 16,
        nonce: 16,
        tag: 16,
        block: ascon::RATE_BYTES,
        max_message: u64::MAX,
    };
    all.push(aead(
        "ascon-aead128",
        ascon,
        "NIST SP 800-232 section 4",
        authenticated::<Ascon>,
    ));
    all.extend([tinyjambu::<4>(), tinyjambu::<6>(), tinyjambu::<8>()]);
    all
}
