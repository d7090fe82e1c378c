#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "masked/gadgets.h"
#include "masked/pool.h"
#include "simd/target.h"
#include "words/sharing.h"

/// A word of shares, which permutations and ciphers take in place of a word: its value is the exclusive or of
/// its shares. Word is any type of word or row that a permutation takes; gadgets.h states how operations
/// compose.
///
/// Scope of masking, for all ciphers:
/// - The key is shared in key setup (Sharing::share). Its shares are the context, and every message begins by
///   sharing them again (Sharing::refresh), because shares that stay could be learned one after the other.
/// - Nonce, associated data, ciphertext and constants are public. They are added to share 0, like the
///   plaintext, which is not masked: what is protected is the key and the state.
/// - `full`: everything works on shares. Ciphertext, decrypted plaintext and the tag are recombined out of
/// the
///   rate where they leave, and nothing else is.
/// - `init-final`: after the initialization the state is recombined, and shared again when the key is added
///   for the finalization. Associated data and message are processed without shares.
/// - `init`: the same where the finalization does not use the key.
/// - When a message is opened, the tag that it should have is recombined and compared with the one that came
///   in constant time, without shares.
///
/// How a family gets masked variants (src/ciphers/aead/ascon is an example):
/// 1. Its Design takes a second type of word, Keyed, for the part that uses the key, which is Word where it
/// is
///    not given. Wherever it takes the key: Sharing<Keyed>::share in set_key; Sharing<Keyed>::refresh at the
///    begin of each message (the members of the key are mutable); converted<Word>(…) between the parts.
/// 2. Loops of the permutation that are written out are not for words of shares (kHasShares), which call one
///    function that is not inline for all uses and has all gadgets in it (gnu::flatten; three times faster
///    with two shares): see ascon::permute.
/// 3. A header masked.h of the family: a struct of forms names the degrees and the cipher of each, and
///    describe_masked makes the descriptors with masked::describe (describe.h).
/// 4. variants.cmake: ciphermark_variant(masked64 MASKED DESCRIBE "…" INCLUDE ciphers/aead/…/masked.h).
///    Everything else (tests, options, `list`) follows from the descriptors.
/// Of Word it takes: ^, &, ~ and opaque, and what the permutation uses of and_not, rotations, shifts, moves
/// and add_constant, which are done to each share.
namespace ciphermark::masked {
inline namespace CIPHERMARK_UNIT {

namespace detail {
template <typename Word>
struct ConstantOf {
  using Type = void;
};
template <typename Word>
requires requires { typename Word::Constant; }
struct ConstantOf<Word> {
  using Type = typename Word::Constant;
};

template <typename Word>
constexpr std::size_t row_bytes() noexcept {
  if constexpr (requires { Word::kBytes; }) {
    return Word::kBytes;
  } else {
    return sizeof(Word);
  }
}
}  // namespace detail

template <typename Word, std::size_t kShares, typename Source = Pool>
struct Masked {
  using Plain = Word;
  using Constant = typename detail::ConstantOf<Word>::Type;
  using Shares = std::array<Word, kShares>;

  Shares shares;

  constexpr Masked() noexcept = default;
  constexpr explicit Masked(Shares made) noexcept : shares(made) {}
  /// A public value: share 0, and zeros.
  template <typename Public>
  requires std::constructible_from<Word, Public>
  [[gnu::always_inline]] constexpr explicit Masked(Public value) noexcept : shares{} {
    shares[0] = Word(value);
  }

  // ---- Of words that are rows (words/row.h) ----

  static constexpr std::size_t kBytes = detail::row_bytes<Word>();

  static Masked load(const std::uint8_t* from) noexcept { return Masked(Word::load(from)); }
  template <std::size_t kWords>
  static Masked load(const std::uint8_t* from) noexcept {
    return Masked(Word::template load<kWords>(from));
  }
  void store(std::uint8_t* to) const noexcept { recombine(shares).store(to); }
  template <std::size_t kWords>
  void store(std::uint8_t* to) const noexcept {
    recombine(shares).template store<kWords>(to);
  }
  static constexpr Masked of(std::uint32_t w0, std::uint32_t w1, std::uint32_t w2,
                             std::uint32_t w3) noexcept {
    return Masked(Word::of(w0, w1, w2, w3));
  }
  template <std::size_t kWords>
  static constexpr Masked joined(const Masked& a, const Masked& b) noexcept {
    Masked made;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kShares; ++i) {
      made.shares[i] = Word::template joined<kWords>(a.shares[i], b.shares[i]);
    }
    return made;
  }
  static constexpr auto round_constant(std::uint32_t constant) noexcept {
    return Word::round_constant(constant);
  }
  template <int kBits>
  [[nodiscard]] constexpr Masked rotated_left() const noexcept {
    Masked rotated;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kShares; ++i) rotated.shares[i] = shares[i].template rotated_left<kBits>();
    return rotated;
  }
};

// ---- Gadgets ----

template <typename Word, std::size_t kShares, typename Source>
[[nodiscard]] [[gnu::always_inline]] inline Masked<Word, kShares, Source> operator&(
    const Masked<Word, kShares, Source>& a, const Masked<Word, kShares, Source>& b) noexcept {
  Masked<Word, kShares, Source> product;
  multiply<Source>(product.shares, a.shares, b.shares);
  return product;
}

template <typename Word, std::size_t kShares, typename Source>
[[nodiscard]] [[gnu::always_inline]] inline Masked<Word, kShares, Source> and_not(
    const Masked<Word, kShares, Source>& a, const Masked<Word, kShares, Source>& b) noexcept {
  return ~a & b;
}

template <typename Word, std::size_t kShares, typename Source>
[[nodiscard]] [[gnu::always_inline]] inline Masked<Word, kShares, Source> operator|(
    const Masked<Word, kShares, Source>& a, const Masked<Word, kShares, Source>& b) noexcept {
  return ~(~a & ~b);
}

// ---- Operations on each share apart ----

template <typename Word, std::size_t kShares, typename Source>
[[nodiscard]] [[gnu::always_inline]] constexpr Masked<Word, kShares, Source> operator^(
    const Masked<Word, kShares, Source>& a, const Masked<Word, kShares, Source>& b) noexcept {
  Masked<Word, kShares, Source> sum;
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kShares; ++i) sum.shares[i] = a.shares[i] ^ b.shares[i];
  return sum;
}

template <typename Word, std::size_t kShares, typename Source>
[[nodiscard]] [[gnu::always_inline]] constexpr Masked<Word, kShares, Source> xor3(
    const Masked<Word, kShares, Source>& a, const Masked<Word, kShares, Source>& b,
    const Masked<Word, kShares, Source>& c) noexcept {
  return a ^ (b ^ c);
}

template <typename Word, std::size_t kShares, typename Source>
[[nodiscard]] [[gnu::always_inline]] constexpr Masked<Word, kShares, Source> operator~(
    Masked<Word, kShares, Source> a) noexcept {
  a.shares[0] = static_cast<Word>(~a.shares[0]);
  return a;
}

/// Defines an operation with template arguments as the same operation on each share.
#define CIPHERMARK_ON_EACH_SHARE(operation, declared, used)                                  \
  template <declared, typename Word, std::size_t kShares, typename Source>                   \
  [[nodiscard]] [[gnu::always_inline]] constexpr Masked<Word, kShares, Source> operation(    \
      const Masked<Word, kShares, Source>& a) noexcept {                                     \
    using words::rotate_left, words::rotate_right, words::shift_left, words::shift_right;    \
    Masked<Word, kShares, Source> made;                                                      \
    CIPHERMARK_UNROLL                                                                        \
    for (std::size_t i = 0; i < kShares; ++i) made.shares[i] = operation<used>(a.shares[i]); \
    return made;                                                                             \
  }

CIPHERMARK_ON_EACH_SHARE(rotate_left, int kBits, kBits)
CIPHERMARK_ON_EACH_SHARE(rotate_right, int kBits, kBits)
CIPHERMARK_ON_EACH_SHARE(shift_left, int kBits, kBits)
CIPHERMARK_ON_EACH_SHARE(shift_right, int kBits, kBits)
CIPHERMARK_ON_EACH_SHARE(turned, int kPlaces, kPlaces)
CIPHERMARK_ON_EACH_SHARE(swapped_and_rotated, int kBits, kBits)

#undef CIPHERMARK_ON_EACH_SHARE

template <int kPlaces, int kBits, typename Word, std::size_t kShares, typename Source>
[[nodiscard]] [[gnu::always_inline]] constexpr Masked<Word, kShares, Source> turned_and_rotated(
    const Masked<Word, kShares, Source>& a) noexcept {
  Masked<Word, kShares, Source> made;
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kShares; ++i) {
    made.shares[i] = turned_and_rotated<kPlaces, kBits>(a.shares[i]);
  }
  return made;
}

/// The bits of a where the mask, which everybody knows, has ones, and those of b elsewhere.
template <typename Mask, typename Word, std::size_t kShares, typename Source>
[[nodiscard]] [[gnu::always_inline]] constexpr Masked<Word, kShares, Source> choose(
    Mask mask, const Masked<Word, kShares, Source>& a, const Masked<Word, kShares, Source>& b) noexcept {
  Masked<Word, kShares, Source> made;
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kShares; ++i) {
    if constexpr (std::unsigned_integral<Word>) {
      const auto of_a = static_cast<Word>(mask);
      made.shares[i] = static_cast<Word>((a.shares[i] & of_a) | (b.shares[i] & ~of_a));
    } else {
      made.shares[i] = choose(mask, a.shares[i], b.shares[i]);
    }
  }
  return made;
}

/// The sum of a, and of b where the mask, which everybody knows, has ones.
template <typename Word, std::size_t kShares, typename Source, typename Mask>
[[nodiscard]] [[gnu::always_inline]] constexpr Masked<Word, kShares, Source> join(
    const Masked<Word, kShares, Source>& a, Mask mask, const Masked<Word, kShares, Source>& b) noexcept {
  Masked<Word, kShares, Source> made;
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kShares; ++i) {
    if constexpr (std::unsigned_integral<Word>) {
      made.shares[i] = static_cast<Word>(a.shares[i] ^ (b.shares[i] & static_cast<Word>(mask)));
    } else {
      made.shares[i] = join(a.shares[i], mask, b.shares[i]);
    }
  }
  return made;
}

template <typename Word, std::size_t kShares, typename Source, typename Constant>
[[gnu::always_inline]] constexpr void add_constant(Masked<Word, kShares, Source>& word,
                                                   Constant constant) noexcept {
  if constexpr (std::unsigned_integral<Word>) {
    words::add_constant(word.shares[0], static_cast<Word>(constant));
  } else {
    add_constant(word.shares[0], constant);
  }
}

template <typename Word, std::size_t kShares, typename Source>
[[nodiscard]] [[gnu::always_inline]] inline auto to_bits(const Masked<Word, kShares, Source>& word) noexcept {
  if constexpr (std::unsigned_integral<Word>) {
    return recombine(word.shares);
  } else {
    return to_bits(recombine(word.shares));
  }
}

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::masked

template <typename Word, std::size_t shares_, typename Source>
struct ciphermark::words::Sharing<ciphermark::masked::Masked<Word, shares_, Source>> {
  using Plain = Word;
  using Shared = masked::Masked<Word, shares_, Source>;
  static constexpr std::size_t kShares = shares_;

  static Shared share(Word plain) noexcept {
    Shared shared(plain);
    refresh(shared);
    return shared;
  }
  static void refresh(Shared& shared) noexcept { masked::refresh<Source>(shared.shares); }
  static Word recombine(const Shared& shared) noexcept {
    using masked::recombine;  // or the own of a type of word
    return recombine(shared.shares);
  }
};
