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
    Core::load_key<kKeyBytes>(key.data(), keyed_);
    return Status::ok;
  }

  void seal(const std::uint8_t* nonce, Bytes associated_data, const std::uint8_t* in, std::uint8_t* out,
            std::size_t bytes, std::uint8_t* tag) const noexcept {
    Keystream stream(keyed_, nonce, bytes);
    Authenticator authenticator(stream.one_time_key());
    authenticator.absorb_padded(associated_data.data(), associated_data.size());
    for (std::size_t done = 0; done < bytes;) {
      const std::size_t part = std::min(kCachedBytes, bytes - done);
      stream.xor_onto(in + done, out + done, part);
      authenticator.absorb_padded(out + done, part);
      done += part;
    }
    authenticator.finish(associated_data.size(), bytes, tag);
  }

  [[nodiscard]] bool open(const std::uint8_t* nonce, Bytes associated_data, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t bytes,
                          const std::uint8_t* expected_tag) const noexcept {
    Keystream stream(keyed_, nonce, bytes);
    std::array<std::uint8_t, kTagBytes> tag;
    const Wiped tag_guard(tag);
    Authenticator authenticator(stream.one_time_key());
    authenticator.absorb_padded(associated_data.data(), associated_data.size());
    authenticator.absorb_padded(in, bytes);
    authenticator.finish(associated_data.size(), bytes, tag.data());
    if (!constant_time_equal(tag.data(), expected_tag, kTagBytes)) return false;
    stream.xor_onto(in, out, bytes);
    return true;
  }

 private:
  /// What is encrypted is authenticated while it is in the nearest cache. A multiple of every batch.
  static constexpr std::size_t kCachedBytes = 8192;

  /// The keystream of a message. Block 0, whose first half is the one-time key (section 2.6), is made along
  /// with the first blocks of the message.
  class Keystream {
    using Front = keystream::Front<Core, Words>;

   public:
    Keystream(const keystream::State& keyed, const std::uint8_t* nonce, std::size_t bytes) noexcept
        : state_(keystream::start<Core>(keyed, nonce, 0)),
          blocks_(blocks_in_front(1 + (bytes + kBlockBytes - 1) / kBlockBytes)),
          front_(state_, blocks_) {}
    Keystream(const Keystream&) = delete;
    Keystream& operator=(const Keystream&) = delete;
    ~Keystream() { wipe(&state_, sizeof(state_)); }

    const std::uint8_t* one_time_key() const noexcept { return front_.data(); }

    /// What comes next of the message; all but the last part are whole blocks.
    void xor_onto(const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) noexcept {
      const std::size_t part = std::min(blocks_ * kBlockBytes - used_, bytes);
      front_.xor_onto(used_, in, out, part);
      used_ += part;
      if (part < bytes) keystream::xor_keystream<Core, Words>(state_, in + part, out + part, bytes - part);
    }

   private:
    /// What the batches behind leave over, so that no single block is left behind them.
    static std::size_t blocks_in_front(std::size_t blocks) noexcept {
      return 1 + (blocks - 1) % Front::kMostBlocks;
    }

    keystream::State state_;
    std::size_t blocks_;
    Front front_;
    std::size_t used_ = kBlockBytes;
  };

  /// Section 2.8: associated data and ciphertext, each padded to whole blocks, then both lengths in bytes.
  class Authenticator {
   public:
    explicit Authenticator(const std::uint8_t* key) noexcept : poly_(key) {}

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
