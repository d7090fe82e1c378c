#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ciphermark/block_cipher.h"
#include "ciphermark/bytes.h"
#include "ciphermark/describe.h"

namespace ciphermark::modes {

/// The part of a block cipher that encrypts, if its key is less without decryption.
template <typename Cipher>
struct EncryptingPart {
  using Type = Cipher;
};
template <typename Cipher>
requires requires { typename Cipher::Encrypting; }
struct EncryptingPart<Cipher> {
  using Type = typename Cipher::Encrypting;
};

/// Common parts of the modes of NIST SP 800-38A: the keyed block cipher is the whole context, and the nonce
/// is one block.
template <typename Cipher>
class Keyed {
 public:
  static constexpr std::size_t kKeyBytes = Cipher::kKeyBytes;
  static constexpr std::size_t kBlockBytes = Cipher::kBlockBytes;
  static constexpr std::size_t kNonceBytes = Cipher::kBlockBytes;
  static constexpr std::uint64_t kMaxMessageBytes = kNoMessageLimit;

  Status set_key(Bytes key) noexcept { return cipher_.set_key(key); }

 protected:
  /// Where the mode allows it, the block cipher gets at least this many bytes per call.
  static constexpr std::size_t kBatchBytes = Cipher::kParallelBlocks * kBlockBytes;
  using Block = std::array<std::uint8_t, kBlockBytes>;
  using Batch = std::array<std::uint8_t, kBatchBytes>;

  Cipher cipher_;
};

/// A keyed block cipher whose mode takes whole blocks alone.
template <BlockCipher Cipher>
class KeyedWholeBlocks : public Keyed<Cipher> {
 public:
  static constexpr bool kWholeBlocksOnly = true;
};

/// A keyed block cipher whose mode takes a message of any length, and encrypts in both directions.
template <BlockCipher Cipher>
class KeyedAnyLength : public Keyed<typename EncryptingPart<Cipher>::Type> {
 public:
  static constexpr bool kWholeBlocksOnly = false;
};

}  // namespace ciphermark::modes
