#pragma once

#include <array>
#include <cstdint>

#include "words/bitwise.h"
#include "words/interleave.h"

/// Two words of 32 bits in one of 64 (interleave.h) as a word that permutations take: what they do to it,
/// they do to both.
namespace ciphermark::words {

class InterleavedPair {
 public:
  using Constants = std::uint64_t;

  constexpr InterleavedPair() noexcept = default;
  constexpr explicit InterleavedPair(std::uint64_t bits) noexcept : bits_(bits) {}
  static constexpr InterleavedPair of(std::uint32_t first, std::uint32_t second) noexcept {
    return InterleavedPair(interleave(first, second));
  }
  [[nodiscard]] constexpr std::array<std::uint32_t, 2> words() const noexcept {
    const std::uint64_t both = deinterleave(bits_);
    return {static_cast<std::uint32_t>(both), static_cast<std::uint32_t>(both >> 32)};
  }
  /// What add_constant takes.
  static constexpr Constants constants(std::uint32_t first, std::uint32_t second) noexcept {
    return interleave(first, second);
  }
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }

 private:
  std::uint64_t bits_ = 0;
};

[[nodiscard]] constexpr InterleavedPair operator^(InterleavedPair a, InterleavedPair b) noexcept {
  return InterleavedPair(a.bits() ^ b.bits());
}

[[nodiscard]] constexpr InterleavedPair operator&(InterleavedPair a, InterleavedPair b) noexcept {
  return InterleavedPair(a.bits() & b.bits());
}

/// A function of both words as one operation (bitwise.h).
template <typename Function>
[[nodiscard]] constexpr auto mapped(const Function& function, InterleavedPair pair) noexcept {
  return function(pair);
}

/// ~a & b.
[[nodiscard]] constexpr InterleavedPair and_not(InterleavedPair a, InterleavedPair b) noexcept {
  return InterleavedPair(~a.bits() & b.bits());
}

[[gnu::always_inline]] inline void opaque(InterleavedPair& a) noexcept {
  std::uint64_t bits = a.bits();
  opaque(bits);
  a = InterleavedPair(bits);
}

[[nodiscard]] constexpr InterleavedPair operator~(InterleavedPair a) noexcept {
  return InterleavedPair(~a.bits());
}

template <int kBits>
[[nodiscard]] constexpr InterleavedPair rotate_left(InterleavedPair a) noexcept {
  return InterleavedPair(rotate_left<2 * kBits>(a.bits()));
}

template <int kBits>
[[nodiscard]] constexpr InterleavedPair rotate_right(InterleavedPair a) noexcept {
  return InterleavedPair(rotate_right<2 * kBits>(a.bits()));
}

/// The words change places.
[[nodiscard]] constexpr InterleavedPair swapped(InterleavedPair a) noexcept {
  return InterleavedPair((a.bits() & kEvenBits) << 1 | ((a.bits() >> 1) & kEvenBits));
}

/// Exclusive or with numbers that everybody knows, interleaved.
constexpr void add_constant(InterleavedPair& a, std::uint64_t constants) noexcept {
  a = InterleavedPair(a.bits() ^ constants);
}

}  // namespace ciphermark::words
