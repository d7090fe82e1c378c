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
struct KeccakState {
  static constexpr std::size_t kStateBytes = keccak_p400::kStateBytes;
  static constexpr std::size_t kLaneBytes = keccak_p400::kLaneBytes;
  static constexpr std::size_t kKeyLanes = kSecurityBytes / kLaneBytes;

  static KeccakState load(const std::uint8_t* bytes) noexcept {
    KeccakState state{};
    state.add<kStateBytes>(bytes);
    return state;
  }
  template <int kRounds>
  void permute() noexcept {
    keccak_p400::permute<kRounds>(lanes);
  }
  template <std::size_t kBytes>
  void add(const std::uint8_t* block) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kBytes / kLaneBytes; ++i) {
      lanes[i] = lanes[i] ^ load_lane(block + kLaneBytes * i);
    }
  }
  template <std::size_t kBytes>
  void extract(std::uint8_t* out) const noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kBytes / kLaneBytes; ++i) {
      store_le(out + kLaneBytes * i, static_cast<std::uint16_t>(lanes[i]));
    }
  }
  void add_first_bit(std::uint8_t byte) noexcept { lanes[0] = lanes[0] ^ keccak_p400::doubled(byte); }
  void separate() noexcept { lanes.back() = lanes.back() ^ keccak_p400::doubled(0x0100); }
  void take_key_from(const KeccakState& other) noexcept {
    std::copy_n(other.lanes.begin(), kKeyLanes, lanes.begin());
  }
  void set_nonce(const std::uint8_t* nonce) noexcept {
    for (std::size_t i = 0; i < kKeyLanes; ++i) {
      lanes[lanes.size() - kKeyLanes + i] = load_lane(nonce + kLaneBytes * i);
    }
  }

  keccak_p400::Lanes<std::uint32_t> lanes;

 private:
  static std::uint32_t load_lane(const std::uint8_t* from) noexcept {
    return keccak_p400::doubled(load_le<std::uint16_t>(from));
  }
};

template <typename State>
constexpr std::array<Implementation, 2> describe_over_keccak(const Variant& variant) {
  return describe<K128a, K128, State>(variant);
}

}  // namespace isap
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
