#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "baselines/sources.h"
#include "ciphermark/implementation.h"

/// The facts about an algorithm that a row of BaselineTable has in every library. A library derives its rows
/// from LibraryRow and adds its own name of the algorithm.
namespace ciphermark {

struct LibraryRow {
  std::string_view algorithm;
  Kind kind;
  std::size_t key_bytes;
  std::size_t nonce_bytes;
  std::size_t tag_bytes;
  std::size_t block_bytes;
  bool whole_blocks_only;
  bool constant_time;
  std::string_view source;
  std::string_view requires_features{};  ///< without which the library does not offer it
};

/// The modes of SP 800-38A that libraries offer.
enum class BlockMode : std::uint8_t { ecb, cbc, cfb, ofb, ctr };

/// The names of a block cipher with one length of the key, by mode.
struct NamesOfModes {
  std::string_view ecb, cbc, cfb, ofb, ctr;

  [[nodiscard]] constexpr std::string_view of(BlockMode mode) const {
    switch (mode) {
      case BlockMode::ecb:
        return ecb;
      case BlockMode::cbc:
        return cbc;
      case BlockMode::cfb:
        return cfb;
      case BlockMode::ofb:
        return ofb;
      case BlockMode::ctr:
        break;
    }
    return ctr;
  }
};

namespace names {

inline constexpr NamesOfModes kAes128{"aes-128-ecb", "aes-128-cbc", "aes-128-cfb", "aes-128-ofb",
                                      "aes-128-ctr"};
inline constexpr NamesOfModes kAes192{"aes-192-ecb", "aes-192-cbc", "aes-192-cfb", "aes-192-ofb",
                                      "aes-192-ctr"};
inline constexpr NamesOfModes kAes256{"aes-256-ecb", "aes-256-cbc", "aes-256-cfb", "aes-256-ofb",
                                      "aes-256-ctr"};
inline constexpr NamesOfModes kTripleDes192{"3des-192-ecb", "3des-192-cbc", "3des-192-cfb", "3des-192-ofb",
                                            "3des-192-ctr"};
inline constexpr NamesOfModes kTripleDes128{"3des-128-ecb", "3des-128-cbc", "3des-128-cfb", "3des-128-ofb",
                                            "3des-128-ctr"};

}  // namespace names

/// One array of the elements of several.
template <typename Element, std::size_t... kCounts>
constexpr auto joined(const std::array<Element, kCounts>&... parts) {
  std::array<Element, (kCounts + ...)> all{};
  auto end = all.begin();
  ((end = std::copy(parts.begin(), parts.end(), end)), ...);
  return all;
}

/// AES with each length of the key, in these modes: the library has it in none of them, for one reason.
template <BlockMode... kModes>
constexpr std::array<Absence, 3 * sizeof...(kModes)> no_aes(std::string_view reason) {
  return {Absence{names::kAes128.of(kModes), reason}..., Absence{names::kAes192.of(kModes), reason}...,
          Absence{names::kAes256.of(kModes), reason}...};
}

/// The same for AES-GCM.
constexpr std::array<Absence, 3> no_gcm(std::string_view reason) {
  return {Absence{"aes-128-gcm", reason}, Absence{"aes-192-gcm", reason}, Absence{"aes-256-gcm", reason}};
}

/// The same for 3DES.
template <BlockMode... kModes>
constexpr std::array<Absence, 2 * sizeof...(kModes)> no_triple_des(std::string_view reason) {
  return {Absence{names::kTripleDes192.of(kModes), reason}...,
          Absence{names::kTripleDes128.of(kModes), reason}...};
}

namespace rows {

/// Whether the library's code for an algorithm is free of branches and table indices that depend on secrets.
enum class Timing : bool { variable, constant };

constexpr LibraryRow block_mode(std::string_view algorithm, std::size_t key_bytes, std::size_t block_bytes,
                                Timing timing, std::string_view source) {
  return {.algorithm = algorithm,
          .kind = Kind::block_mode,
          .key_bytes = key_bytes,
          .nonce_bytes = algorithm.ends_with("-ecb") ? 0 : block_bytes,
          .tag_bytes = 0,
          .block_bytes = block_bytes,
          .whole_blocks_only = algorithm.ends_with("-ecb") || algorithm.ends_with("-cbc"),
          .constant_time = timing == Timing::constant,
          .source = source};
}

/// The key's length is the name's: "aes-192-cbc".
constexpr std::size_t key_bytes_of(std::string_view algorithm) {
  const std::size_t at = algorithm.find('-') + 1;
  std::size_t bits = 0;
  for (const char digit : algorithm.substr(at, 3)) bits = 10 * bits + static_cast<std::size_t>(digit - '0');
  return bits / 8;
}

constexpr LibraryRow aes(std::string_view algorithm, Timing timing) {
  return block_mode(algorithm, key_bytes_of(algorithm), 16, timing, sources::kAes);
}

constexpr LibraryRow triple_des(std::string_view algorithm) {
  return block_mode(algorithm, key_bytes_of(algorithm), 8, Timing::variable, sources::kTripleDes);
}

constexpr LibraryRow stream(std::string_view algorithm, std::size_t key_bytes, std::size_t nonce_bytes,
                            std::string_view source) {
  return {.algorithm = algorithm,
          .kind = Kind::stream,
          .key_bytes = key_bytes,
          .nonce_bytes = nonce_bytes,
          .tag_bytes = 0,
          .block_bytes = 64,
          .whole_blocks_only = false,
          .constant_time = true,
          .source = source};
}

constexpr LibraryRow salsa20(std::string_view algorithm) {
  return stream(algorithm, key_bytes_of(algorithm), 8, sources::kSalsa20);
}

/// The original, with a nonce of 8 bytes.
constexpr LibraryRow chacha20(std::string_view algorithm) {
  return stream(algorithm, key_bytes_of(algorithm), 8, sources::kChaCha);
}

inline constexpr LibraryRow kChaCha20Ietf = stream("chacha20-ietf", 32, 12, sources::kChaChaIetf);

inline constexpr LibraryRow kChaCha20Poly1305{.algorithm = "chacha20-poly1305",
                                              .kind = Kind::aead,
                                              .key_bytes = 32,
                                              .nonce_bytes = 12,
                                              .tag_bytes = 16,
                                              .block_bytes = 64,
                                              .whole_blocks_only = false,
                                              .constant_time = true,
                                              .source = sources::kChaChaPoly1305};

constexpr LibraryRow aes_gcm(std::string_view algorithm, Timing timing) {
  return {.algorithm = algorithm,
          .kind = Kind::aead,
          .key_bytes = key_bytes_of(algorithm),
          .nonce_bytes = 12,
          .tag_bytes = 16,
          .block_bytes = 16,
          .whole_blocks_only = false,
          .constant_time = timing == Timing::constant,
          .source = sources::kAesGcm};
}

}  // namespace rows
}  // namespace ciphermark
