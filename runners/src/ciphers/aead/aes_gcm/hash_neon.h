#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphermark/bytes.h"
#include "ciphers/aead/aes_gcm/portable.h"
#include "simd/neon_lookup.h"
#include "simd/unroll.h"

/// GHASH on NEON without PMULL: eight products of polynomials of 8 bits at a time (VMULL.P8).
///
/// Source of the idea: D. Câmara, C. Gouvêa, J. López, R. Dahab, "Fast Software Polynomial Multiplication on
/// ARM Processors Using the NEON Engine" (CD-ARES 2013). Let byte i of one factor of 64 bits meet byte i + n
/// (modulo 8) of the other, and the other way round: for n from 0 to 4 these are all products of bytes, and
/// both of a lane belong to the same place. They are moved to their places once for all blocks of a batch.
/// 128 bits are three products of 64 (Karatsuba).
///
/// Blocks are numbers as in portable.h, and powers of H are stored times x, as in hash.h.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gcm {

class NeonHash {
 public:
  void set_key(const std::uint8_t* h) noexcept {
    const Element first = times_x({.high = load_be<std::uint64_t>(h), .low = load_be<std::uint64_t>(h + 8)});
    Element power = first;
    for (std::size_t i = kMost; i-- > 0;) {
      powers_[i] = {.low = power.low, .high = power.high, .sum = power.low ^ power.high};
      if (i > 0) power = hashed(power, kZeros, 1);
    }
  }

  void absorb(Element& sum, const std::uint8_t* blocks, std::size_t count) const noexcept {
    while (count > 0) {
      const std::size_t now = count < kMost ? count : kMost;
      sum = hashed(sum, blocks, now);
      blocks += now * kBlockBytes;
      count -= now;
    }
  }

 private:
  using Block = uint8x16_t;
  using Half = uint8x8_t;
  /// Blocks multiplied by powers of H and reduced together.
  static constexpr std::size_t kMost = 4;
  static constexpr std::uint8_t kZeros[kBlockBytes] = {};

  enum class Part : std::uint8_t { low, high, sum };

  struct Power {
    std::uint64_t low;
    std::uint64_t high;
    std::uint64_t sum;
  };

  static Element times_x(const Element& a) noexcept {
    const std::uint64_t leaves = 0 - (a.high >> 63);
    return {.high = (a.high << 1 | a.low >> 63) ^ (leaves & 0xc200000000000000),
            .low = a.low << 1 ^ (leaves & 1)};
  }

  /// Replaces sum by what it and `count` blocks are after count multiplications by H.
  [[nodiscard]] Element hashed(const Element& sum, const std::uint8_t* blocks,
                               std::size_t count) const noexcept {
    const Power* powers = powers_.data() + (kMost - count);
    const uint64x2_t low = product<Part::low>(sum, blocks, powers, count);
    const uint64x2_t high = product<Part::high>(sum, blocks, powers, count);
    const uint64x2_t middle = veorq_u64(product<Part::sum>(sum, blocks, powers, count), veorq_u64(low, high));
    return reduced(veorq_u64(low, up(middle)), veorq_u64(high, down(middle)));
  }

  /// 64 bits further, and zeros.
  static uint64x2_t up(uint64x2_t a) noexcept { return vextq_u64(vdupq_n_u64(0), a, 1); }
  static uint64x2_t down(uint64x2_t a) noexcept { return vextq_u64(a, vdupq_n_u64(0), 1); }

  /// The two lower of four words are replaced by what they are modulo the polynomial, one after the other.
  static Element reduced(uint64x2_t low, uint64x2_t high) noexcept {
    low = veorq_u64(low, up(leaving(low)));
    high = veorq_u64(high, down(leaving(low)));
    const uint64x2_t shifted =
        veorq_u64(veorq_u64(vshrq_n_u64(low, 1), vshrq_n_u64(low, 2)), vshrq_n_u64(low, 7));
    high = veorq_u64(high, veorq_u64(low, shifted));
    return {.high = vgetq_lane_u64(high, 1), .low = vgetq_lane_u64(high, 0)};
  }
  static uint64x2_t leaving(uint64x2_t a) noexcept {
    return veorq_u64(veorq_u64(vshlq_n_u64(a, 63), vshlq_n_u64(a, 62)), vshlq_n_u64(a, 57));
  }

  template <Part kPart>
  static Half factor(const Element& sum) noexcept {
    if constexpr (kPart == Part::low) return vcreate_u8(sum.low);
    if constexpr (kPart == Part::high) return vcreate_u8(sum.high);
    return vcreate_u8(sum.low ^ sum.high);
  }
  template <Part kPart>
  static Half factor(const std::uint8_t* block) noexcept {
    if constexpr (kPart == Part::low) return vrev64_u8(vld1_u8(block + 8));
    if constexpr (kPart == Part::high) return vrev64_u8(vld1_u8(block));
    return vrev64_u8(veor_u8(vld1_u8(block), vld1_u8(block + 8)));
  }
  template <Part kPart>
  static Half factor(const Power& power) noexcept {
    return vcreate_u8(kPart == Part::low ? power.low : kPart == Part::high ? power.high : power.sum);
  }

  /// The sum of products of one part of the blocks and powers.
  template <Part kPart>
  [[gnu::noinline]] static uint64x2_t product(const Element& sum, const std::uint8_t* blocks,
                                              const Power* powers, std::size_t count) noexcept {
    Half a = veor_u8(factor<kPart>(blocks), factor<kPart>(sum));
    Half b = factor<kPart>(*powers);
    Block met[5] = {times(a, b), met_from<1>(a, b), met_from<2>(a, b), met_from<3>(a, b),
                    times(a, turned<4>(b))};
    while (--count > 0) {
      blocks += kBlockBytes;
      ++powers;
      a = factor<kPart>(blocks);
      b = factor<kPart>(*powers);
      met[0] = veorq_u8(met[0], times(a, b));
      met[1] = veorq_u8(met[1], met_from<1>(a, b));
      met[2] = veorq_u8(met[2], met_from<2>(a, b));
      met[3] = veorq_u8(met[3], met_from<3>(a, b));
      met[4] = veorq_u8(met[4], times(a, turned<4>(b)));
    }
    Block product = met[0];
    CIPHERMARK_UNROLL
    for (std::size_t n = 1; n < 5; ++n) {
      product = veorq_u8(product, at(kPlaces[n - 1].before_turning, met[n]));
      product = veorq_u8(product, at(kPlaces[n - 1].turned, met[n]));
    }
    return vreinterpretq_u64_u8(product);
  }

  static Block times(Half a, Half b) noexcept {
    return vreinterpretq_u8_p16(vmull_p8(vreinterpret_p8_u8(a), vreinterpret_p8_u8(b)));
  }
  template <int kBytes>
  static Half turned(Half a) noexcept {
    return vext_u8(a, a, kBytes);
  }
  template <int kBytes>
  static Block met_from(Half a, Half b) noexcept {
    return veorq_u8(times(a, turned<kBytes>(b)), times(turned<kBytes>(a), b));
  }

  /// Of 16 bytes, those that move up by n, and those that move down by 8 - n; 0xff: none.
  struct Places {
    std::array<std::uint8_t, kBlockBytes> before_turning;
    std::array<std::uint8_t, kBlockBytes> turned;
  };
  static consteval std::array<Places, 4> places() noexcept {
    std::array<Places, 4> all{};
    for (std::size_t n = 1; n < 5; ++n) {
      all[n - 1].before_turning.fill(0xff);
      all[n - 1].turned.fill(0xff);
      for (std::size_t from = 0; from < kBlockBytes; ++from) {
        const auto index = static_cast<std::uint8_t>(from);
        if (from < 16 - 2 * n) all[n - 1].before_turning[from + n] = index;
        if (from >= 16 - 2 * n) all[n - 1].turned[from + n - 8] = index;
      }
    }
    return all;
  }
  static const std::array<Places, 4> kPlaces;

  static Block at(const std::array<std::uint8_t, kBlockBytes>& places, Block from) noexcept {
    return simd::looked_up(from, vld1q_u8(places.data()));
  }

  std::array<Power, kMost> powers_;
};

inline constexpr std::array<NeonHash::Places, 4> NeonHash::kPlaces = NeonHash::places();

}  // namespace gcm
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
