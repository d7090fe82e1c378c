#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "ciphermark/bytes.h"
#include "simd/target.h"
#include "words/bitwise.h"
#include "words/interleave.h"
#include "words/sharing.h"

/// The permutations sLiSCP-light-256 and sLiSCP-light-192 of SPIX and SpoC.
///
/// Source: R. AlTawy, G. Gong, M. He, K. Mandal, R. Rohit, "Spix: An Authenticated Cipher" (NIST round 2,
/// 2019), section 2, and R. AlTawy, G. Gong, M. He, A. Jha, K. Mandal, M. Nandi, R. Rohit, "SpoC" (NIST
/// round 2, 2019), section 2. Byte order: big endian. Deviations from the documents: none.
///
/// A state is four subblocks S0 to S3 of two halves. Both Simeck boxes of a step do the same at the same
/// time: a Pair holds the same half of two subblocks, of S1 and S3 (odd) or of S0 and S2 (even). It has ^, &,
/// rotate_left, swapped (its two words change places), and add_constant with a pair of constants. Here it is
/// made of any Word; words::InterleavedPair, for 256 bits, is one register, and so are those of
/// sliscp_light_avx512.h. A Pair of shares (masked/word.h) has pairs of one of these kinds as its shares, and
/// takes their constants.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace sliscp_light {

// ---- Words ----

/// A half of 24 bits in the upper bits of a register, continued periodically below: shifts are rotations
/// then, as long as the zeros that they bring in from below do not reach the upper 24 bits.
template <typename Register>
class Periodic {
 public:
  static constexpr int kHalfBits = 24;
  static constexpr int kRegisterBits = std::numeric_limits<Register>::digits;

  constexpr Periodic() noexcept = default;
  constexpr explicit Periodic(Register bits) noexcept : bits_(bits) {}
  [[nodiscard]] constexpr Register bits() const noexcept { return bits_; }

  /// Of a half in the lowest bits.
  [[nodiscard]] static constexpr Register continued(std::uint32_t half) noexcept {
    return repeated(static_cast<Register>(Register{half} << (kRegisterBits - kHalfBits)));
  }
  [[nodiscard]] constexpr std::uint32_t half() const noexcept {
    return static_cast<std::uint32_t>(bits_ >> (kRegisterBits - kHalfBits));
  }
  [[nodiscard]] constexpr Periodic refreshed() const noexcept { return Periodic(repeated(bits_)); }

 private:
  /// The upper 24 bits again and again. The last repetition needs no mask: what is below falls out.
  [[nodiscard]] static constexpr Register repeated(Register bits) noexcept {
    constexpr auto kUpper = static_cast<Register>(Register{0xffffff} << (kRegisterBits - kHalfBits));
    if constexpr (kRegisterBits > 2 * kHalfBits) {
      return (bits & kUpper) | ((bits >> kHalfBits) & (kUpper >> kHalfBits)) | bits >> (2 * kHalfBits);
    } else {
      return (bits & kUpper) | bits >> kHalfBits;
    }
  }

  Register bits_ = 0;
};

template <typename Register>
[[nodiscard]] constexpr Periodic<Register> operator^(Periodic<Register> a, Periodic<Register> b) noexcept {
  return Periodic<Register>(a.bits() ^ b.bits());
}

template <typename Register>
[[nodiscard]] constexpr Periodic<Register> operator&(Periodic<Register> a, Periodic<Register> b) noexcept {
  return Periodic<Register>(a.bits() & b.bits());
}

template <int kBits, typename Register>
[[nodiscard]] constexpr Periodic<Register> rotate_left(Periodic<Register> a) noexcept {
  return Periodic<Register>(words::shift_left<kBits>(a.bits()));
}

template <typename Register>
constexpr void add_constant(Periodic<Register>& word, Register constant) noexcept {
  word = Periodic<Register>(word.bits() ^ constant);
}

/// What a Pair needs to know of its words. kRoundsBeforeRefresh, where there is one: how many rounds of
/// Simeck, each of which rotates by 5, a word is.
template <typename Word>
struct WordTraits {
  using Constant = Word;
  static constexpr Word of_half(std::uint32_t half) noexcept { return half; }
  static constexpr std::uint32_t half(Word word) noexcept { return word; }
  static constexpr Constant constant(std::uint32_t half) noexcept { return half; }
};

template <typename Register>
struct WordTraits<Periodic<Register>> {
  using Word = Periodic<Register>;
  using Constant = Register;
  static constexpr std::size_t kRoundsBeforeRefresh = (Word::kRegisterBits - Word::kHalfBits) / 5;
  static constexpr Word of_half(std::uint32_t half) noexcept { return Word(Word::continued(half)); }
  static constexpr std::uint32_t half(Word word) noexcept { return word.half(); }
  static constexpr Constant constant(std::uint32_t half) noexcept { return Word::continued(half); }
};

template <typename WordType>
struct Pair {
  using Word = WordType;
  using Traits = WordTraits<Word>;
  using Constants = std::array<typename Traits::Constant, 2>;

  Word first;
  Word second;

  static constexpr Pair of(std::uint32_t first_half, std::uint32_t second_half) noexcept {
    return {Traits::of_half(first_half), Traits::of_half(second_half)};
  }
  [[nodiscard]] constexpr std::array<std::uint32_t, 2> words() const noexcept {
    return {Traits::half(first), Traits::half(second)};
  }
  static constexpr Constants constants(std::uint32_t first_half, std::uint32_t second_half) noexcept {
    return {Traits::constant(first_half), Traits::constant(second_half)};
  }
};

template <typename Word>
[[nodiscard]] constexpr Pair<Word> operator^(Pair<Word> a, Pair<Word> b) noexcept {
  return {a.first ^ b.first, a.second ^ b.second};
}

template <typename Word>
[[nodiscard]] constexpr Pair<Word> operator&(Pair<Word> a, Pair<Word> b) noexcept {
  return {a.first & b.first, a.second & b.second};
}

template <int kBits, typename Word>
[[nodiscard]] constexpr Pair<Word> rotate_left(Pair<Word> a) noexcept {
  using words::rotate_left;
  return {rotate_left<kBits>(a.first), rotate_left<kBits>(a.second)};
}

template <typename Word>
[[nodiscard]] constexpr Pair<Word> swapped(Pair<Word> a) noexcept {
  return {a.second, a.first};
}

template <typename Register>
[[nodiscard]] constexpr Pair<Periodic<Register>> refreshed(Pair<Periodic<Register>> a) noexcept {
  return {a.first.refreshed(), a.second.refreshed()};
}

template <typename Word>
constexpr void add_constant(Pair<Word>& a, const typename Pair<Word>::Constants& constants) noexcept {
  using words::add_constant;
  add_constant(a.first, constants[0]);
  add_constant(a.second, constants[1]);
}

/// Two halves of 24 bits interleaved (words/interleave.h) in the upper 48 bits, continued periodically below,
/// as in a Periodic: half the operations of two of those, for shares.
class InterleavedHalves24 {
 public:
  struct Traits {
    static constexpr std::size_t kRoundsBeforeRefresh = 1;
  };
  using Constants = std::uint64_t;

  constexpr InterleavedHalves24() noexcept = default;
  constexpr explicit InterleavedHalves24(std::uint64_t bits) noexcept : bits_(bits) {}
  static constexpr InterleavedHalves24 of(std::uint32_t first, std::uint32_t second) noexcept {
    return InterleavedHalves24(constants(first, second));
  }
  static constexpr Constants constants(std::uint32_t first, std::uint32_t second) noexcept {
    return InterleavedHalves24(words::interleave(first, second) << kBitsBelow).refreshed().bits();
  }
  [[nodiscard]] constexpr std::array<std::uint32_t, 2> words() const noexcept {
    const std::uint64_t both = words::deinterleave(bits_ >> kBitsBelow);
    return {static_cast<std::uint32_t>(both), static_cast<std::uint32_t>(both >> 32)};
  }
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr InterleavedHalves24 refreshed() const noexcept {
    return InterleavedHalves24(bits_ >> kBitsBelow << kBitsBelow | bits_ >> (64 - kBitsBelow));
  }

 private:
  static constexpr int kBitsBelow = 16;

  std::uint64_t bits_ = 0;
};

[[nodiscard]] constexpr InterleavedHalves24 operator^(InterleavedHalves24 a, InterleavedHalves24 b) noexcept {
  return InterleavedHalves24(a.bits() ^ b.bits());
}

[[nodiscard]] constexpr InterleavedHalves24 operator&(InterleavedHalves24 a, InterleavedHalves24 b) noexcept {
  return InterleavedHalves24(a.bits() & b.bits());
}

[[nodiscard]] constexpr InterleavedHalves24 and_not(InterleavedHalves24 a, InterleavedHalves24 b) noexcept {
  return InterleavedHalves24(~a.bits() & b.bits());
}

[[gnu::always_inline]] inline void opaque(InterleavedHalves24& a) noexcept {
  std::uint64_t bits = a.bits();
  words::opaque(bits);
  a = InterleavedHalves24(bits);
}

template <int kBits>
[[nodiscard]] constexpr InterleavedHalves24 rotate_left(InterleavedHalves24 a) noexcept {
  return InterleavedHalves24(a.bits() << (2 * kBits));
}

[[nodiscard]] constexpr InterleavedHalves24 swapped(InterleavedHalves24 a) noexcept {
  return InterleavedHalves24((a.bits() & words::kEvenBits) << 1 | ((a.bits() >> 1) & words::kEvenBits));
}

[[nodiscard]] constexpr InterleavedHalves24 refreshed(InterleavedHalves24 a) noexcept {
  return a.refreshed();
}

constexpr void add_constant(InterleavedHalves24& a, std::uint64_t constants) noexcept {
  a = InterleavedHalves24(a.bits() ^ constants);
}

// ---- Pairs of shares ----

/// Without shares: a share, which knows what is not secret of a pair.
template <typename Pair>
using Plain = typename words::Sharing<Pair>::Plain;

/// Adds what everybody knows.
template <typename Pair>
[[gnu::always_inline]] inline void add_public(Pair& a, const Plain<Pair>& value) noexcept {
  if constexpr (words::kHasShares<Pair>) {
    a.shares[0] = a.shares[0] ^ value;
  } else {
    a = a ^ value;
  }
}

template <typename Pair>
requires words::kHasShares<Pair>
[[nodiscard]] [[gnu::always_inline]] inline Pair swapped(Pair a) noexcept {
  CIPHERMARK_UNROLL
  for (auto& share : a.shares) share = swapped(share);
  return a;
}

template <typename Pair>
requires words::kHasShares<Pair>
[[nodiscard]] [[gnu::always_inline]] inline Pair refreshed(Pair a) noexcept {
  CIPHERMARK_UNROLL
  for (auto& share : a.shares) share = refreshed(share);
  return a;
}

// ---- Parameters ----

constexpr std::size_t kMostSteps = 18;

/// Of each step a byte for S1 or S0 and, in the low half, one for S3 or S2.
using StepBytes = std::array<std::uint16_t, kMostSteps>;

constexpr std::uint32_t byte_of(const StepBytes& bytes, std::size_t step, std::size_t place) noexcept {
  return (std::uint32_t{bytes[step]} >> (8 * (1 - place))) & 0xff;
}

/// sLiSCP-light-256, with the round and step constants (rc, sc) as the documents tabulate them.
struct Width256 {
  static constexpr int kHalfBits = 32;
  static constexpr std::size_t kBoxRounds = 8;
  static constexpr StepBytes kRoundConstants{0x0f47, 0x04b2, 0x43b5, 0xf137, 0x4496, 0x73ee,
                                             0xe54c, 0x0bf5, 0x4707, 0xb282, 0xb5a1, 0x3778,
                                             0x96a2, 0xeeb9, 0x4cf2, 0xf585, 0x0723, 0x82d9};
  static constexpr StepBytes kStepConstants{0x0864, 0x866b, 0xe26f, 0x892c, 0xe6dd, 0xca99,
                                            0x17ea, 0x8e0f, 0x6404, 0x6b43, 0x6ff1, 0x2c44,
                                            0xdd73, 0x99e5, 0xea0b, 0x0f47, 0x04b2, 0x43b5};
};

/// sLiSCP-light-192.
struct Width192 {
  static constexpr int kHalfBits = 24;
  static constexpr std::size_t kBoxRounds = 6;
  static constexpr StepBytes kRoundConstants{0x0727, 0x0434, 0x062e, 0x2519, 0x1735, 0x1c0f,
                                             0x1208, 0x3b0c, 0x260a, 0x152f, 0x3f38, 0x2024,
                                             0x3036, 0x280d, 0x3c2b, 0x223e, 0x1301, 0x1a21};
  static constexpr StepBytes kStepConstants{0x0829, 0x0c1d, 0x0a33, 0x2f2a, 0x381f, 0x2410,
                                            0x3618, 0x0d14, 0x2b1e, 0x3e31, 0x0109, 0x212d,
                                            0x111b, 0x3916, 0x053d, 0x2703, 0x3402, 0x2e23};
};

/// The constants of one step as they are added.
template <typename Pair, typename Width>
struct StepOf {
  using Constants = typename Pair::Constants;
  std::array<Constants, Width::kBoxRounds> round;
  Constants left;
  Constants right;
};

/// A round adds ones, but for the lowest bit, which is the next bit of the constant; a step adds ones, but
/// for the lowest byte of a subblock. In odd steps the pairs are swapped (see step).
template <typename Pair, typename Width>
constexpr StepOf<Pair, Width> step_constants(std::size_t number) noexcept {
  constexpr std::uint32_t kOnes = 0xffffffff >> (32 - Width::kHalfBits);
  const std::size_t first = number % 2;
  StepOf<Pair, Width> step{};
  for (std::size_t r = 0; r < Width::kBoxRounds; ++r) {
    step.round[r] =
        Pair::constants((kOnes ^ 1) | ((byte_of(Width::kRoundConstants, number, first) >> r) & 1),
                        (kOnes ^ 1) | ((byte_of(Width::kRoundConstants, number, 1 - first) >> r) & 1));
  }
  step.left = Pair::constants(kOnes, kOnes);
  step.right = Pair::constants((kOnes ^ 0xff) | byte_of(Width::kStepConstants, number, first),
                               (kOnes ^ 0xff) | byte_of(Width::kStepConstants, number, 1 - first));
  return step;
}

template <typename Pair, typename Width>
constexpr auto all_step_constants() noexcept {
  std::array<StepOf<Pair, Width>, kMostSteps> steps{};
  for (std::size_t i = 0; i < kMostSteps; ++i) steps[i] = step_constants<Pair, Width>(i);
  return steps;
}

template <typename Pair, typename Width>
inline constexpr auto kSteps = all_step_constants<Plain<Pair>, Width>();

// ---- The permutation ----

template <typename Pair>
struct State {
  Pair even_left;   ///< the left halves of S0 and S2
  Pair even_right;  ///< the right halves of S0 and S2
  Pair odd_left;    ///< the left halves of S1 and S3
  Pair odd_right;   ///< the right halves of S1 and S3
};

/// The state in pairs of another type (words/sharing.h).
template <typename To, typename From>
[[nodiscard]] inline State<To> converted(const State<From>& state) noexcept {
  using words::converted;
  return {converted<To>(state.even_left), converted<To>(state.even_right), converted<To>(state.odd_left),
          converted<To>(state.odd_right)};
}

/// How many rounds of Simeck may follow each other before the words need to be refreshed; 0 for all.
template <typename Pair>
constexpr std::size_t rounds_before_refresh() noexcept {
  if constexpr (requires { Plain<Pair>::Traits::kRoundsBeforeRefresh; }) {
    return Plain<Pair>::Traits::kRoundsBeforeRefresh;
  }
  return 0;
}

/// One round of Simeck without its exchange of the halves.
template <typename Pair>
[[gnu::always_inline]] inline void simeck_round(Pair left, Pair& right,
                                                const typename Plain<Pair>::Constants& constants) noexcept {
  add_constant(right, constants);
  right = (right ^ rotate_left<1>(left)) ^ (rotate_left<5>(left) & left);
  if constexpr (rounds_before_refresh<Pair>() == 1) right = refreshed(right);
}

/// The unkeyed Simeck boxes of both subblocks.
template <typename Width, typename Pair>
[[gnu::always_inline]] inline void simeck_boxes(Pair& left, Pair& right,
                                                const StepOf<Plain<Pair>, Width>& step) noexcept {
  constexpr std::size_t kBeforeRefresh = rounds_before_refresh<Pair>();
  static_assert(kBeforeRefresh <= 1 || kBeforeRefresh >= Width::kBoxRounds);
  if constexpr (words::kHasShares<Pair>) {
    for (std::size_t r = 0; r < Width::kBoxRounds; r += 2) {
      simeck_round(left, right, step.round[r]);
      simeck_round(right, left, step.round[r + 1]);
    }
  } else {
    CIPHERMARK_UNROLL
    for (std::size_t r = 0; r < Width::kBoxRounds; r += 2) {
      simeck_round(left, right, step.round[r]);
      simeck_round(right, left, step.round[r + 1]);
    }
  }
  if constexpr (kBeforeRefresh > 1) {
    left = refreshed(left);
    right = refreshed(right);
  }
}

/// One step: S1 and S3 go through their boxes, are added to S0 and S2 with the constants, and the subblocks
/// turn by one place. What becomes S1 and S3 comes out swapped, so that no exchange of words is waited for;
/// the next step takes it so.
template <typename Width, typename Pair>
[[gnu::always_inline]] inline void step(State<Pair>& s,
                                        const StepOf<Plain<Pair>, Width>& constants) noexcept {
  add_constant(s.even_left, constants.left);
  add_constant(s.even_right, constants.right);
  simeck_boxes<Width>(s.odd_left, s.odd_right, constants);
  s = {swapped(s.odd_left), swapped(s.odd_right), s.even_left ^ s.odd_left, s.even_right ^ s.odd_right};
}

/// So many steps, as one piece of code for all numbers of steps.
template <typename Width, typename Pair>
[[gnu::noinline, gnu::flatten]] void permute_steps(State<Pair>& s, std::size_t steps) noexcept {
  for (std::size_t i = 0; i < steps; ++i) step<Width>(s, kSteps<Pair, Width>[i]);
}

template <typename Width, std::size_t kStepCount, typename Pair>
inline void permute(State<Pair>& state) noexcept {
  static_assert(kStepCount <= kMostSteps);
  State<Pair> s = state;
  if constexpr (words::kHasShares<Pair>) {
    permute_steps<Width>(s, kStepCount);
  } else {
    for (std::size_t i = 0; i + 1 < kStepCount; i += 2) {
      step<Width>(s, kSteps<Pair, Width>[i]);
      step<Width>(s, kSteps<Pair, Width>[i + 1]);
    }
    if constexpr (kStepCount % 2 != 0) step<Width>(s, kSteps<Pair, Width>[kStepCount - 1]);
  }
  if constexpr (kStepCount % 2 != 0) {
    s = {swapped(s.even_left), swapped(s.even_right), swapped(s.odd_left), swapped(s.odd_right)};
  }
  state = s;
}

}  // namespace sliscp_light
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
