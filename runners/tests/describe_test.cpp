// The border that describe.h puts around every own cipher: limits of message length, and what a refusal
// leaves behind.

#include "ciphermark/describe.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "provider_cases.h"

namespace ciphermark::testing {
namespace {

constexpr Variant kVariant{
    .name = "toy", .constant_time = true, .preference = 3, .requires_features = "sse2"};

/// Adds its key byte; takes at most 100 bytes.
struct ShortStream {
  static constexpr std::size_t kKeyBytes = 1;
  static constexpr std::size_t kNonceBytes = 0;
  static constexpr std::size_t kBlockBytes = 1;
  static constexpr bool kWholeBlocksOnly = false;
  static constexpr std::uint64_t kMaxMessageBytes = 100;

  Status set_key(Bytes bytes) noexcept {
    key = bytes[0];
    return Status::ok;
  }
  void encrypt(const std::uint8_t*, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::uint8_t>(in[i] + key);
  }
  void decrypt(const std::uint8_t*, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::uint8_t>(in[i] - key);
  }

  std::uint8_t key;
};

/// Its tag is the key byte; it decrypts before it decides, as sponges do.
struct ShortAead : ShortStream {
  static constexpr std::size_t kTagBytes = 1;

  void seal(const std::uint8_t* nonce, Bytes, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes,
            std::uint8_t* tag) const noexcept {
    encrypt(nonce, in, out, bytes);
    *tag = key;
  }
  [[nodiscard]] bool open(const std::uint8_t* nonce, Bytes, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t bytes, const std::uint8_t* expected_tag) const noexcept {
    decrypt(nonce, in, out, bytes);
    return *expected_tag == key;
  }
};

class Border : public ::testing::Test {
 protected:
  Status status_of(const Implementation& described, std::size_t bytes) {
    EXPECT_EQ(described.key_setup(&context_, Buffer{7}), Status::ok);
    Buffer plain(bytes, 1), sealed(bytes + described.tag_bytes), back(bytes);
    const Status encrypted = described.encrypt(&context_, {}, {}, plain, sealed);
    if (encrypted == Status::ok) sealed_ = sealed;
    if (described.tag_bytes > 0 && encrypted != Status::ok) sealed.back() = 7;
    EXPECT_EQ(described.decrypt(&context_, {}, {}, sealed, back), encrypted);
    return encrypted;
  }

  ShortAead context_{};
  Buffer sealed_;
};

TEST_F(Border, StreamRejectsMessagesAboveItsLimit) {
  static constexpr Implementation kDescribed = describe_stream<ShortStream>("toy", "this test", kVariant);
  EXPECT_EQ(status_of(kDescribed, 100), Status::ok);
  EXPECT_EQ(status_of(kDescribed, 101), Status::bad_length);
}

TEST_F(Border, AeadRejectsMessagesAboveItsLimit) {
  static constexpr Implementation kDescribed = describe_aead<ShortAead>("toy", "this test", kVariant);
  EXPECT_EQ(status_of(kDescribed, 100), Status::ok);
  EXPECT_EQ(status_of(kDescribed, 101), Status::bad_length);
}

TEST_F(Border, RejectedPlaintextIsOverwritten) {
  static constexpr Implementation kDescribed = describe_aead<ShortAead>("toy", "this test", kVariant);
  ASSERT_EQ(status_of(kDescribed, 50), Status::ok);
  sealed_.back() ^= 1;
  Buffer back(50, 0xff);
  EXPECT_EQ(kDescribed.decrypt(&context_, {}, {}, sealed_, back), Status::authentication_failed);
  EXPECT_EQ(back, Buffer(50, 0));
}

TEST(Describe, DescriptorHasTheConstantsOfTheCipher) {
  static constexpr Implementation kDescribed = describe_aead<ShortAead>("toy", "this test", kVariant);
  EXPECT_EQ(kDescribed.algorithm, "toy");
  EXPECT_EQ(kDescribed.variant, "toy");
  EXPECT_EQ(kDescribed.kind, Kind::aead);
  EXPECT_EQ(kDescribed.tag_bytes, 1U);
  EXPECT_EQ(kDescribed.preference, 3);
  EXPECT_EQ(kDescribed.requires_features, "sse2");
  EXPECT_EQ(kDescribed.context_bytes, sizeof(ShortAead));
}

}  // namespace
}  // namespace ciphermark::testing
