#pragma once

#include "ciphermark/describe.h"
#include "ciphers/aead/chacha20_poly1305/poly1305.h"
#include "modes/chacha20_core.h"

/// ChaCha20-Poly1305 (D. J. Bernstein; Y. Nir, A. Langley) in any variant: 32-byte key, 12-byte nonce,
/// 16-byte tag.
///
/// Source: RFC 8439 section 2.8. Byte order: little endian. Deviations from the document: none.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace chacha20_poly1305 {

using Core = chacha20::Ietf;

/// Words: the type of the words of one or several blocks of ChaCha20. Limbs: the arithmetic of Poly1305.
template <typename Words, typename Limbs>
class Cipher {
 public:
  static constexpr std::size_t kKeyBytes = 32;
  static constexpr std::size_t kNonceBytes = 12;
  static constexpr std::size_t kTagBytes = poly1305::kTagBytes;
  static constexpr std::size_t kBlockBytes = keystream::kBlockBytes;
  /// RFC 8439 section 2.8: block 0 makes the key of Poly1305, 2^32 - 1 blocks are left.
  static constexpr std::uint64_t kMaxMessageBytes = std::uint64_t{kBlockBytes} * 0xffffffff;

  Status set_key(Bytes key) noexcept {
    keyed_ = Core::load_key<kKeyBytes>(key.data());
    return Status::ok;
  }

  void seal(const std::uint8_t* nonce, Bytes associated_data, const std::uint8_t* in, std::uint8_t* out,
            std::size_t bytes, std::uint8_t* tag) const noexcept {
    keystream::State state = keystream::start<Core>(keyed_, nonce, 0);
    const Wiped guard(state);
    Authenticator authenticator(state);
    authenticator.absorb_padded(associated_data.data(), associated_data.size());
    for (std::size_t done = 0; done < bytes;) {
      const std::size_t part = std::min(kCachedBytes, bytes - done);
      keystream::xor_keystream<Core, Words>(state, in + done, out + done, part);
      authenticator.absorb_padded(out + done, part);
      done += part;
    }
    authenticator.finish(associated_data.size(), bytes, tag);
  }

  [[nodiscard]] bool open(const std::uint8_t* nonce, Bytes associated_data, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t bytes,
                          const std::uint8_t* expected_tag) const noexcept {
    keystream::State state = keystream::start<Core>(keyed_, nonce, 0);
    const Wiped guard(state);
    std::array<std::uint8_t, kTagBytes> tag;
    const Wiped tag_guard(tag);
    Authenticator authenticator(state);
    authenticator.absorb_padded(associated_data.data(), associated_data.size());
    authenticator.absorb_padded(in, bytes);
    authenticator.finish(associated_data.size(), bytes, tag.data());
    if (!constant_time_equal(tag.data(), expected_tag, kTagBytes)) return false;
    keystream::xor_keystream<Core, Words>(state, in, out, bytes);
    return true;
  }

 private:
  /// What is encrypted is authenticated while it is in the nearest cache. A multiple of every batch.
  static constexpr std::size_t kCachedBytes = 8192;

  /// Section 2.8: associated data and ciphertext, each padded to whole blocks, then both lengths in bytes.
  class Authenticator {
   public:
    /// Takes block 0 from the state, whose first half is the one-time key (section 2.6).
    explicit Authenticator(keystream::State& state) noexcept : poly_(OneTimeKey(state).bytes.data()) {}

    void absorb_padded(const std::uint8_t* bytes, std::size_t count) noexcept {
      poly_.absorb_padded(bytes, count);
    }

    void finish(std::uint64_t data_bytes, std::uint64_t message_bytes, std::uint8_t* tag) noexcept {
      std::array<std::uint8_t, poly1305::kBlockBytes> lengths;
      store_le(lengths.data(), data_bytes);
      store_le(lengths.data() + 8, message_bytes);
      poly_.absorb_padded(lengths.data(), lengths.size());
      poly_.finish(tag);
    }

   private:
    struct OneTimeKey {
      std::array<std::uint8_t, keystream::kBlockBytes> bytes{};

      explicit OneTimeKey(keystream::State& state) noexcept {
        keystream::xor_single_blocks<Core>(state, bytes.data(), bytes.data(), bytes.size());
      }
      OneTimeKey(const OneTimeKey&) = delete;
      OneTimeKey& operator=(const OneTimeKey&) = delete;
      ~OneTimeKey() { wipe(bytes.data(), bytes.size()); }
    };

    poly1305::Poly1305<Limbs> poly_;
  };

  keystream::State keyed_;
};

template <typename Words, typename Limbs>
constexpr std::array<Implementation, 1> describe(const Variant& variant) {
  return {describe_aead<Cipher<Words, Limbs>>("chacha20-poly1305", "RFC 8439 section 2.8", variant)};
}

}  // namespace chacha20_poly1305
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
