#pragma once

#include "ciphermark/implementation.h"

namespace ciphermark::masked {

/// Writes the bytes of the generator `free`: 32 generators of G. Marsaglia, "Xorshift RNGs" (2003), with 64
/// bits each and the shifts 13, 7 and 17, side by side. Not secure: its output is its state. It costs next to
/// nothing, as published measurements of masked ciphers assume. out.size() is a multiple of 8.
void fill_free(MutableBytes out) noexcept;

}  // namespace ciphermark::masked
