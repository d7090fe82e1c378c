#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "masked/randomness.h"
#include "simd/target.h"

/// Where the gadgets of a runner take random words from.
namespace ciphermark::masked {
inline namespace CIPHERMARK_UNIT {

/// A random word in memory takes sizeof(Word) bytes, unless the word declares another kRandomBytes and makes
/// itself of them: static Word from_random(const std::uint8_t* bytes).
template <typename Word>
[[nodiscard]] constexpr std::size_t random_bytes() noexcept {
  if constexpr (requires { Word::kRandomBytes; }) {
    return Word::kRandomBytes;
  } else {
    return sizeof(Word);
  }
}

/// kCount random words in the buffer: [i] reads one.
template <typename Word, std::size_t kCount>
class Taken {
 public:
  explicit Taken(const std::uint8_t* from) noexcept : from_(from) {}
  [[nodiscard]] Word operator[](std::size_t i) const noexcept {
    const std::uint8_t* at = from_ + random_bytes<Word>() * i;
    if constexpr (requires { Word::from_random(at); }) {
      return Word::from_random(at);
    } else {
      std::array<std::uint8_t, sizeof(Word)> bytes;
      std::memcpy(bytes.data(), at, sizeof(Word));
      return std::bit_cast<Word>(bytes);
    }
  }

 private:
  const std::uint8_t* from_;
};

/// The buffer of randomness.h. Every other source of words has the same function: the evidence executes the
/// same gadgets with sources of its own.
struct Pool {
  template <typename Word, std::size_t kCount>
  [[nodiscard]] static Taken<Word, kCount> take() noexcept {
    constexpr std::size_t kBytes = kCount * random_bytes<Word>();
    static_assert(kBytes <= kMostTakenBytes);
    const std::uint8_t* at = rest.next;
    if (static_cast<std::size_t>(rest.end - at) < kBytes) [[unlikely]] {
      at = refill(kBytes);
    }
    rest.next = at + kBytes;
    return Taken<Word, kCount>(at);
  }
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::masked
