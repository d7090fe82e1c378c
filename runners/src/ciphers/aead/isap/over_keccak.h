#pragma once

#include <cstdint>
#include <string_view>

#include "ciphermark/bytes.h"
#include "ciphers/aead/isap/cipher.h"
#include "ciphers/aead/isap/keccak_p400.h"

/// ISAP-K-128A and ISAP-K-128 (ISAP v2.0, table 2.1): the mode of cipher.h over Keccak-p[400], and its state
/// as lanes. Byte order: little endian.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace isap {

struct K128a {
  static constexpr std::string_view kName = "isap-k-128a";
  static constexpr std::size_t kRateBytes = 18;
  static constexpr int kHashRounds = 16;
  static constexpr int kBitRounds = 1;
  static constexpr int kEncryptionRounds = 8;
  static constexpr int kKeyRounds = 8;
};

struct K128 : K128a {
  static constexpr std::string_view kName = "isap-k-128";
  static constexpr int kHashRounds = 20;
  static constexpr int kBitRounds = 12;
  static constexpr int kEncryptionRounds = 12;
  static constexpr int kKeyRounds = 12;
};

/// The 25 lanes, with the interface of a state in cipher.h.
template <typename WordOfState>
struct KeccakState {
  using Word = WordOfState;
  using Bits = BitsOf<Word>;
  static constexpr std::size_t kStateBytes = keccak_p400::kStateBytes;
  static constexpr std::size_t kLaneBytes = keccak_p400::kLaneBytes;
  static constexpr std::size_t kKeyLanes = kSecurityBytes / kLaneBytes;

  static KeccakState load(const std::uint8_t* bytes) noexcept {
    KeccakState state;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < keccak_p400::kLanes; ++i) state.lanes[i] = load_lane(bytes + kLaneBytes * i);
    return state;
  }
  template <int kRounds>
  void permute() noexcept {
    if constexpr (words::kIsMessageWord<Word> && kRounds > 1) {
      permute_apart<kRounds>(lanes);
    } else {
      keccak_p400::permute<kRounds>(lanes);
    }
  }
  template <std::size_t kBytes, typename In>
  void add(In block) noexcept {
    if constexpr (words::kIsMessageWord<Word>) {
      for (std::size_t i = 0; i < kBytes / kLaneBytes; ++i) {
        lanes[i] = lanes[i] ^ Word(load_le<std::uint16_t>(block + kLaneBytes * i));
      }
    } else {
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kBytes / kLaneBytes; ++i) {
        lanes[i] = lanes[i] ^ load_lane(block + kLaneBytes * i);
      }
    }
  }
  template <std::size_t kBytes, typename Out>
  void extract(Out out) const noexcept {
    if constexpr (words::kIsMessageWord<Word>) {
      for (std::size_t i = 0; i < kBytes / kLaneBytes; ++i) store_le(out + kLaneBytes * i, lanes[i]);
    } else {
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kBytes / kLaneBytes; ++i) {
        store_le(out + kLaneBytes * i, static_cast<std::uint16_t>(lanes[i]));
      }
    }
  }
  void add_bit(const Bits& bits, std::size_t i) noexcept {
    if constexpr (words::kIsMessageWord<Word>) {
      lanes[0] = words::join(lanes[0], 0x80, words::shift_right<8>(bits.at(i)));
    } else {
      lanes[0] = lanes[0] ^ keccak_p400::from_bits<Word>(bits.at(i));
    }
  }
  void separate() noexcept { lanes.back() = lanes.back() ^ keccak_p400::from_bits<Word>(0x0100); }
  void take_key_from(const KeccakState& other) noexcept {
    std::copy_n(other.lanes.begin(), kKeyLanes, lanes.begin());
  }
  template <typename In>
  void set_nonce(In nonce) noexcept {
    for (std::size_t i = 0; i < kKeyLanes; ++i) {
      lanes[lanes.size() - kKeyLanes + i] = load_lane(nonce + kLaneBytes * i);
    }
  }

  keccak_p400::Lanes<Word> lanes;

 private:
  /// One copy of the unrolled rounds.
  template <int kRounds>
  [[gnu::noinline]] static void permute_apart(keccak_p400::Lanes<Word>& all) noexcept {
    keccak_p400::permute<kRounds>(all);
  }
  template <typename In>
  static Word load_lane(In from) noexcept {
    if constexpr (words::kIsMessageWord<Word>) {
      return load_le<std::uint16_t>(from);
    } else {
      return keccak_p400::from_bits<Word>(load_le<std::uint16_t>(from));
    }
  }
};

/// Side: the state of several messages, for batches.
template <typename State, typename Side = void>
constexpr std::array<Implementation, 2> describe_over_keccak(const Variant& variant) {
  return describe<K128a, K128, State, Side>(variant);
}

}  // namespace isap
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
