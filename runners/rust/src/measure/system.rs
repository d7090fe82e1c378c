//! The calls of the C library that the standard library does not offer; it is linked to it anyway. Linux alone.

use std::os::raw::{c_int, c_long, c_ulong, c_void};

pub const CLOCK_MONOTONIC: c_int = 1;
pub const CLOCK_PROCESS_CPUTIME_ID: c_int = 2;
pub const RUSAGE_SELF: c_int = 0;
pub const PROT_READ_WRITE: c_int = 3;
pub const MAP_SHARED: c_int = 1;
pub const MAP_PRIVATE: c_int = 2;
pub const MAP_ANONYMOUS: c_int = 0x20;
pub const MADV_NOHUGEPAGE: c_int = 15;
pub const PR_SET_PDEATHSIG: c_int = 1;
pub const SIGKILL: c_ulong = 9;
/// The constant of Linux on all processors that Ciphermark is built for.
pub const SC_PAGESIZE: c_int = 30;

#[repr(C)]
#[derive(Default)]
pub struct Timespec {
    pub seconds: c_long,
    pub nanoseconds: c_long,
}

#[repr(C)]
#[derive(Default)]
pub struct Timeval {
    pub seconds: c_long,
    pub microseconds: c_long,
}

/// struct rusage: fields that the kernel does not set are not named.
#[repr(C)]
#[derive(Default)]
pub struct Rusage {
    pub user: Timeval,
    pub system: Timeval,
    pub unnamed_1: [c_long; 4],
    pub minor_faults: c_long,
    pub major_faults: c_long,
    pub unnamed_2: [c_long; 6],
    pub voluntary_switches: c_long,
    pub involuntary_switches: c_long,
}

extern "C" {
    pub fn clock_gettime(clock: c_int, now: *mut Timespec) -> c_int;
    pub fn getrusage(who: c_int, usage: *mut Rusage) -> c_int;
    pub fn mmap(
        address: *mut c_void,
        length: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        offset: c_long,
    ) -> *mut c_void;
    pub fn munmap(address: *mut c_void, length: usize) -> c_int;
    pub fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    pub fn sysconf(name: c_int) -> c_long;
    pub fn fork() -> c_int;
    pub fn waitpid(child: c_int, outcome: *mut c_int, options: c_int) -> c_int;
    pub fn _exit(code: c_int) -> !;
    pub fn prctl(option: c_int, ...) -> c_int;
}
