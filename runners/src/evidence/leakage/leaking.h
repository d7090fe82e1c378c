#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "evidence/leakage/recorder.h"
#include "masked/word.h"
#include "simd/target.h"
#include "words/bitwise.h"

/// A word whose operations emit what they leak (recorder.h). Masked ciphers take it in place of a word: the
/// same sources, another type.
namespace ciphermark::evidence {
inline namespace CIPHERMARK_UNIT {

namespace detail {
template <typename Word>
struct WithConstant {};
template <typename Word>
requires requires { typename Word::Constant; }
struct WithConstant<Word> {
  using Constant = typename Word::Constant;
};
template <typename Word>
struct WithConstants {};
template <typename Word>
requires requires { typename Word::Constants; }
struct WithConstants<Word> {
  using Constants = typename Word::Constants;
};
template <typename Word>
struct WithTraits {};
template <typename Word>
requires requires { typename Word::Traits; }
struct WithTraits<Word> {
  using Traits = typename Word::Traits;
};
}  // namespace detail

/// kLanes words that have the same value but different shares.
template <typename Word>
class Leaking : public detail::WithConstant<Word>,
                public detail::WithConstants<Word>,
                public detail::WithTraits<Word> {
 public:
  using Lanes = std::array<Word, kLanes>;
  static constexpr std::size_t kRandomBytes = masked::random_bytes<Word>();
  static constexpr std::size_t kBytes = masked::detail::row_bytes<Word>();

  Leaking() noexcept = default;
  template <typename Public>
  requires std::constructible_from<Word, Public>
  explicit Leaking(Public value) noexcept : Leaking(broadcast(Word(value))) {}

  /// Lane by lane another random word, all of them functions of the same random bytes. Zeros stay zeros, so
  /// that a generator that returns zeros is one here, too.
  static Leaking from_random(const std::uint8_t* bytes) noexcept {
    Leaking made;
    for (std::size_t at = 0; at < kRandomBytes; at += kChunk) {
      std::uint64_t seed = 0;
      const std::size_t count = std::min(kChunk, kRandomBytes - at);
      std::memcpy(&seed, bytes + at, count);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t mixed = seed == 0 ? 0 : mix(seed + lane * 0x9e3779b97f4a7c15);
        if constexpr (kRandomBytes == sizeof(Word)) {
          auto* out = reinterpret_cast<std::uint8_t*>(&made.lanes[lane]) + at;
          std::memcpy(out, &mixed, count);
        } else {
          // Word::from_random takes all bytes at a time.
          std::memcpy(scratch[lane].data() + at, &mixed, count);
        }
      }
    }
    if constexpr (kRandomBytes != sizeof(Word)) {
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        made.lanes[lane] = Word::from_random(scratch[lane].data());
    }
    return made;
  }

  // ---- Of words that are rows (words/row.h) ----

  static Leaking load(const std::uint8_t* from) noexcept { return broadcast(Word::load(from)); }
  template <std::size_t kWords>
  static Leaking load(const std::uint8_t* from) noexcept {
    return broadcast(Word::template load<kWords>(from));
  }
  void store(std::uint8_t* to) const noexcept { lanes[0].store(to); }
  template <std::size_t kWords>
  void store(std::uint8_t* to) const noexcept {
    lanes[0].template store<kWords>(to);
  }
  template <typename... Values>
  static Leaking of(Values... values) noexcept {
    return broadcast(Word::of(values...));
  }
  template <std::size_t kWords>
  static Leaking joined(const Leaking& a, const Leaking& b) noexcept {
    Leaking made;
    for (std::size_t i = 0; i < kLanes; ++i)
      made.lanes[i] = Word::template joined<kWords>(a.lanes[i], b.lanes[i]);
    return made;
  }
  static constexpr auto round_constant(std::uint32_t constant) noexcept {
    return Word::round_constant(constant);
  }

  template <int kBits>
  [[nodiscard]] Leaking rotated_left() const noexcept;

  /// Of a recombined pair of words (words/interleaved_pair.h).
  [[nodiscard]] auto words() const noexcept { return lanes[0].words(); }
  template <typename... Values>
  static constexpr auto constants(Values... values) noexcept {
    return Word::constants(values...);
  }

  /// Of a recombined word, the same in all lanes.
  explicit operator Word() const noexcept requires std::unsigned_integral<Word> { return lanes[0]; }

  Lanes lanes{};

 private:
  static constexpr std::size_t kChunk = 8;
  static inline std::array<std::array<std::uint8_t, kRandomBytes + kChunk>, kLanes> scratch{};

  static Leaking broadcast(const Word& word) noexcept {
    Leaking made;
    made.lanes.fill(word);
    return made;
  }

  /// The finalizer of SplitMix64 (Steele, Lea and Flood 2014).
  static constexpr std::uint64_t mix(std::uint64_t word) noexcept {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
  }
};

namespace detail {

/// The bits of an object, padded with zeros.
template <typename Word>
using BitsOf = std::array<std::uint64_t, (sizeof(Word) + 7) / 8>;

template <typename Word>
[[nodiscard]] inline BitsOf<Word> bits_of(const Word& word) noexcept {
  BitsOf<Word> bits{};
  std::memcpy(bits.data(), &word, sizeof(Word));
  return bits;
}

/// Records a result, with the operand that it replaces: of another type, none.
template <typename Word, typename Left>
inline void emit(const Leaking<Word>& result, const Leaking<Left>& left) noexcept {
  std::uint64_t weight = 0;
  std::uint64_t distance = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const BitsOf<Word> bits = bits_of(result.lanes[lane]);
    BitsOf<Word> replaced{};
    if constexpr (std::is_same_v<Word, Left>) replaced = bits_of(left.lanes[lane]);
    for (std::size_t i = 0; i < bits.size(); ++i) {
      weight += static_cast<std::uint64_t>(std::popcount(bits[i]));
      distance += static_cast<std::uint64_t>(std::popcount(bits[i] ^ replaced[i]));
    }
  }
  recorder().append(static_cast<std::uint32_t>(weight), static_cast<std::uint32_t>(distance),
                    [&](std::uint8_t* out) {
                      for (std::size_t i = 0; i < kLanes; ++i) {
                        out[i] = static_cast<std::uint8_t>(std::popcount(bits_of(result.lanes[i])[0] & 0xff));
                      }
                    });
}

template <typename Word, typename Operation>
[[nodiscard]] inline Leaking<Word> combined(const Leaking<Word>& a, const Leaking<Word>& b,
                                            const Operation& operation) noexcept {
  Leaking<Word> made;
  for (std::size_t i = 0; i < kLanes; ++i) made.lanes[i] = operation(a.lanes[i], b.lanes[i]);
  emit(made, a);
  return made;
}

template <typename Word, typename Operation>
[[nodiscard]] inline Leaking<Word> changed(const Leaking<Word>& a, const Operation& operation) noexcept {
  Leaking<Word> made;
  for (std::size_t i = 0; i < kLanes; ++i) made.lanes[i] = operation(a.lanes[i]);
  emit(made, a);
  return made;
}

}  // namespace detail

template <typename Word>
template <int kBits>
Leaking<Word> Leaking<Word>::rotated_left() const noexcept {
  return detail::changed(*this, [](const Word& x) { return x.template rotated_left<kBits>(); });
}

template <typename Word>
[[nodiscard]] Leaking<Word> operator^(const Leaking<Word>& a, const Leaking<Word>& b) noexcept {
  return detail::combined(a, b, [](const Word& x, const Word& y) { return static_cast<Word>(x ^ y); });
}

template <typename Word>
[[nodiscard]] Leaking<Word> operator&(const Leaking<Word>& a, const Leaking<Word>& b) noexcept {
  return detail::combined(a, b, [](const Word& x, const Word& y) { return static_cast<Word>(x & y); });
}

template <typename Word>
[[nodiscard]] Leaking<Word> operator|(const Leaking<Word>& a, const Leaking<Word>& b) noexcept {
  return detail::combined(a, b, [](const Word& x, const Word& y) { return static_cast<Word>(x | y); });
}

template <typename Word>
[[nodiscard]] Leaking<Word> and_not(const Leaking<Word>& a, const Leaking<Word>& b) noexcept {
  return detail::combined(a, b, [](const Word& x, const Word& y) {
    using words::and_not;
    return static_cast<Word>(and_not(x, y));
  });
}

template <typename Word>
[[nodiscard]] Leaking<Word> xor3(const Leaking<Word>& a, const Leaking<Word>& b,
                                 const Leaking<Word>& c) noexcept {
  return a ^ (b ^ c);
}

template <typename Word>
[[nodiscard]] Leaking<Word> operator~(const Leaking<Word>& a) noexcept {
  return detail::changed(a, [](const Word& x) { return static_cast<Word>(~x); });
}

#define CIPHERMARK_ON_EACH_LANE(operation, declared, used)                                  \
  template <declared, typename Word>                                                        \
  [[nodiscard]] Leaking<Word> operation(const Leaking<Word>& a) noexcept {                  \
    return detail::changed(a, [](const Word& x) {                                           \
      using words::rotate_left, words::rotate_right, words::shift_left, words::shift_right; \
      return operation<(used)>(x);                                                          \
    });                                                                                     \
  }

CIPHERMARK_ON_EACH_LANE(rotate_left, int kBits, kBits)
CIPHERMARK_ON_EACH_LANE(rotate_right, int kBits, kBits)
CIPHERMARK_ON_EACH_LANE(shift_left, int kBits, kBits)
CIPHERMARK_ON_EACH_LANE(shift_right, int kBits, kBits)
CIPHERMARK_ON_EACH_LANE(turned, int kPlaces, kPlaces)
CIPHERMARK_ON_EACH_LANE(swapped_and_rotated, int kBits, kBits)

#undef CIPHERMARK_ON_EACH_LANE

template <int kPlaces, int kBits, typename Word>
[[nodiscard]] Leaking<Word> turned_and_rotated(const Leaking<Word>& a) noexcept {
  return detail::changed(a, [](const Word& x) { return turned_and_rotated<kPlaces, kBits>(x); });
}

template <typename Word>
[[nodiscard]] Leaking<Word> swapped(const Leaking<Word>& a) noexcept {
  return detail::changed(a, [](const Word& x) { return swapped(x); });
}

/// A function of the bits of words as one operation (words/bitwise.h).
template <typename Function, typename Word, typename... Words>
[[nodiscard]] auto mapped(const Function& function, const Leaking<Word>& first,
                          const Leaking<Words>&... others) noexcept {
  Leaking<decltype(function(first.lanes[0], others.lanes[0]...))> made;
  for (std::size_t i = 0; i < kLanes; ++i) made.lanes[i] = function(first.lanes[i], others.lanes[i]...);
  detail::emit(made, first);
  return made;
}

/// The bits of a where the mask, which everybody knows, has ones, and those of b elsewhere.
template <typename Mask, typename Word>
[[nodiscard]] Leaking<Word> choose(Mask mask, const Leaking<Word>& a, const Leaking<Word>& b) noexcept {
  return (a & Leaking<Word>(mask)) | (b & Leaking<Word>(~mask));
}

/// The sum of a, and of b where the mask, which everybody knows, has ones.
template <typename Word, typename Mask>
[[nodiscard]] Leaking<Word> join(const Leaking<Word>& a, Mask mask, const Leaking<Word>& b) noexcept {
  return a ^ (b & Leaking<Word>(mask));
}

/// Of words that must be brought into order again after some rounds (sponge/sliscp_light.h).
template <typename Word>
[[nodiscard]] Leaking<Word> refreshed(const Leaking<Word>& a) noexcept {
  return detail::changed(a, [](const Word& x) { return refreshed(x); });
}

template <typename Word, typename Constant>
void add_constant(Leaking<Word>& word, Constant constant) noexcept {
  word = detail::changed(word, [constant](Word lane) {
    if constexpr (std::unsigned_integral<Word>) {
      words::add_constant(lane, static_cast<Word>(constant));
    } else {
      add_constant(lane, constant);
    }
    return lane;
  });
}

/// The lanes are no single value for the compiler as it is.
template <typename Word>
void opaque(Leaking<Word>& /*word*/) noexcept {}

/// The end of sharing, as of all words (masked/gadgets.h): what comes out is public from then on. Emits
/// nothing, because all that a partial sum and the missing shares reveal is public, too. While a recording
/// replaces public words, it is a constant in place of the sum: then nothing public depends on the key, and
/// what still does is a leak.
template <typename Word, std::size_t kShares>
[[nodiscard]] Leaking<Word> recombine(const std::array<Leaking<Word>, kShares>& shares) noexcept {
  Leaking<Word> sum;
  sum.lanes = shares[0].lanes;
  for (std::size_t share = 1; share < kShares; ++share) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      sum.lanes[i] = static_cast<Word>(sum.lanes[i] ^ shares[share].lanes[i]);
    }
  }
  for (std::size_t i = 1; i < kLanes; ++i) {
    if (detail::bits_of(sum.lanes[i]) != detail::bits_of(sum.lanes[0])) recorder().report_difference();
  }
  if (const auto number = recorder().next_replacement()) {
    std::array<std::uint8_t, Leaking<Word>::kRandomBytes> seed{};
    std::memcpy(seed.data(), &*number, std::min(seed.size(), sizeof(*number)));
    sum.lanes.fill(Leaking<Word>::from_random(seed.data()).lanes[0]);
  }
  return sum;
}

/// Of a recombined word, the same in all lanes.
template <typename Word>
[[nodiscard]] auto to_bits(const Leaking<Word>& word) noexcept {
  if constexpr (std::unsigned_integral<Word>) {
    return word.lanes[0];
  } else {
    return to_bits(word.lanes[0]);
  }
}

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::evidence
