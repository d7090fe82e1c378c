//! A buffer on pages of its own.

use std::io;
use std::os::raw::{c_int, c_long, c_void};

const PROT_READ_WRITE: c_int = 3;
const MAP_PRIVATE_ANONYMOUS: c_int = 0x22;
const MADV_NOHUGEPAGE: c_int = 15;
/// No processor has smaller pages.
const PAGE_BYTES: usize = 4096;

extern "C" {
    fn mmap(
        address: *mut c_void,
        length: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        offset: c_long,
    ) -> *mut c_void;
    fn munmap(address: *mut c_void, length: usize) -> c_int;
    fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
}

/// A mapping in place of the heap: its pages are new each time, and huge pages, which depend on the machine's past,
/// can be refused.
pub struct Buffer {
    start: *mut u8,
    bytes: usize,
}

impl Buffer {
    /// Allocates zeros and touches each page.
    pub fn new(bytes: usize) -> io::Result<Self> {
        // SAFETY: a new anonymous mapping overlaps no other memory. It has at least one byte, as a mapping must.
        let start = unsafe {
            let (length, flags) = (bytes.max(1), MAP_PRIVATE_ANONYMOUS);
            mmap(std::ptr::null_mut(), length, PROT_READ_WRITE, flags, -1, 0)
        };
        if start as isize == -1 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the range is that of the mapping. A kernel without huge pages fails, which has the desired effect.
        unsafe { madvise(start, bytes, MADV_NOHUGEPAGE) };
        let start = start.cast();
        let mut buffer = Buffer { start, bytes };
        for byte in buffer.bytes().iter_mut().step_by(PAGE_BYTES) {
            // SAFETY: a reference. Volatile, because the compiler may know that the pages are zeros.
            unsafe { std::ptr::write_volatile(byte, 0) };
        }
        Ok(buffer)
    }

    /// Returns the whole buffer.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping has so many bytes, all of them initialized by the kernel, and is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the range is that of the mapping, which nothing borrows.
        unsafe { munmap(self.start.cast(), self.bytes.max(1)) };
    }
}
