#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphermark/bytes.h"
#include "simd/target.h"

namespace ciphermark::sponge {
inline namespace CIPHERMARK_UNIT {

/// The bytes of a state of kRows rows of Row::kBytes bytes, as a duplex (duplex.h) sees them that opens the
/// first kRate bytes and pads with a byte 1, before byte kPadded. What derives from it has permute, which is
/// the cipher's.
template <typename Row, std::size_t kRows, std::size_t kRate, std::size_t kPadded = (kRows * Row::kBytes)>
struct Rows {
  static constexpr std::size_t kRateBytes = kRate;
  static constexpr std::size_t kRowBytes = Row::kBytes;
  static constexpr std::size_t kStateBytes = kRows * kRowBytes;
  static_assert(kRate % 4 == 0 && kRate < kStateBytes && kPadded % kRowBytes == 0 && kPadded <= kStateBytes);

  std::array<Row, kRows> row;

  template <typename In>
  void add(In block) noexcept {
    add_bytes<kRate>(block);
  }
  /// For phases with another rate.
  template <std::size_t kBytes, typename In>
  void add_bytes(In block) noexcept {
    constexpr std::size_t kWhole = kBytes / kRowBytes;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kWhole; ++i) row[i] = row[i] ^ Row::load(block + kRowBytes * i);
    if constexpr (kBytes % kRowBytes > 0) {
      constexpr std::size_t kWords = kBytes % kRowBytes / 4;
      row[kWhole] = row[kWhole] ^ Row::template load<kWords>(block + kRowBytes * kWhole);
    }
  }
  template <typename Out>
  void extract(Out out) const noexcept {
    extract_bytes<kRate>(out);
  }
  template <std::size_t kBytes, typename Out>
  void extract_bytes(Out out) const noexcept {
    constexpr std::size_t kWhole = kBytes / kRowBytes;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kWhole; ++i) row[i].store(out + kRowBytes * i);
    if constexpr (kBytes % kRowBytes > 0) {
      row[kWhole].template store<kBytes % kRowBytes / 4>(out + kRowBytes * kWhole);
    }
  }
  /// Ciphertext takes the place of the rate; out becomes the plaintext.
  template <typename In, typename Out>
  void replace(In in, Out out) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kWholeRows; ++i) {
      const Row ciphertext = Row::load(in + kRowBytes * i);
      (row[i] ^ ciphertext).store(out + kRowBytes * i);
      row[i] = ciphertext;
    }
    if constexpr (kWordsBehind > 0) {
      Row& last = row[kWholeRows];
      const Row ciphertext = Row::template load<kWordsBehind>(in + kRowBytes * kWholeRows);
      (last ^ ciphertext).template store<kWordsBehind>(out + kRowBytes * kWholeRows);
      last = Row::template joined<kWordsBehind>(ciphertext, last);
    }
  }
  /// Positions are public. A window over zeros around a one, instead of an index into the state, leaves the
  /// rows in registers; an index is smaller.
  void add_padding(std::size_t position) noexcept {
    if constexpr (kForSize) {
      std::array<std::uint8_t, kRowBytes> one{};
      one[position % kRowBytes] = 1;
      Row& padded = row[position / kRowBytes];
      padded = padded ^ Row::load(one.data());
    } else {
      const std::uint8_t* window = kOne.data() + (kPadded - 1 - position);
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kPadded / kRowBytes; ++i)
        row[i] = row[i] ^ Row::load(window + kRowBytes * i);
    }
  }
  /// Exclusive or of the last byte of the state, where ciphers separate their phases.
  void add_to_last_byte(std::uint8_t value) noexcept {
    row[kRows - 1] = row[kRows - 1] ^ Row::of(0, 0, 0, std::uint32_t{value} << 24);
  }

 private:
  static constexpr std::size_t kWholeRows = kRate / kRowBytes;
  static constexpr std::size_t kWordsBehind = kRate % kRowBytes / 4;
  static constexpr std::array<std::uint8_t, 2 * kPadded - 1> kOne = [] {
    std::array<std::uint8_t, 2 * kPadded - 1> bytes{};
    bytes[kPadded - 1] = 1;
    return bytes;
  }();
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::sponge
