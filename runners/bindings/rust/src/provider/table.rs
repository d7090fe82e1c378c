//! The table of all implementations: the algorithms of the library, which selects the variant for the processor.

use std::ffi::CStr;
use std::os::raw::c_char;

use super::{Implementation, Kind};
use crate::ciphers as library;

pub const NAME: &str = "rust-binding";

/// All implementations of this program.
pub fn implementations() -> Vec<Implementation> {
    // SAFETY: the library counts its algorithms.
    let count = unsafe { library::ciphermark_algorithm_count() };
    (0..count).map(implementation).collect()
}

fn implementation(number: usize) -> Implementation {
    // SAFETY: there is an algorithm of this number, and the library never changes it.
    let one = unsafe { &*library::ciphermark_algorithm_at(number) };
    Implementation {
        algorithm: text(one.name),
        variant: "library",
        kind: match one.kind {
            library::BLOCK_MODE => Kind::BlockMode,
            library::STREAM => Kind::Stream,
            _ => Kind::Aead,
        },
        key_bytes: one.key_bytes,
        nonce_bytes: one.nonce_bytes,
        tag_bytes: one.tag_bytes,
        block_bytes: one.block_bytes,
        whole_blocks_only: one.whole_blocks_only != 0,
        constant_time: one.constant_time != 0,
        default: true,
        source: text(one.source),
        max_message_bytes: one.max_message_bytes,
        make: number,
    }
}

fn text(from: *const c_char) -> String {
    // SAFETY: a text of the library, which ends with NUL.
    unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned()
}
