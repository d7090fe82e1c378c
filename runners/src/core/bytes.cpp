#include "ciphermark/bytes.h"

namespace ciphermark {

bool constant_time_equal(const std::uint8_t* a, const std::uint8_t* b, std::size_t n) noexcept {
  std::uint64_t difference = 0;
  for (; !kForSize && n >= 8; n -= 8, a += 8, b += 8) {
    difference |= load_le<std::uint64_t>(a) ^ load_le<std::uint64_t>(b);
    // The empty statement claims to change it, which keeps the compiler from leaving the loop at the first
    // difference.
    asm("" : "+r"(difference));
  }
  for (std::size_t i = 0; i < n; ++i) {
    difference |= static_cast<std::uint64_t>(a[i] ^ b[i]);
    asm("" : "+r"(difference));
  }
  return difference == 0;
}

}  // namespace ciphermark
