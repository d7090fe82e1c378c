#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ciphermark/bytes.h"
#include "simd/target.h"
#include "words/bitwise.h"

/// Words of 16, 24, 32, 48 or 64 bits, the state of Simon and Speck, one in a scalar or many in a vector. A
/// word is in the low bits of the smallest lane that holds it. Vectors are the compiler's own (GCC and
/// Clang), so that one source serves SSE, AVX, AVX-512 and NEON; compiled again for each unit
/// (simd/target.h).
namespace ciphermark::words {
inline namespace CIPHERMARK_UNIT {

template <std::size_t kWordBits>
using LaneOf = std::conditional_t<kWordBits <= 16, std::uint16_t,
                                  std::conditional_t<kWordBits <= 32, std::uint32_t, std::uint64_t>>;

template <std::size_t kWordBits>
inline constexpr std::size_t kLaneBits = 8 * sizeof(LaneOf<kWordBits>);

/// A vector of kVectorBytes, or the lane itself for 0.
template <std::size_t kWordBits, std::size_t kVectorBytes>
struct VectorOf {
  using Type [[gnu::vector_size(kVectorBytes)]] = LaneOf<kWordBits>;
};
template <std::size_t kWordBits>
struct VectorOf<kWordBits, 0> {
  using Type = LaneOf<kWordBits>;
};

template <std::size_t kVectorBytes>
struct ByteVectorOf {
  using Type [[gnu::vector_size(kVectorBytes)]] = std::uint8_t;
};

/// How many words V holds.
template <std::size_t kWordBits, typename V>
inline constexpr std::size_t kLanes = sizeof(V) / sizeof(LaneOf<kWordBits>);

/// Zeros the bits above the word, where the lane has any.
template <std::size_t kWordBits, typename V>
[[gnu::always_inline]] inline V reduced(V v) noexcept {
  using Lane = LaneOf<kWordBits>;
  if constexpr (kLaneBits<kWordBits> == kWordBits) {
    return v;
  } else {
    return static_cast<V>(v & static_cast<Lane>((Lane{1} << kWordBits) - 1));
  }
}

/// Takes byte kOrder(i) of each lane to its place i.
template <std::size_t kLaneBytes, auto kOrder, typename V, std::size_t... kPlaces>
[[gnu::always_inline]] inline V with_bytes_moved(V v, std::index_sequence<kPlaces...>) noexcept {
  using ByteVector = typename ByteVectorOf<sizeof(V)>::Type;
  const auto bytes = __builtin_bit_cast(ByteVector, v);
  return __builtin_bit_cast(
      V, __builtin_shufflevector(bytes, bytes,
                                 static_cast<int>(kPlaces / kLaneBytes * kLaneBytes +
                                                  kOrder(kPlaces % kLaneBytes, kLaneBytes))...));
}

template <std::size_t kBytes>
constexpr std::size_t rotated_place(std::size_t place, std::size_t lane_bytes) noexcept {
  return (place + lane_bytes - kBytes) % lane_bytes;
}
constexpr std::size_t swapped_place(std::size_t place, std::size_t lane_bytes) noexcept {
  return lane_bytes - 1 - place;
}

#if defined(CIPHERMARK_NEON)
/// A register of NEON.
template <typename V>
inline constexpr bool kNeonRegister = !std::is_integral_v<V> && sizeof(V) == 16;

/// (v << kBy) | (v >> (width of a lane - kBy)): the second shift inserts, which takes the place of the OR.
template <std::size_t kBits, std::size_t kBy, typename V>
[[gnu::always_inline]] inline V rotated_lanes(V v) noexcept {
  if constexpr (kBits == 64) {
    const auto lanes = __builtin_bit_cast(uint64x2_t, v);
    return __builtin_bit_cast(V, vsriq_n_u64(vshlq_n_u64(lanes, kBy), lanes, kBits - kBy));
  } else if constexpr (kBits == 32) {
    const auto lanes = __builtin_bit_cast(uint32x4_t, v);
    return __builtin_bit_cast(V, vsriq_n_u32(vshlq_n_u32(lanes, kBy), lanes, kBits - kBy));
  } else {
    const auto lanes = __builtin_bit_cast(uint16x8_t, v);
    return __builtin_bit_cast(V, vsriq_n_u16(vshlq_n_u16(lanes, kBy), lanes, kBits - kBy));
  }
}
#else
template <typename V>
inline constexpr bool kNeonRegister = false;
#endif

/// Shifts each lane. GCC 12 for 32-bit ARM takes lanes of 64 bits apart if NEON's own operation is not named.
template <std::size_t kBy, typename V>
[[gnu::always_inline]] inline V shifted_left(V v) noexcept {
#if defined(CIPHERMARK_NEON)
  if constexpr (kNeonRegister<V>) {
    if constexpr (sizeof(v[0]) == 8) {
      return __builtin_bit_cast(V, vshlq_n_u64(__builtin_bit_cast(uint64x2_t, v), kBy));
    }
  }
#endif
  return static_cast<V>(v << kBy);
}

template <std::size_t kBy, typename V>
[[gnu::always_inline]] inline V shifted_right(V v) noexcept {
#if defined(CIPHERMARK_NEON)
  if constexpr (kNeonRegister<V>) {
    if constexpr (sizeof(v[0]) == 8) {
      return __builtin_bit_cast(V, vshrq_n_u64(__builtin_bit_cast(uint64x2_t, v), kBy));
    }
  }
#endif
  return static_cast<V>(v >> kBy);
}

/// Whether rotations by whole bytes are one instruction. 32-bit ARM looks up half a register at a time.
#if defined(__arm__)
inline constexpr bool kShufflesBytes = false;
#else
inline constexpr bool kShufflesBytes = true;
#endif

/// Rotates each word to the left; bits above the word come out undefined (see reduced). kMovesBytes: by whole
/// bytes with a shuffle, if the processor has one for bytes.
template <std::size_t kWordBits, std::size_t kBy, bool kMovesBytes = kShufflesBytes, typename V>
[[gnu::always_inline]] inline V rotate_left(V v) noexcept {
  using Lane = LaneOf<kWordBits>;
  constexpr bool kVector = !std::is_same_v<V, Lane>;
  constexpr bool kFullLane = kLaneBits<kWordBits> == kWordBits;
  if constexpr (kMovesBytes && kVector && kFullLane && kBy % 8 == 0) {
    // One shuffle in place of two shifts and an OR; with AVX-512 it leaves the port of the rotations free.
    return with_bytes_moved<sizeof(Lane), rotated_place<kBy / 8>>(v, std::make_index_sequence<sizeof(V)>{});
  }
#if defined(__x86_64__)
  // Compilers do not turn two shifts and an OR of vectors into one rotation.
  if constexpr (sizeof(V) == 64 && kWordBits == 64) {
    return __builtin_bit_cast(V, _mm512_maskz_rol_epi64(0xff, __builtin_bit_cast(__m512i, v), kBy));
  } else if constexpr (sizeof(V) == 64 && kWordBits == 32) {
    return __builtin_bit_cast(V, _mm512_maskz_rol_epi32(0xffff, __builtin_bit_cast(__m512i, v), kBy));
  }
#endif
#if defined(CIPHERMARK_NEON)
  if constexpr (kNeonRegister<V> && kFullLane) {
    return rotated_lanes<kWordBits, kBy>(v);
  } else if constexpr (kNeonRegister<V>) {
    return static_cast<V>(shifted_left<kBy>(v) | shifted_right<kWordBits - kBy>(v));
  }
#endif
  constexpr auto kLeft = static_cast<Lane>(kBy);
  constexpr auto kRight = static_cast<Lane>(kWordBits - kBy);
  return static_cast<V>(static_cast<V>(v << kLeft) | static_cast<V>(v >> kRight));
}

template <std::size_t kWordBits, std::size_t kBy, typename V>
[[gnu::always_inline]] inline V rotate_right(V v) noexcept {
  return rotate_left<kWordBits, kWordBits - kBy>(v);
}

/// a ^ b ^ c. AVX-512 reads a c that is the same in all lanes from memory; the others sum a and c first,
/// while b may be late.
template <typename V>
[[gnu::always_inline]] inline V exclusive_or(V a, V b, V c) noexcept {
#if defined(__x86_64__)
  if constexpr (sizeof(V) == 64) {
    const auto x = __builtin_bit_cast(__m512i, a);
    const auto y = __builtin_bit_cast(__m512i, b);
    const auto z = __builtin_bit_cast(__m512i, c);
    if constexpr (requires { requires sizeof(c[0]) == 4; }) {
      return __builtin_bit_cast(V, _mm512_ternarylogic_epi32(x, y, z, 0x96));
    }
    return __builtin_bit_cast(V, _mm512_ternarylogic_epi64(x, y, z, 0x96));
  }
#endif
  return static_cast<V>((a ^ c) ^ b);
}

/// (a & b) ^ c
template <typename V>
[[gnu::always_inline]] inline V and_exclusive_or(V a, V b, V c) noexcept {
#if defined(__x86_64__)
  if constexpr (sizeof(V) == 64) {
    // The instruction overwrites its first operand, and the sum is what nothing else needs.
    return __builtin_bit_cast(
        V, _mm512_ternarylogic_epi64(__builtin_bit_cast(__m512i, c), __builtin_bit_cast(__m512i, a),
                                     __builtin_bit_cast(__m512i, b), 0x78));
  }
#endif
  return static_cast<V>((a & b) ^ c);
}

/// Bits of a where the mask has ones, else those of b.
template <typename V>
[[gnu::always_inline]] inline V chosen(V mask, V a, V b) noexcept {
#if defined(__x86_64__)
  if constexpr (sizeof(V) == 64) {
    return __builtin_bit_cast(
        V, _mm512_ternarylogic_epi64(__builtin_bit_cast(__m512i, mask), __builtin_bit_cast(__m512i, a),
                                     __builtin_bit_cast(__m512i, b), 0xca));
  }
#endif
  return static_cast<V>((a & mask) | (b & ~mask));
}

/// Reverses the bytes of each word.
template <std::size_t kWordBits, typename V>
[[gnu::always_inline]] inline V with_bytes_reversed(V v) noexcept {
  using Lane = LaneOf<kWordBits>;
  constexpr std::size_t kUnused = kLaneBits<kWordBits> - kWordBits;
  if constexpr (std::is_same_v<V, Lane>) {
    return static_cast<V>(byte_swap(v) >> kUnused);
  } else {
    const V reversed =
        with_bytes_moved<sizeof(Lane), swapped_place>(v, std::make_index_sequence<sizeof(V)>{});
    if constexpr (kUnused == 0) {
      return reversed;
    } else {
      return shifted_right<kUnused>(reversed);
    }
  }
}

/// One word, lowest byte first.
template <std::size_t kWordBits>
[[gnu::always_inline]] inline LaneOf<kWordBits> load_word(const std::uint8_t* from) noexcept {
  using Lane = LaneOf<kWordBits>;
  if constexpr (kWordBits == 24) {
    return static_cast<Lane>(load_le<std::uint16_t>(from) | (Lane{from[2]} << 16));
  } else if constexpr (kWordBits == 48) {
    return load_le<std::uint32_t>(from) | (Lane{load_le<std::uint16_t>(from + 4)} << 32);
  } else {
    return load_le<Lane>(from);
  }
}

template <std::size_t kWordBits>
[[gnu::always_inline]] inline void store_word(std::uint8_t* to, LaneOf<kWordBits> word) noexcept {
  if constexpr (kWordBits == 24) {
    store_le(to, static_cast<std::uint16_t>(word));
    to[2] = static_cast<std::uint8_t>(word >> 16);
  } else if constexpr (kWordBits == 48) {
    store_le(to, static_cast<std::uint32_t>(word));
    store_le(to + 4, static_cast<std::uint16_t>(word >> 32));
  } else {
    store_le(to, word);
  }
}

/// Whether blocks of two words can be read as whole vectors.
template <std::size_t kWordBits, typename V>
inline constexpr bool kWholeVectors =
    !std::is_same_v<V, LaneOf<kWordBits>> && kLaneBits<kWordBits> == kWordBits &&
    std::endian::native == std::endian::little;

template <typename V, std::size_t... kPlaces>
[[gnu::always_inline]] inline void separate(V a, V b, V& even, V& odd,
                                            std::index_sequence<kPlaces...>) noexcept {
  even = __builtin_shufflevector(a, b, static_cast<int>(2 * kPlaces)...);
  odd = __builtin_shufflevector(a, b, static_cast<int>(2 * kPlaces + 1)...);
}

template <typename V, std::size_t... kPlaces>
[[gnu::always_inline]] inline void interleave(V even, V odd, V& a, V& b,
                                              std::index_sequence<kPlaces...>) noexcept {
  constexpr std::size_t kHalf = sizeof...(kPlaces) / 2;
  constexpr std::size_t kOdd = sizeof...(kPlaces);
  a = __builtin_shufflevector(even, odd, static_cast<int>(kPlaces / 2 + kPlaces % 2 * kOdd)...);
  b = __builtin_shufflevector(even, odd, static_cast<int>(kHalf + kPlaces / 2 + kPlaces % 2 * kOdd)...);
}

template <typename V>
[[gnu::always_inline]] inline V load_vector(const std::uint8_t* from) noexcept {
  V v;
  std::memcpy(&v, from, sizeof(V));
  return v;
}

/// As many vectors as each has lanes: lane i of vector j becomes lane j of vector i. A pass turns the places,
/// as numbers of a vector and a lane, by one bit.
template <typename V, std::size_t kCount>
[[gnu::always_inline]] inline void transpose(V (&rows)[kCount]) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t turned = 1; turned < kCount; turned *= 2) {
    V next[kCount];
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount / 2; ++i) {
      separate(rows[2 * i], rows[2 * i + 1], next[i], next[kCount / 2 + i],
               std::make_index_sequence<kCount>{});
    }
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) rows[i] = next[i];
  }
}

/// Reads as many blocks as V has lanes: the first word of each block to low, the second to high.
template <std::size_t kWordBits, typename V>
[[gnu::always_inline]] inline void load_blocks(const std::uint8_t* from, V& low, V& high) noexcept {
  constexpr std::size_t kCount = kLanes<kWordBits, V>;
  constexpr std::size_t kWordBytes = kWordBits / 8;
  if constexpr (kWholeVectors<kWordBits, V>) {
    separate(load_vector<V>(from), load_vector<V>(from + sizeof(V)), low, high,
             std::make_index_sequence<kCount>{});
  } else {
    LaneOf<kWordBits> words[2][kCount];
    for (std::size_t i = 0; i < kCount; ++i) {
      words[0][i] = load_word<kWordBits>(from + 2 * i * kWordBytes);
      words[1][i] = load_word<kWordBits>(from + (2 * i + 1) * kWordBytes);
    }
    std::memcpy(&low, words[0], sizeof(V));
    std::memcpy(&high, words[1], sizeof(V));
  }
}

template <std::size_t kWordBits, typename V>
[[gnu::always_inline]] inline void store_blocks(std::uint8_t* to, V low, V high) noexcept {
  constexpr std::size_t kCount = kLanes<kWordBits, V>;
  constexpr std::size_t kWordBytes = kWordBits / 8;
  if constexpr (kWholeVectors<kWordBits, V>) {
    V a;
    V b;
    interleave(low, high, a, b, std::make_index_sequence<kCount>{});
    std::memcpy(to, &a, sizeof(V));
    std::memcpy(to + sizeof(V), &b, sizeof(V));
  } else {
    LaneOf<kWordBits> words[2][kCount];
    std::memcpy(words[0], &low, sizeof(V));
    std::memcpy(words[1], &high, sizeof(V));
    for (std::size_t i = 0; i < kCount; ++i) {
      store_word<kWordBits>(to + 2 * i * kWordBytes, words[0][i]);
      store_word<kWordBits>(to + (2 * i + 1) * kWordBytes, words[1][i]);
    }
  }
}

/// Stores the blocks XORed onto those at `in`, which may be `to`.
template <std::size_t kWordBits, typename V>
[[gnu::always_inline]] inline void store_blocks_onto(std::uint8_t* to, const std::uint8_t* in, V low,
                                                     V high) noexcept {
  constexpr std::size_t kCount = kLanes<kWordBits, V>;
  if constexpr (kWholeVectors<kWordBits, V>) {
    V a;
    V b;
    interleave(low, high, a, b, std::make_index_sequence<kCount>{});
    a ^= load_vector<V>(in);
    b ^= load_vector<V>(in + sizeof(V));
    std::memcpy(to, &a, sizeof(V));
    std::memcpy(to + sizeof(V), &b, sizeof(V));
  } else if constexpr (kCount == 1) {
    V in_low;
    V in_high;
    load_blocks<kWordBits>(in, in_low, in_high);
    store_blocks<kWordBits>(to, static_cast<V>(low ^ in_low), static_cast<V>(high ^ in_high));
  } else {
    std::uint8_t keystream[kCount * kWordBits / 4];
    store_blocks<kWordBits>(keystream, low, high);
    xor_bytes(to, in, keystream, sizeof(keystream));
  }
}

/// The first half of the blocks of whole vectors, XORed onto those at `in`.
template <std::size_t kWordBits, typename V>
[[gnu::always_inline]] inline void store_half_onto(std::uint8_t* to, const std::uint8_t* in, V low,
                                                   V high) noexcept {
  V first;
  V second;
  interleave(low, high, first, second, std::make_index_sequence<kLanes<kWordBits, V>>{});
  first ^= load_vector<V>(in);
  std::memcpy(to, &first, sizeof(V));
}

/// The numbers 0, 1, 2, … in the lanes.
template <std::size_t kWordBits, typename V>
[[gnu::always_inline]] inline V lane_numbers() noexcept {
  LaneOf<kWordBits> numbers[kLanes<kWordBits, V>];
  for (std::size_t i = 0; i < kLanes<kWordBits, V>; ++i) numbers[i] = static_cast<LaneOf<kWordBits>>(i);
  V v;
  std::memcpy(&v, numbers, sizeof(V));
  return v;
}

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::words
