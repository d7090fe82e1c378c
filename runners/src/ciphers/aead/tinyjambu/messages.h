#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ciphers/aead/tinyjambu/cipher.h"
#include "simd/target.h"
#include "words/messages.h"

/// TinyJAMBU of several messages, one in each lane of vectors of kVectorBytes together, for batches: what one
/// message waits for, the others fill. See cipher.h.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

template <std::size_t kVectorBytes>
class TinyJambuMessages {
 public:
  using Word = words::MessageWord<std::uint32_t, kVectorBytes>;

  explicit TinyJambuMessages(const std::array<Word, 4>& state) noexcept {
    std::memcpy(s_, state.data(), sizeof(s_));
  }
  void store(std::array<Word, 4>& state) const noexcept { std::memcpy(state.data(), s_, sizeof(s_)); }

  template <std::size_t kWord>
  void add(Word value) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kRegisters; ++i) s_[kWord][i] ^= part(value, i);
  }
  template <std::size_t kWord>
  [[nodiscard]] Word word() const noexcept {
    Word word;
    std::memcpy(&word, s_[kWord], sizeof(word));
    return word;
  }

  template <std::size_t kTurn>
  void step(const Word& inverted_key) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kRegisters; ++i) {
      const Vector b = s_[(kTurn + 1) % 4][i], c = s_[(kTurn + 2) % 4][i], d = s_[(kTurn + 3) % 4][i];
      const Vector early = s_[kTurn][i] ^ part(inverted_key, i);
      const Vector sum = words::exclusive_or(early, from<15>(b, c), from<27>(c, d));
      s_[kTurn][i] = words::and_exclusive_or(from<6>(c, d), from<21>(c, d), sum);
    }
  }

 private:
  static constexpr std::size_t kRegisterBytes = std::min<std::size_t>(kVectorBytes, 64);
  static constexpr std::size_t kRegisters = kVectorBytes / kRegisterBytes;
  using Vector = typename words::VectorOf<32, kRegisterBytes>::Type;

  static Vector part(const Word& word, std::size_t i) noexcept {
    Vector v;
    std::memcpy(&v, reinterpret_cast<const std::uint8_t*>(&word) + i * sizeof(v), sizeof(v));
    return v;
  }

  /// The 32 bits from bit kBit of low and high, one behind the other.
  template <int kBit>
  static Vector from(Vector low, Vector high) noexcept {
#if defined(__x86_64__)
    if constexpr (kRegisterBytes == 64) {
      return __builtin_bit_cast(Vector, _mm512_shldi_epi32(__builtin_bit_cast(__m512i, high),
                                                           __builtin_bit_cast(__m512i, low), 32 - kBit));
    }
#endif
    return low >> kBit | high << (32 - kBit);
  }

  Vector s_[4][kRegisters];
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
