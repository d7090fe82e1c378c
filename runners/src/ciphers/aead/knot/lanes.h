#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphers/aead/knot/cipher.h"
#include "ciphers/aead/knot/messages.h"
#include "simd/row_x86.h"
#include "simd/target.h"

/// Rows of KNOT in the lowest bytes of one register of x86 each. Only for units compiled for what the Shifts
/// need, SSSE3 at least. Bits above a row of 64 or 96 bits are unused.
///
/// Shifts has shift_in_32<kBits>(a, from) and shift_in_64: each lane of a moves up and takes the highest bits
/// of the same lane of `from`.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace knot {

template <typename Shifts, std::size_t kRowBytes>
struct LaneRow {
  static_assert(kRowBytes == 8 || kRowBytes == 12 || kRowBytes == 16);
  static constexpr std::size_t kBytes = kRowBytes;
  using Side = MessageRow<Shifts, kRowBytes, Shifts::kVectorBytes>;

  /// Of a random row (masked/pool.h), after which as many bytes may be read as a register has.
  static constexpr std::size_t kRandomBytes = kBytes;
  static LaneRow from_random(const std::uint8_t* bytes) noexcept {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))};
  }

  __m128i lanes;

  /// Words of 32 bits.
  template <std::size_t kWords = kRowBytes / 4>
  static LaneRow load(const std::uint8_t* from) noexcept {
    if constexpr (kWords == 1) return {_mm_cvtsi32_si128(static_cast<int>(load_le<std::uint32_t>(from)))};
    if constexpr (kWords > 1) return {simd::Sse2Row::load<kWords>(from).lanes};
  }
  template <std::size_t kWords = kRowBytes / 4>
  void store(std::uint8_t* to) const noexcept {
    if constexpr (kWords == 1) store_le(to, static_cast<std::uint32_t>(_mm_cvtsi128_si32(lanes)));
    if constexpr (kWords > 1) simd::Sse2Row{lanes}.store<kWords>(to);
  }

  struct alignas(16) Constant {
    std::array<std::uint32_t, 4> words;
  };
  static constexpr Constant round_constant(std::uint32_t c) noexcept { return {{~c, ~0U, ~0U, ~0U}}; }

  template <int kBits>
  [[nodiscard]] LaneRow rotated_left() const noexcept {
    constexpr int kRowWords = static_cast<int>(kBytes / 4);
    if constexpr (kBits % 8 == 0) {
      return {bytes_moved<kBits / 8>()};
    } else if constexpr (kRowWords == 3) {
      return {Shifts::template shift_in_32<kBits % 32>(third_turned<kBits / 32>(),
                                                       third_turned<kBits / 32 + 1>())};
    } else {
      // The other half, or the same one.
      constexpr int kSwap = _MM_SHUFFLE(1, 0, 3, 2);
      const __m128i from = kRowWords == 4 ? _mm_shuffle_epi32(lanes, kSwap) : lanes;
      return {Shifts::template shift_in_64<kBits>(lanes, from)};
    }
  }

 private:
  /// Word i of three moves to i + kPlaces.
  template <int kPlaces>
  [[nodiscard]] __m128i third_turned() const noexcept {
    if constexpr (kPlaces % 3 == 0) return lanes;
    if constexpr (kPlaces % 3 == 1) return _mm_shuffle_epi32(lanes, _MM_SHUFFLE(3, 1, 0, 2));
    if constexpr (kPlaces % 3 == 2) return _mm_shuffle_epi32(lanes, _MM_SHUFFLE(3, 0, 2, 1));
  }
  /// Whole bytes move in one instruction.
  template <int kPlaces>
  [[nodiscard]] __m128i bytes_moved() const noexcept {
    return _mm_shuffle_epi8(lanes,
                            _mm_load_si128(reinterpret_cast<const __m128i*>(kSources<kPlaces>.bytes.data())));
  }
  struct alignas(16) Sources {
    std::array<std::uint8_t, 16> bytes;
  };
  template <int kPlaces>
  static constexpr Sources kSources = [] {
    Sources sources{};
    for (std::size_t i = 0; i < kBytes; ++i) {
      sources.bytes[i] = static_cast<std::uint8_t>((i + kBytes - kPlaces) % kBytes);
    }
    return sources;
  }();
};

template <typename Shifts, std::size_t kRowBytes>
inline LaneRow<Shifts, kRowBytes> operator^(LaneRow<Shifts, kRowBytes> a,
                                            LaneRow<Shifts, kRowBytes> b) noexcept {
  return {_mm_xor_si128(a.lanes, b.lanes)};
}

template <typename Shifts, std::size_t kRowBytes>
inline LaneRow<Shifts, kRowBytes> operator&(LaneRow<Shifts, kRowBytes> a,
                                            LaneRow<Shifts, kRowBytes> b) noexcept {
  return {_mm_and_si128(a.lanes, b.lanes)};
}

template <typename Shifts, std::size_t kRowBytes>
inline LaneRow<Shifts, kRowBytes> operator|(LaneRow<Shifts, kRowBytes> a,
                                            LaneRow<Shifts, kRowBytes> b) noexcept {
  return {_mm_or_si128(a.lanes, b.lanes)};
}

template <typename Shifts, std::size_t kRowBytes>
inline LaneRow<Shifts, kRowBytes> operator~(LaneRow<Shifts, kRowBytes> a) noexcept {
  return {_mm_xor_si128(a.lanes, _mm_set1_epi32(-1))};
}

template <typename Shifts, std::size_t kRowBytes>
[[gnu::always_inline]] inline void opaque(LaneRow<Shifts, kRowBytes>& a) noexcept {
  asm("" : "+x"(a.lanes));
}

template <typename Shifts, std::size_t kRowBytes>
inline void add_constant(LaneRow<Shifts, kRowBytes>& row,
                         const typename LaneRow<Shifts, kRowBytes>::Constant& constant) noexcept {
  const __m128i lanes = _mm_load_si128(reinterpret_cast<const __m128i*>(constant.words.data()));
  row.lanes = _mm_xor_si128(row.lanes, lanes);
}

template <typename Shifts>
constexpr std::array<Implementation, 4> describe_lanes(const Variant& variant) {
  return concatenate(describe_256<LaneRow<Shifts, 8>>(variant), describe_384<LaneRow<Shifts, 12>>(variant),
                     describe_512<LaneRow<Shifts, 16>>(variant));
}

}  // namespace knot
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
