#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ciphermark/bytes.h"
#include "simd/unroll.h"
#include "words/lanes.h"
#include "words/word_cipher.h"

/// Simon on eight vectors whose bits have changed places: slice b has bit b of each byte of all of them. Then
/// a rotation by 1 or 2 is the slice before, and the one by 8, a shuffle, gives what comes across bytes: 3
/// operations a vector and round in place of 5.
namespace ciphermark::words {
inline namespace CIPHERMARK_UNIT {

/// Round keys of which each bit fills the byte that it meets.
template <std::size_t kWordBits, typename V, std::size_t kMostRounds>
class SlicedKeys {
  using Lane = LaneOf<kWordBits>;
  using ByteVector = typename ByteVectorOf<sizeof(V)>::Type;
  static constexpr std::size_t kLanesOfV = kLanes<kWordBits, V>;
  static constexpr std::size_t kPlaces = (kMostRounds + kLanesOfV - 1) / kLanesOfV * kLanesOfV;

 public:
  explicit SlicedKeys(RoundKeys<Lane> keys) noexcept : round_keys_(keys) {
    std::array<Lane, kPlaces> padded{};
    const Wiped guard(padded);
    std::memcpy(padded.data(), keys.begin(), keys.size() * sizeof(Lane));
    for (std::size_t at = 0; at < kPlaces; at += kLanesOfV) {
      ByteVector bytes;
      std::memcpy(&bytes, padded.data() + at, sizeof(V));
      CIPHERMARK_UNROLL
      for (std::size_t slice = 0; slice < kSlices; ++slice) {
        const auto filled = (bytes & static_cast<std::uint8_t>(1U << slice)) != 0;
        std::memcpy(lanes_[slice].data() + at, &filled, sizeof(V));
      }
    }
  }

  [[nodiscard]] RoundKeys<Lane> round_keys() const noexcept { return round_keys_; }
  [[nodiscard]] Lane lane(std::size_t slice, std::size_t round) const noexcept {
    return lanes_[slice][round];
  }

 private:
  alignas(V) std::array<std::array<Lane, kPlaces>, kSlices> lanes_;
  RoundKeys<Lane> round_keys_;
};

/// Changes bit b of vector v for bit v of vector b in each byte; twice changes nothing.
template <typename V>
[[gnu::always_inline]] inline void change_places(V (&vectors)[kSlices]) noexcept {
  using Lane = std::remove_cvref_t<decltype(vectors[0][0])>;
  constexpr Lane kMasks[] = {static_cast<Lane>(0x5555555555555555), static_cast<Lane>(0x3333333333333333),
                             static_cast<Lane>(0x0f0f0f0f0f0f0f0f)};
  CIPHERMARK_UNROLL
  for (std::size_t stage = 0; stage < 3; ++stage) {
    const auto by = static_cast<Lane>(1U << stage);
    const V mask = V{} + kMasks[stage];
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kSlices; ++i) {
      if ((i & by) != 0) continue;
      const V a = vectors[i];
      const V b = vectors[i + by];
      vectors[i] = chosen(mask, a, static_cast<V>(b << by));
      vectors[i + by] = chosen(mask, static_cast<V>(a >> by), b);
    }
  }
}

/// The round of SimonRounds without the exchange.
template <std::size_t kWordBits, typename V, typename Keys>
[[gnu::always_inline]] inline void half_round_of_slices(V (&target)[kSlices], const V (&source)[kSlices],
                                                        const Keys& keys, std::size_t round) noexcept {
  V moved[kSlices];
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kSlices; ++i) moved[i] = rotate_left<kWordBits, 8>(source[i]);
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kSlices; ++i) {
    const V by_one = i >= 1 ? source[(i + 7) % 8] : moved[7];
    const V by_two = i >= 2 ? source[(i + 6) % 8] : moved[(i + 6) % 8];
    const V sum = exclusive_or(target[i], static_cast<V>(V{} + keys.lane(i, round)), by_two);
    target[i] = and_exclusive_or(by_one, moved[i], sum);
  }
}

template <std::size_t kWordBits, typename V, typename Keys>
[[gnu::always_inline]] inline void encrypt_slices(V (&low)[kSlices], V (&high)[kSlices],
                                                  const Keys& keys) noexcept {
  change_places(low);
  change_places(high);
  const std::size_t rounds = keys.round_keys().size();
  std::size_t round = 0;
  for (; round + 2 <= rounds; round += 2) {
    half_round_of_slices<kWordBits>(low, high, keys, round);
    half_round_of_slices<kWordBits>(high, low, keys, round + 1);
  }
  if (round < rounds) {
    half_round_of_slices<kWordBits>(low, high, keys, round);
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kSlices; ++i) {
      const V before = low[i];
      low[i] = high[i];
      high[i] = before;
    }
  }
  change_places(low);
  change_places(high);
}

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::words
