#pragma once

/// In front of a loop with a constant number of steps: it is written out, so that arrays of registers stay in
/// registers at -O2.
#if defined(__clang__)
#define CIPHERMARK_UNROLL _Pragma("unroll")
#else
#define CIPHERMARK_UNROLL _Pragma("GCC unroll 16")
#endif
