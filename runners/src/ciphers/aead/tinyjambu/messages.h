#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphers/aead/tinyjambu/cipher.h"
#include "simd/target.h"
#include "words/messages.h"

/// TinyJAMBU of several messages, one in each lane of vectors of kVectorBytes, for batches: what one message
/// waits for, the others fill. See cipher.h.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

template <std::size_t kVectorBytes>
class TinyJambuMessages {
 public:
  using Word = words::MessageWord<std::uint32_t, kVectorBytes>;

  explicit TinyJambuMessages(const std::array<Word, 4>& state) noexcept : s_(state) {}
  void store(std::array<Word, 4>& state) const noexcept { state = s_; }

  template <std::size_t kWord>
  void add(Word value) noexcept {
    s_[kWord] = s_[kWord] ^ value;
  }
  template <std::size_t kWord>
  [[nodiscard]] Word word() const noexcept {
    return s_[kWord];
  }

  template <std::size_t kTurn>
  void step(Word inverted_key) noexcept {
    const Vector b = s_[(kTurn + 1) % 4].v, c = s_[(kTurn + 2) % 4].v, d = s_[(kTurn + 3) % 4].v;
    const Vector early = s_[kTurn].v ^ inverted_key.v;
    const Vector sum = words::exclusive_or(early, from<15>(b, c), from<27>(c, d));
    s_[kTurn] = words::and_exclusive_or(from<6>(c, d), from<21>(c, d), sum);
  }

 private:
  using Vector = typename Word::Vector;

  /// The 32 bits from bit kBit of low and high, one behind the other.
  template <int kBit>
  static Vector from(Vector low, Vector high) noexcept {
#if defined(__x86_64__)
    if constexpr (kVectorBytes == 64) {
      return __builtin_bit_cast(Vector, _mm512_shldi_epi32(__builtin_bit_cast(__m512i, high),
                                                           __builtin_bit_cast(__m512i, low), 32 - kBit));
    }
#endif
    return low >> kBit | high << (32 - kBit);
  }

  std::array<Word, 4> s_;
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
