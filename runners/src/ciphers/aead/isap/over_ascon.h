#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "ciphermark/bytes.h"
#include "ciphers/aead/isap/cipher.h"
#include "sponge/ascon_permutation.h"

/// ISAP-A-128A and ISAP-A-128 (ISAP v2.0, table 2.1): the mode of cipher.h over Ascon-p, in any type of word.
/// Byte order: big endian.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace isap {

struct A128a {
  static constexpr std::string_view kName = "isap-a-128a";
  static constexpr std::size_t kRateBytes = 8;
  static constexpr int kHashRounds = 12;
  static constexpr int kBitRounds = 1;
  static constexpr int kEncryptionRounds = 6;
  static constexpr int kKeyRounds = 12;
};

struct A128 : A128a {
  static constexpr std::string_view kName = "isap-a-128";
  static constexpr int kBitRounds = 12;
  static constexpr int kEncryptionRounds = 12;
};

/// The five words, with the interface of a state in cipher.h.
template <typename WordOfState>
struct AsconState {
  using Word = WordOfState;
  using Bits = BitsOf<Word>;
  static constexpr std::size_t kStateBytes = 40;

  static AsconState load(const std::uint8_t* bytes) noexcept {
    return {{load_word(bytes), load_word(bytes + 8), load_word(bytes + 16), load_word(bytes + 24),
             load_word(bytes + 32)}};
  }
  /// A short message takes a dozen calls: one copy of the unrolled rounds stays in the instruction cache.
  template <int kRounds>
  void permute() noexcept {
    if constexpr (kRounds == 1) {
      ascon::permute<1>(x);
    } else {
      permute_apart<kRounds>(x);
    }
  }
  template <std::size_t kBytes, typename In>
  void add(In block) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kBytes / 8; ++i) x[i] = x[i] ^ load_word(block + 8 * i);
  }
  template <std::size_t kBytes, typename Out>
  void extract(Out out) const noexcept {
    using ascon::to_bits;  // Other words bring their own, found by their type.
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kBytes / 8; ++i) {
      if constexpr (words::kIsMessageWord<Word>) {
        store_be(out + 8 * i, x[i]);
      } else {
        store_be(out + 8 * i, to_bits(x[i]));
      }
    }
  }
  void add_bit(const Bits& bits, std::size_t i) noexcept {
    if constexpr (words::kIsMessageWord<Word>) {
      x[0] = words::join(x[0], std::uint64_t{1} << 63, bits.at(i));
    } else {
      x[0] = x[0] ^ ascon::from_bits<Word>(std::uint64_t{bits.at(i)} << 56);
    }
  }
  void separate() noexcept { x[4] = x[4] ^ ascon::from_bits<Word>(1); }
  void take_key_from(const AsconState& other) noexcept {
    x[0] = other.x[0];
    x[1] = other.x[1];
  }
  template <typename In>
  void set_nonce(In nonce) noexcept {
    x[3] = load_word(nonce);
    x[4] = load_word(nonce + 8);
  }

  ascon::State<Word> x;

 private:
  template <int kRounds>
  [[gnu::noinline]] static void permute_apart(ascon::State<Word>& words) noexcept {
    ascon::permute<kRounds>(words);
  }
  template <typename In>
  static Word load_word(In from) noexcept {
    if constexpr (words::kIsMessageWord<Word>) {
      return load_be<std::uint64_t>(from);
    } else {
      return ascon::from_bits<Word>(load_be<std::uint64_t>(from));
    }
  }
};

/// Side, Many: the state of several messages, and of twice as many, for batches.
template <typename State, typename Side = void, typename Many = void>
constexpr std::array<Implementation, 2> describe_over_ascon(const Variant& variant) {
  return describe<A128a, A128, State, Side, Many>(variant);
}

}  // namespace isap
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
