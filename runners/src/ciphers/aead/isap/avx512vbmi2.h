#pragma once

#include "ciphers/aead/isap/over_keccak.h"
#include "simd/target.h"
#include "words/bitwise.h"

/// ISAP v2.0 over Keccak-p[400], variant `avx512vbmi2`: the whole state in one vector register, because there
/// each word of 16 bits can move to any place and be rotated by a distance of its own. Constant time. See
/// cipher.h and over_keccak.h.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace keccak_p400 {

/// Each quarter of the register has eight words. Planes 0 to 3 are at the fronts of the quarters, so that
/// the parities of the columns fit there four times, and plane 4 fills what is left of quarters 0
/// and 1. What the other words hold counts for nothing.
inline constexpr std::size_t kWords = 32;
inline constexpr std::size_t kQuarter = 8;

/// The word that holds lane (x, y).
constexpr std::size_t word_of(std::size_t x, std::size_t y) noexcept {
  if (y < 4) return kQuarter * y + x;
  return x < 3 ? kSide + x : kQuarter + kSide + (x - 3);
}

constexpr std::size_t word_of(std::size_t lane) noexcept { return word_of(lane % kSide, lane / kSide); }

/// The words of a register that is a constant of the program.
struct alignas(64) Words {
  std::array<std::uint16_t, kWords> words{};

  [[nodiscard]] __m512i load() const noexcept { return _mm512_load_si512(words.data()); }
};

/// Lane i of bytes is in word i; a word without a lane becomes the last word, which is zero.
constexpr Words from_bytes() noexcept {
  Words index;
  index.words.fill(kWords - 1);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    index.words[word_of(lane)] = static_cast<std::uint16_t>(lane);
  }
  return index;
}

constexpr Words to_bytes() noexcept {
  Words index;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    index.words[lane] = static_cast<std::uint16_t>(word_of(lane));
  }
  return index;
}

/// Plane 4 in front of each quarter.
constexpr Words last_plane() noexcept {
  Words index;
  for (std::size_t i = 0; i < kWords; ++i) {
    index.words[i] = static_cast<std::uint16_t>(word_of(i % kQuarter % kSide, 4));
  }
  return index;
}

/// For a shuffle of bytes within the quarters: each lane takes the parity `steps` columns
/// further.
constexpr Words parity_of_column(std::size_t steps) noexcept {
  Words index;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::size_t from = place(lane + steps, 0);
    index.words[word_of(lane)] = static_cast<std::uint16_t>((2 * from + 1) << 8 | 2 * from);
  }
  return index;
}

constexpr Words offsets() noexcept {
  Words distances;
  for (std::size_t lane = 0; lane < kLanes; ++lane) distances.words[word_of(lane)] = kOffsets[lane];
  return distances;
}

/// What pi moves to the place `steps` columns further.
constexpr Words before_pi_of_column(std::size_t steps) noexcept {
  Words index;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::size_t from = before_pi((lane + steps) % kSide, lane / kSide);
    index.words[word_of(lane)] = static_cast<std::uint16_t>(word_of(from));
  }
  return index;
}

/// The words of lanes `first` to `last`, as a mask.
constexpr __mmask32 mask_of(std::size_t first, std::size_t last) noexcept {
  __mmask32 mask = 0;
  for (std::size_t lane = first; lane <= last; ++lane) mask |= __mmask32{1} << word_of(lane);
  return mask;
}

inline constexpr Words kFromBytes = from_bytes();
inline constexpr Words kToBytes = to_bytes();
inline constexpr Words kLastPlane = last_plane();
inline constexpr Words kLeftParity = parity_of_column(4);
inline constexpr Words kRightParity = parity_of_column(1);
inline constexpr Words kRho = offsets();
inline constexpr std::array<Words, 3> kPi{before_pi_of_column(0), before_pi_of_column(1),
                                          before_pi_of_column(2)};

inline __m512i permuted(__m512i a, const Words& index) noexcept {
  return _mm512_permutexvar_epi16(index.load(), a);
}

inline __m512i xor3(__m512i a, __m512i b, __m512i c) noexcept {
  return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

[[gnu::always_inline]] inline __m512i theta(__m512i a) noexcept {
  const __m512i next = _mm512_maskz_shuffle_i64x2(0xff, a, a, 0x39);
  const __m512i opposite = _mm512_maskz_shuffle_i64x2(0xff, a, a, 0x4e);
  const __m512i previous = _mm512_maskz_shuffle_i64x2(0xff, a, a, 0x93);
  const __m512i parity = xor3(xor3(a, next, opposite), previous, permuted(a, kLastPlane));
  const __m512i left = _mm512_shuffle_epi8(parity, kLeftParity.load());
  const __m512i right = _mm512_shuffle_epi8(parity, kRightParity.load());
  return xor3(a, left, _mm512_shldi_epi16(right, right, 1));
}

[[gnu::always_inline]] inline __m512i rho(__m512i a) noexcept {
  return _mm512_shldv_epi16(a, a, kRho.load());
}

/// Pi, chi and iota: three lanes of a row per instruction, of which the first may take the constant in time.
[[gnu::always_inline]] inline __m512i pi_chi_iota(__m512i a, std::uint16_t constant) noexcept {
  const __m512i first = _mm512_zextsi128_si512(_mm_cvtsi32_si128(constant));
  return _mm512_ternarylogic_epi64(_mm512_xor_si512(permuted(a, kPi[0]), first), permuted(a, kPi[1]),
                                   permuted(a, kPi[2]), 0xd2);
}

[[gnu::always_inline]] inline __m512i round(__m512i a, int number) noexcept {
  return pi_chi_iota(rho(theta(a)), kRoundConstants[static_cast<std::size_t>(number)]);
}

/// A lane of 32 messages, for batches.
using Messages = words::MessageWord<std::uint16_t, 64>;

}  // namespace keccak_p400
}  // namespace CIPHERMARK_UNIT

// In the namespace of the words, where the permutation finds them.
namespace words {
inline namespace CIPHERMARK_UNIT {

template <int kBits>
[[nodiscard]] inline keccak_p400::Messages rotate_left(keccak_p400::Messages a) noexcept {
  const auto words = __builtin_bit_cast(__m512i, a.v);
  return __builtin_bit_cast(keccak_p400::Messages::Vector, _mm512_shldi_epi16(words, words, kBits));
}

[[nodiscard]] inline keccak_p400::Messages chi(keccak_p400::Messages a, keccak_p400::Messages b,
                                               keccak_p400::Messages c) noexcept {
  const auto made =
      _mm512_ternarylogic_epi64(__builtin_bit_cast(__m512i, a.v), __builtin_bit_cast(__m512i, b.v),
                                __builtin_bit_cast(__m512i, c.v), 0xd2);
  return __builtin_bit_cast(keccak_p400::Messages::Vector, made);
}

}  // namespace CIPHERMARK_UNIT
}  // namespace words

inline namespace CIPHERMARK_UNIT {
namespace isap {

/// The register, with the interface of a state in cipher.h.
struct RegisterState {
  using Bits = isap::Bits;
  static constexpr std::size_t kStateBytes = keccak_p400::kStateBytes;

  static RegisterState load(const std::uint8_t* bytes) noexcept {
    RegisterState state{_mm512_setzero_si512()};
    state.add<kStateBytes>(bytes);
    return state;
  }
  template <int kRounds>
  void permute() noexcept {
    words = rounds<keccak_p400::kMostRounds - kRounds, kRounds>(words);
  }
  /// The rounds of two states are interleaved, because one round does not fill the processor.
  template <int kRounds, int kOtherRounds>
  void permute_with(RegisterState& other) noexcept {
    constexpr int kFirst = keccak_p400::kMostRounds - kRounds;
    __m512i a = words;
    __m512i b = other.words;
    for (int i = 0; i < kOtherRounds; ++i) {
      a = keccak_p400::round(a, kFirst + i);
      b = keccak_p400::round(b, keccak_p400::kMostRounds - kOtherRounds + i);
    }
    words = rounds<kFirst + kOtherRounds, kRounds - kOtherRounds>(a);
    other.words = b;
  }
  template <std::size_t kBytes>
  void add(const std::uint8_t* block) noexcept {
    const __m512i bytes = _mm512_maskz_loadu_epi16(front<kBytes>(), block);
    words = _mm512_xor_si512(words, keccak_p400::permuted(bytes, keccak_p400::kFromBytes));
  }
  template <std::size_t kBytes>
  void extract(std::uint8_t* out) const noexcept {
    _mm512_mask_storeu_epi16(out, front<kBytes>(), keccak_p400::permuted(words, keccak_p400::kToBytes));
  }
  void add_bit(const Bits& bits, std::size_t i) noexcept {
    words = _mm512_xor_si512(words, _mm512_zextsi128_si512(_mm_cvtsi32_si128(bits.at(i))));
  }
  void separate() noexcept {
    constexpr __mmask32 kLast = keccak_p400::mask_of(24, 24);
    words = _mm512_xor_si512(words, _mm512_maskz_set1_epi16(kLast, 0x0100));
  }
  void take_key_from(const RegisterState& other) noexcept {
    words = _mm512_mask_blend_epi16(keccak_p400::mask_of(0, 7), words, other.words);
  }
  /// The nonce is read as if zeros were the state before it.
  void set_nonce(const std::uint8_t* nonce) noexcept {
    std::array<std::uint8_t, kStateBytes> bytes{};
    std::memcpy(bytes.data() + (kStateBytes - kSecurityBytes), nonce, kSecurityBytes);
    words = _mm512_mask_blend_epi16(keccak_p400::mask_of(17, 24), words, load(bytes.data()).words);
  }

  /// Where a lane is, for batches.
  static constexpr std::size_t kPlaces = keccak_p400::kLanes;
  static constexpr std::size_t place_of(std::size_t lane) noexcept { return keccak_p400::word_of(lane); }

  // Explicit, because GCC instantiates the class without the target, where the type has no such alignment.
  alignas(64) __m512i words;

 private:
  /// The words of kBytes bytes, as a mask.
  template <std::size_t kBytes>
  static constexpr __mmask32 front() noexcept {
    return (__mmask32{1} << (kBytes / keccak_p400::kLaneBytes)) - 1;
  }
  template <int kFirst, int kCount>
  static __m512i rounds(__m512i a) noexcept {
    for (int i = kFirst; i < kFirst + kCount; ++i) a = keccak_p400::round(a, i);
    return a;
  }
};

}  // namespace isap
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
