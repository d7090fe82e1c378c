//! An implementation with a key, which the library holds and whose lengths it checks.

use std::os::raw::c_uint;
use std::ptr;

use super::{Implementation, Refusal};
use crate::ciphers as library;

/// Makes the cipher of an implementation: its number in the library.
pub type Maker = usize;

pub struct Keyed<'a> {
    implementation: &'a Implementation,
    key: *mut library::Key,
}

impl Drop for Keyed<'_> {
    fn drop(&mut self) {
        // SAFETY: null, or a key that nothing else frees.
        unsafe { library::ciphermark_key_free(self.key) };
    }
}

fn outcome(status: c_uint) -> Result<(), Refusal> {
    match status {
        library::OK => Ok(()),
        library::BAD_LENGTH => Err(Refusal::BadLength),
        library::AUTHENTICATION_FAILED => Err(Refusal::AuthenticationFailed),
        // Out of memory, as in any other allocation.
        _ => panic!("the library of our own ciphers failed with status {status}"),
    }
}

impl Keyed<'_> {
    pub fn set_key(&mut self, key: &[u8]) -> Result<(), Refusal> {
        // SAFETY: the key that is freed is replaced or null afterwards.
        outcome(unsafe {
            library::ciphermark_key_free(self.key);
            self.key = ptr::null_mut();
            library::ciphermark_key_new(self.implementation.make, key.as_ptr(), key.len(), &mut self.key)
        })
    }

    /// Writes ciphertext and tag to out.
    pub fn encrypt(
        &mut self,
        nonce: &[u8],
        data: &[u8],
        input: &[u8],
        out: &mut [u8],
    ) -> Result<(), Refusal> {
        self.process(library::ciphermark_encrypt, nonce, data, input, out)
    }

    /// Takes ciphertext and tag; out is zeros where the tag is wrong.
    pub fn decrypt(
        &mut self,
        nonce: &[u8],
        data: &[u8],
        input: &[u8],
        out: &mut [u8],
    ) -> Result<(), Refusal> {
        self.process(library::ciphermark_decrypt, nonce, data, input, out)
    }

    fn process(
        &mut self,
        operation: library::Operation,
        nonce: &[u8],
        data: &[u8],
        input: &[u8],
        out: &mut [u8],
    ) -> Result<(), Refusal> {
        // SAFETY: every pointer comes with the length of its slice.
        outcome(unsafe {
            operation(
                self.key,
                nonce.as_ptr(),
                nonce.len(),
                data.as_ptr(),
                data.len(),
                input.as_ptr(),
                input.len(),
                out.as_mut_ptr(),
                out.len(),
            )
        })
    }
}

impl Implementation {
    pub fn keyed(&self) -> Keyed<'_> {
        Keyed {
            implementation: self,
            key: ptr::null_mut(),
        }
    }
}
