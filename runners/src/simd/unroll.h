#pragma once

/// In front of a loop with a constant number of steps: it is written out, so that arrays of registers stay in
/// registers at -O2, where compilers do not see to it themselves.
#define CIPHERMARK_PRAGMA(text) _Pragma(#text)
#if defined(__OPTIMIZE_SIZE__)
#define CIPHERMARK_UNROLL
#elif defined(__clang__)  // Clang defines __GNUC__ too.
#define CIPHERMARK_UNROLL CIPHERMARK_PRAGMA(unroll)
#else
#define CIPHERMARK_UNROLL CIPHERMARK_PRAGMA(GCC unroll 32)
#endif
