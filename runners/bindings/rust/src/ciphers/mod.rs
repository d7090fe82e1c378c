//! The library of our own ciphers, as its header `ciphermark/ffi.h` declares it.

use std::os::raw::{c_char, c_int, c_uint};

pub const OK: c_uint = 0;
pub const BAD_LENGTH: c_uint = 1;
pub const AUTHENTICATION_FAILED: c_uint = 2;

pub const BLOCK_MODE: c_uint = 0;
pub const STREAM: c_uint = 1;

/// `struct ciphermark_algorithm`; lengths are in bytes.
#[repr(C)]
pub struct Algorithm {
    pub name: *const c_char,
    pub variant: *const c_char,
    pub source: *const c_char,
    pub kind: c_uint,
    pub key_bytes: usize,
    pub nonce_bytes: usize,
    pub tag_bytes: usize,
    pub block_bytes: usize,
    pub max_message_bytes: u64,
    pub whole_blocks_only: c_int,
    pub constant_time: c_int,
}

/// `struct ciphermark_key`, whose contents the library alone knows.
#[repr(C)]
pub struct Key {
    _private: [u8; 0],
}

/// Encrypts or decrypts one message.
pub type Operation = unsafe extern "C" fn(
    key: *const Key,
    nonce: *const u8,
    nonce_bytes: usize,
    data: *const u8,
    data_bytes: usize,
    input: *const u8,
    input_bytes: usize,
    out: *mut u8,
    out_bytes: usize,
) -> c_uint;

extern "C" {
    pub fn ciphermark_algorithm_count() -> usize;
    pub fn ciphermark_algorithm_at(number: usize) -> *const Algorithm;
    pub fn ciphermark_key_new(
        number: usize,
        key: *const u8,
        key_bytes: usize,
        result: *mut *mut Key,
    ) -> c_uint;
    pub fn ciphermark_key_free(key: *mut Key);
    pub fn ciphermark_encrypt(
        key: *const Key,
        nonce: *const u8,
        nonce_bytes: usize,
        data: *const u8,
        data_bytes: usize,
        input: *const u8,
        input_bytes: usize,
        out: *mut u8,
        out_bytes: usize,
    ) -> c_uint;
    pub fn ciphermark_decrypt(
        key: *const Key,
        nonce: *const u8,
        nonce_bytes: usize,
        data: *const u8,
        data_bytes: usize,
        input: *const u8,
        input_bytes: usize,
        out: *mut u8,
        out_bytes: usize,
    ) -> c_uint;
}
