#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ciphermark/bytes.h"
#include "simd/target.h"
#include "simd/unroll.h"
#include "words/lanes.h"

/// Several messages in the lanes of vectors: a template of a cipher over a word and over pointers processes
/// one message with machine words, and a batch with these, by the same code. Compiled again for each unit
/// (simd/target.h).
namespace ciphermark::words {
inline namespace CIPHERMARK_UNIT {

/// A word of each message, that of message i in lane i.
template <typename LaneWord, std::size_t kVectorBytes>
struct MessageWord {
  using Lane = LaneWord;
  using Vector = typename VectorOf<8 * sizeof(Lane), kVectorBytes>::Type;
  static constexpr std::size_t kMessages = kVectorBytes / sizeof(Lane);

  MessageWord() noexcept = default;
  // Implicit: what an operation of vectors gives is such a word, and a number that all messages share is one.
  MessageWord(Vector vector) noexcept : v(vector) {}
  MessageWord(Lane everywhere) noexcept : v(Vector{} + everywhere) {}

  Vector v;
};

template <typename Word>
inline constexpr bool kIsMessageWord = false;
template <typename Lane, std::size_t kVectorBytes>
inline constexpr bool kIsMessageWord<MessageWord<Lane, kVectorBytes>> = true;

// Outside the class, because GCC 12 gives friends that are defined inside one no target.

template <typename Lane, std::size_t kBytes>
[[nodiscard]] inline MessageWord<Lane, kBytes> operator^(MessageWord<Lane, kBytes> a,
                                                         MessageWord<Lane, kBytes> b) noexcept {
  return a.v ^ b.v;
}
template <typename Lane, std::size_t kBytes>
[[nodiscard]] inline MessageWord<Lane, kBytes> operator&(MessageWord<Lane, kBytes> a,
                                                         MessageWord<Lane, kBytes> b) noexcept {
  return a.v & b.v;
}
template <typename Lane, std::size_t kBytes>
[[nodiscard]] inline MessageWord<Lane, kBytes> operator|(MessageWord<Lane, kBytes> a,
                                                         MessageWord<Lane, kBytes> b) noexcept {
  return a.v | b.v;
}
template <typename Lane, std::size_t kBytes>
[[nodiscard]] inline MessageWord<Lane, kBytes> operator~(MessageWord<Lane, kBytes> a) noexcept {
  return ~a.v;
}
template <typename Lane, std::size_t kBytes>
[[nodiscard]] inline MessageWord<Lane, kBytes> and_not(MessageWord<Lane, kBytes> a,
                                                       MessageWord<Lane, kBytes> b) noexcept {
  return ~a.v & b.v;
}
template <int kBits, typename Lane, std::size_t kBytes>
[[nodiscard]] inline MessageWord<Lane, kBytes> rotate_left(MessageWord<Lane, kBytes> a) noexcept {
  // SSE2 and AVX-512F have no shuffle of bytes, but AVX-512F rotates.
  return words::rotate_left<8 * sizeof(Lane), kBits, kBytes == 32>(a.v);
}
template <int kBits, typename Lane, std::size_t kBytes>
[[nodiscard]] inline MessageWord<Lane, kBytes> rotate_right(MessageWord<Lane, kBytes> a) noexcept {
  return rotate_left<8 * sizeof(Lane) - kBits>(a);
}
template <int kBits, typename Lane, std::size_t kBytes>
[[nodiscard]] inline MessageWord<Lane, kBytes> shift_left(MessageWord<Lane, kBytes> a) noexcept {
  return a.v << kBits;
}
template <int kBits, typename Lane, std::size_t kBytes>
[[nodiscard]] inline MessageWord<Lane, kBytes> shift_right(MessageWord<Lane, kBytes> a) noexcept {
  return a.v >> kBits;
}
template <typename Lane, std::size_t kBytes>
inline void add_constant(MessageWord<Lane, kBytes>& word, std::type_identity_t<Lane> constant) noexcept {
  word = word ^ MessageWord<Lane, kBytes>(constant);
}

/// Bits of a where the mask, which everybody knows, has ones, else those of b.
template <typename Lane, std::size_t kBytes>
[[nodiscard]] inline MessageWord<Lane, kBytes> choose(std::type_identity_t<Lane> mask,
                                                      MessageWord<Lane, kBytes> a,
                                                      MessageWord<Lane, kBytes> b) noexcept {
  return words::chosen(MessageWord<Lane, kBytes>(mask).v, a.v, b.v);
}
/// The ones of a, and those of b where the mask has ones, which are none of a.
template <typename Lane, std::size_t kBytes>
[[nodiscard]] inline MessageWord<Lane, kBytes> join(MessageWord<Lane, kBytes> a,
                                                    std::type_identity_t<Lane> mask,
                                                    MessageWord<Lane, kBytes> b) noexcept {
  return words::and_exclusive_or(b.v, MessageWord<Lane, kBytes>(mask).v, a.v);
}

/// A pointer to the same byte of each of kCount messages. Offsets are those of the messages; several messages
/// with one offset are one message that is processed several times, in places that a batch leaves empty.
template <typename Byte, std::size_t kCount>
struct MessageBytes {
  Byte* first;
  const std::size_t* offsets;

  [[nodiscard, gnu::always_inline]] Byte* of(std::size_t message) const noexcept {
    return first + offsets[message];
  }
  MessageBytes& operator+=(std::size_t bytes) noexcept {
    first += bytes;
    return *this;
  }
  // Implicit, as for other pointers.
  operator MessageBytes<const Byte, kCount>() const noexcept { return {first, offsets}; }
};

template <typename Byte, std::size_t kCount>
[[nodiscard]] inline MessageBytes<Byte, kCount> operator+(MessageBytes<Byte, kCount> from,
                                                          std::size_t bytes) noexcept {
  return from += bytes;
}

/// Associated data of each message.
template <std::size_t kCount>
struct MessageData {
  MessageBytes<const std::uint8_t, kCount> first;
  std::size_t bytes;

  [[nodiscard]] MessageBytes<const std::uint8_t, kCount> data() const noexcept { return first; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes; }
  [[nodiscard]] bool empty() const noexcept { return bytes == 0; }
};

// Next to those of one message.
using ciphermark::load_be;
using ciphermark::load_le;
using ciphermark::store_be;
using ciphermark::store_le;
using ciphermark::xor_bytes;

/// The word with these lanes.
template <typename Lane, std::size_t kCount>
[[nodiscard, gnu::always_inline]] inline MessageWord<Lane, kCount * sizeof(Lane)> of_lanes(
    const Lane (&lanes)[kCount]) noexcept {
  MessageWord<Lane, kCount * sizeof(Lane)> word;
  std::memcpy(&word.v, lanes, sizeof(word.v));
  return word;
}

// What returns a word of messages is always inline: GCC 12 zeros all but the lowest 128 bits of the register
// in which a function of its own returns it (vzeroupper).

/// A word of each message, by the name of its lane, as a template names a word of one message.
template <std::unsigned_integral Lane, typename Byte, std::size_t kCount>
[[nodiscard, gnu::always_inline]] inline MessageWord<Lane, kCount * sizeof(Lane)> load_le(
    MessageBytes<Byte, kCount> from) noexcept {
  Lane lanes[kCount];
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kCount; ++i) lanes[i] = load_le<Lane>(from.of(i));
  return of_lanes(lanes);
}

/// The same by the word's own name; from a plain pointer it is one word for all messages.
template <typename Word, typename From>
requires kIsMessageWord<Word>
[[nodiscard]] inline Word load_le(From from) noexcept { return load_le<typename Word::Lane>(from); }

template <typename Lane, std::size_t kBytes>
inline void store_le(MessageBytes<std::uint8_t, kBytes / sizeof(Lane)> to,
                     MessageWord<Lane, kBytes> word) noexcept {
  Lane lanes[kBytes / sizeof(Lane)];
  std::memcpy(lanes, &word.v, sizeof(lanes));
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kBytes / sizeof(Lane); ++i) store_le(to.of(i), lanes[i]);
}

template <std::unsigned_integral Lane, typename Byte, std::size_t kCount>
[[nodiscard, gnu::always_inline]] inline MessageWord<Lane, kCount * sizeof(Lane)> load_be(
    MessageBytes<Byte, kCount> from) noexcept {
  Lane lanes[kCount];
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kCount; ++i) lanes[i] = load_be<Lane>(from.of(i));
  return of_lanes(lanes);
}

template <typename Lane, std::size_t kBytes>
inline void store_be(MessageBytes<std::uint8_t, kBytes / sizeof(Lane)> to,
                     MessageWord<Lane, kBytes> word) noexcept {
  Lane lanes[kBytes / sizeof(Lane)];
  std::memcpy(lanes, &word.v, sizeof(lanes));
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kBytes / sizeof(Lane); ++i) store_be(to.of(i), lanes[i]);
}

// What templates do with bytes, of one message and of several.

/// The first bytes of a word, and zeros.
template <std::unsigned_integral Lane>
[[nodiscard]] inline Lane load_part(const std::uint8_t* from, std::size_t bytes) noexcept {
  if (bytes >= sizeof(Lane)) return load_le<Lane>(from);
  Lane word = 0;
  for (std::size_t i = 0; i < bytes; ++i) word |= static_cast<Lane>(from[i]) << (8 * i);
  return word;
}
template <std::unsigned_integral Lane>
inline void store_part(std::uint8_t* to, Lane word, std::size_t bytes) noexcept {
  if (bytes >= sizeof(Lane)) return store_le(to, word);
  for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(word >> (8 * i));
}

template <std::unsigned_integral Lane, typename Byte, std::size_t kCount>
[[nodiscard, gnu::always_inline]] inline MessageWord<Lane, kCount * sizeof(Lane)> load_part(
    MessageBytes<Byte, kCount> from, std::size_t bytes) noexcept {
  if (bytes >= sizeof(Lane)) return load_le<Lane>(from);
  Lane lanes[kCount];
  for (std::size_t i = 0; i < kCount; ++i) lanes[i] = words::load_part<Lane>(from.of(i), bytes);
  return of_lanes(lanes);
}
template <typename Lane, std::size_t kBytes>
inline void store_part(MessageBytes<std::uint8_t, kBytes / sizeof(Lane)> to, MessageWord<Lane, kBytes> word,
                       std::size_t bytes) noexcept {
  if (bytes >= sizeof(Lane)) return store_le(to, word);
  Lane lanes[kBytes / sizeof(Lane)];
  std::memcpy(lanes, &word.v, sizeof(lanes));
  for (std::size_t i = 0; i < kBytes / sizeof(Lane); ++i) words::store_part(to.of(i), lanes[i], bytes);
}

inline void copy_bytes(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) noexcept {
  std::memcpy(to, from, bytes);
}
inline void clear_bytes(std::uint8_t* to, std::size_t bytes) noexcept { std::memset(to, 0, bytes); }
inline void set_byte(std::uint8_t* to, std::uint8_t value) noexcept { *to = value; }

template <typename Byte, std::size_t kCount>
inline void copy_bytes(MessageBytes<std::uint8_t, kCount> to, MessageBytes<Byte, kCount> from,
                       std::size_t bytes) noexcept {
  if (bytes == 0) return;  // the pointers may be null
  for (std::size_t i = 0; i < kCount; ++i) std::memcpy(to.of(i), from.of(i), bytes);
}
template <std::size_t kCount>
inline void clear_bytes(MessageBytes<std::uint8_t, kCount> to, std::size_t bytes) noexcept {
  for (std::size_t i = 0; i < kCount; ++i) std::memset(to.of(i), 0, bytes);
}
template <std::size_t kCount>
inline void set_byte(MessageBytes<std::uint8_t, kCount> to, std::uint8_t value) noexcept {
  for (std::size_t i = 0; i < kCount; ++i) *to.of(i) = value;
}
template <typename Byte, std::size_t kCount>
inline void xor_bytes(MessageBytes<std::uint8_t, kCount> out, MessageBytes<std::uint8_t, kCount> a,
                      MessageBytes<Byte, kCount> b, std::size_t bytes) noexcept {
  for (std::size_t i = 0; i < kCount; ++i) xor_bytes(out.of(i), a.of(i), b.of(i), bytes);
}

/// kBytes bytes of what an In points to, first zeros or some bytes and zeros; wiped at the end.
template <typename In, std::size_t kBytes>
class Scratch {
 public:
  Scratch() noexcept = default;
  Scratch(In from, std::size_t bytes) noexcept {
    if (bytes > 0) copy_bytes(data(), from, bytes);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { wipe(bytes_.data(), bytes_.size()); }

  [[nodiscard]] std::uint8_t* data() noexcept { return bytes_.data(); }
  [[nodiscard]] const std::uint8_t* data() const noexcept { return bytes_.data(); }
  [[nodiscard]] bool equals(const std::uint8_t* expected) const noexcept {
    return constant_time_equal(bytes_.data(), expected, kBytes);
  }

 private:
  std::array<std::uint8_t, kBytes> bytes_{};
};

template <typename Byte, std::size_t kCount, std::size_t kBytes>
class Scratch<MessageBytes<Byte, kCount>, kBytes> {
 public:
  Scratch() noexcept = default;
  Scratch(MessageBytes<Byte, kCount> from, std::size_t bytes) noexcept { copy_bytes(data(), from, bytes); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { wipe(bytes_.data(), bytes_.size()); }

  [[nodiscard]] MessageBytes<std::uint8_t, kCount> data() noexcept {
    return {bytes_.data(), kOffsets.data()};
  }
  [[nodiscard]] MessageBytes<const std::uint8_t, kCount> data() const noexcept {
    return {bytes_.data(), kOffsets.data()};
  }
  [[nodiscard]] std::array<bool, kCount> equals(
      MessageBytes<const std::uint8_t, kCount> expected) const noexcept {
    std::array<bool, kCount> equal{};
    for (std::size_t i = 0; i < kCount; ++i) {
      equal[i] = constant_time_equal(bytes_.data() + kOffsets[i], expected.of(i), kBytes);
    }
    return equal;
  }

 private:
  static constexpr std::array<std::size_t, kCount> offsets() noexcept {
    std::array<std::size_t, kCount> made{};
    for (std::size_t i = 0; i < kCount; ++i) made[i] = i * kBytes;
    return made;
  }
  static constexpr std::array<std::size_t, kCount> kOffsets = offsets();

  std::array<std::uint8_t, kCount * kBytes> bytes_{};
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::words
