#include "ciphermark/bytes.h"

namespace ciphermark {

bool constant_time_equal(const std::uint8_t* a, const std::uint8_t* b, std::size_t n) noexcept {
  // The volatile reads keep the compiler from leaving the loop at the first difference.
  const volatile std::uint8_t* left = a;
  const volatile std::uint8_t* right = b;
  unsigned difference = 0;
  for (std::size_t i = 0; i < n; ++i) {
    difference |= static_cast<unsigned>(left[i] ^ right[i]);
  }
  return difference == 0;
}

}  // namespace ciphermark
