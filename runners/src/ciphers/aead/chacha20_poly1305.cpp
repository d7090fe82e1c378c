/// ChaCha20-Poly1305 (D. J. Bernstein; Y. Nir, A. Langley), RFC 8439 section 2.8: 32-byte key, 12-byte nonce,
/// 16-byte tag. Byte order: little endian. Deviations from the document: none. Variants: `ref64` (Poly1305
/// with 128-bit products) and `ref32` (64-bit products, all that a machine of 32 bits has); the cipher is
/// that of chacha20.cpp. Both are portable and in constant time.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ciphermark/describe.h"
#include "ciphers/aead/poly1305.h"
#include "ciphers/stream/chacha_core.h"

namespace ciphermark {
namespace {

template <typename Limbs>
class ChaCha20Poly1305 {
 public:
  static constexpr std::size_t kKeyBytes = 32;
  static constexpr std::size_t kNonceBytes = 12;
  static constexpr std::size_t kTagBytes = poly1305::kTagBytes;
  static constexpr std::size_t kBlockBytes = chacha::kBlockBytes;
  /// RFC 8439 section 2.8: block 0 makes the key of Poly1305, 2^32 - 1 blocks are left.
  static constexpr std::uint64_t kMaxMessageBytes = std::uint64_t{kBlockBytes} * 0xffffffff;

  Status set_key(Bytes key) noexcept {
    key_words_ = chacha::load_key<kKeyBytes>(key.data());
    return Status::ok;
  }

  void seal(const std::uint8_t* nonce, Bytes associated_data, const std::uint8_t* in, std::uint8_t* out,
            std::size_t bytes, std::uint8_t* tag) const noexcept {
    chacha::State state = chacha::start<1>(key_words_, nonce, 1);
    const Wiped guard(state);
    chacha::xor_keystream<1>(state, in, out, bytes);
    authenticate(nonce, associated_data, out, bytes, tag);
  }

  [[nodiscard]] bool open(const std::uint8_t* nonce, Bytes associated_data, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t bytes,
                          const std::uint8_t* expected_tag) const noexcept {
    std::array<std::uint8_t, kTagBytes> tag;
    const Wiped tag_guard(tag);
    authenticate(nonce, associated_data, in, bytes, tag.data());
    if (!constant_time_equal(tag.data(), expected_tag, kTagBytes)) return false;
    chacha::State state = chacha::start<1>(key_words_, nonce, 1);
    const Wiped guard(state);
    chacha::xor_keystream<1>(state, in, out, bytes);
    return true;
  }

 private:
  /// Section 2.8: associated data and ciphertext, each padded to whole blocks, then both lengths in bytes.
  void authenticate(const std::uint8_t* nonce, Bytes associated_data, const std::uint8_t* ciphertext,
                    std::size_t bytes, std::uint8_t* tag) const noexcept {
    // Section 2.6: the one-time key is the first half of block 0.
    chacha::State block = chacha::start<1>(key_words_, nonce, 0);
    const Wiped block_guard(block);
    chacha::block(block, block);
    std::array<std::uint8_t, poly1305::kKeyBytes> one_time_key;
    const Wiped key_guard(one_time_key);
    for (std::size_t i = 0; i < one_time_key.size() / 4; ++i) store_le(one_time_key.data() + 4 * i, block[i]);

    poly1305::Poly1305<Limbs> authenticator(one_time_key.data());
    authenticator.absorb_padded(associated_data.data(), associated_data.size());
    authenticator.absorb_padded(ciphertext, bytes);
    std::array<std::uint8_t, poly1305::kBlockBytes> lengths;
    store_le(lengths.data(), std::uint64_t{associated_data.size()});
    store_le(lengths.data() + 8, std::uint64_t{bytes});
    authenticator.absorb_padded(lengths.data(), lengths.size());
    authenticator.finish(tag);
  }

  chacha::KeyWords key_words_;
};

constexpr std::string_view kSource = "RFC 8439 section 2.8";

constexpr std::array kDescribed {
#if CIPHERMARK_HAS_INT128
  describe_aead<ChaCha20Poly1305<poly1305::Limbs44>>(
      "chacha20-poly1305", kSource,
      {.name = "ref64", .constant_time = true, .preference = 20, .requires_features = ""}),
#endif
      describe_aead<ChaCha20Poly1305<poly1305::Limbs26>>(
          "chacha20-poly1305", kSource,
          {.name = "ref32", .constant_time = true, .preference = 10, .requires_features = ""}),
};
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

namespace registry {
std::span<const Implementation* const> implementations_chacha20_poly1305() { return kImplementations; }
}  // namespace registry

}  // namespace ciphermark
