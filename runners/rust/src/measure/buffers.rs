use super::system::{madvise, mmap, munmap, sysconf};
use super::system::{MADV_NOHUGEPAGE, MAP_ANONYMOUS, MAP_PRIVATE, MAP_SHARED, PROT_READ_WRITE, SC_PAGESIZE};
use crate::failure::Failure;

/// Pages of this process alone, or of it and its children. At least one byte: a mapping cannot be empty.
pub struct Mapping {
    start: *mut u8,
    bytes: usize,
}

impl Mapping {
    pub fn new(bytes: usize, shared: bool, what: &str) -> Result<Self, Failure> {
        let flags = MAP_ANONYMOUS | if shared { MAP_SHARED } else { MAP_PRIVATE };
        // SAFETY: a new anonymous mapping overlaps no other memory.
        let start = unsafe { mmap(std::ptr::null_mut(), bytes.max(1), PROT_READ_WRITE, flags, -1, 0) };
        if start as isize == -1 {
            let error = std::io::Error::last_os_error();
            return Err(Failure::bad_input(format!(
                "{what} {bytes} bytes of memory: {error}"
            )));
        }
        Ok(Mapping {
            start: start.cast(),
            bytes,
        })
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the mapping has so many bytes, all of them initialized by the kernel, and is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }

    fn refuse_huge_pages(&self) {
        // SAFETY: the range is that of the mapping. A kernel without huge pages returns EINVAL, which has the
        // desired effect.
        unsafe { madvise(self.start.cast(), self.bytes, MADV_NOHUGEPAGE) };
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range is that of the mapping, which nothing borrows.
        unsafe { munmap(self.start.cast(), self.bytes.max(1)) };
    }
}

/// The three buffers of one execution in one mapping, each on its own pages and all of them touched.
///
/// A mapping in place of the heap: the pages are new in every execution, and huge pages, which depend on the
/// machine's past, can be refused.
pub struct Buffers {
    mapping: Mapping,
    input_bytes: usize,
    ciphertext_bytes: usize,
    input_pages_bytes: usize,
    ciphertext_pages_bytes: usize,
}

/// The parts of the buffers.
pub struct Parts<'a> {
    pub input: &'a mut [u8],
    pub ciphertext: &'a mut [u8],
    pub plaintext: &'a mut [u8],
}

fn page_bytes() -> usize {
    // SAFETY: the call takes no memory. It cannot fail for this name.
    usize::try_from(unsafe { sysconf(SC_PAGESIZE) }).unwrap_or(4096)
}

fn page_rounded(bytes: usize) -> usize {
    let page = page_bytes();
    (bytes.max(1) + page - 1) / page * page
}

impl Buffers {
    pub fn new(input_bytes: usize, ciphertext_bytes: usize) -> Result<Self, Failure> {
        let (input_pages_bytes, ciphertext_pages_bytes) =
            (page_rounded(input_bytes), page_rounded(ciphertext_bytes));
        let total = 2 * input_pages_bytes + ciphertext_pages_bytes;
        let mut mapping = Mapping::new(total, false, "the three buffers need")?;
        mapping.refuse_huge_pages();
        for byte in mapping.bytes_mut().iter_mut().step_by(page_bytes()) {
            // SAFETY: a reference. Volatile, because the compiler may know that the pages are zeros.
            unsafe { std::ptr::write_volatile(byte, 0) };
        }
        Ok(Buffers {
            mapping,
            input_bytes,
            ciphertext_bytes,
            input_pages_bytes,
            ciphertext_pages_bytes,
        })
    }

    pub fn parts(&mut self) -> Parts<'_> {
        let (input, rest) = self.mapping.bytes_mut().split_at_mut(self.input_pages_bytes);
        let (ciphertext, plaintext) = rest.split_at_mut(self.ciphertext_pages_bytes);
        Parts {
            input: &mut input[..self.input_bytes],
            ciphertext: &mut ciphertext[..self.ciphertext_bytes],
            plaintext: &mut plaintext[..self.input_bytes],
        }
    }

    /// Whole pages of all three.
    pub fn total_bytes(&self) -> usize {
        self.mapping.bytes
    }
}
