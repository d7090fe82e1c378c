/// ChaCha20 (D. J. Bernstein), three parameter sets:
/// - `chacha20-128`, `chacha20-256`: the original, "ChaCha, a variant of Salsa20" (2008),
/// https://cr.yp.to/chacha.html,
///   8-byte nonce and 64-bit block counter from 0; a 128-bit key takes the constant "expand 16-byte k";
/// - `chacha20-ietf`: RFC 8439 section 2.4, 12-byte nonce and 32-bit block counter, here always from 0.
/// Byte order: little endian. Deviations from the documents: none.
/// Variant `ref`: one block at a time in 32-bit words, portable and in constant time.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ciphermark/describe.h"
#include "ciphers/stream/chacha_core.h"

namespace ciphermark {
namespace {

/// kCounterWords: 2 for the original, 1 for RFC 8439.
template <std::size_t kKeyBits, int kCounterWords>
class ChaCha20 {
 public:
  static constexpr std::size_t kKeyBytes = kKeyBits / 8;
  static constexpr std::size_t kNonceBytes = std::size_t{4} * (4 - kCounterWords);
  static constexpr std::size_t kBlockBytes = chacha::kBlockBytes;
  static constexpr bool kWholeBlocksOnly = false;
  /// The counter must not repeat: 2^32 blocks of RFC 8439 are 256 GiB; 2^64 blocks are out of reach.
  static constexpr std::uint64_t kMaxMessageBytes =
      kCounterWords == 1 ? std::uint64_t{kBlockBytes} << 32 : kNoMessageLimit;

  Status set_key(Bytes key) noexcept {
    key_words_ = chacha::load_key<kKeyBytes>(key.data());
    return Status::ok;
  }

  void encrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    chacha::State state = chacha::start<kCounterWords>(key_words_, nonce, 0);
    const Wiped guard(state);
    chacha::xor_keystream<kCounterWords>(state, in, out, bytes);
  }

  void decrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    encrypt(nonce, in, out, bytes);
  }

 private:
  chacha::KeyWords key_words_;
};

constexpr Variant kRef{.name = "ref", .constant_time = true, .preference = 10, .requires_features = ""};
constexpr std::string_view kOriginal = "D. J. Bernstein, ChaCha, a variant of Salsa20 (2008)";

constexpr std::array kDescribed{
    describe_stream<ChaCha20<128, 2>>("chacha20-128", kOriginal, kRef),
    describe_stream<ChaCha20<256, 2>>("chacha20-256", kOriginal, kRef),
    describe_stream<ChaCha20<256, 1>>("chacha20-ietf", "RFC 8439 section 2.4", kRef),
};
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

namespace registry {
std::span<const Implementation* const> implementations_chacha20() { return kImplementations; }
}  // namespace registry

}  // namespace ciphermark
