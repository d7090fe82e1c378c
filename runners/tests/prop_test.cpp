// Properties that hold for every implementation of the linked provider, whatever its vectors reach.

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "provider/keyed.h"
#include "provider_cases.h"

namespace ciphermark::testing {
namespace {

/// A message with everything that it is encrypted under.
struct Message {
  Buffer key;
  Buffer nonce;
  Buffer associated_data;
  Buffer plaintext;
};

Message message_for(const Implementation& implementation, std::size_t bytes, std::uint64_t seed = 1) {
  const std::size_t data_bytes = implementation.kind == Kind::aead ? bytes % 37 : 0;
  return {pattern(implementation.key_bytes, seed), pattern(implementation.nonce_bytes, seed + 1),
          pattern(data_bytes, seed + 2), pattern(bytes, seed + 3)};
}

Buffer sealed(const Implementation& implementation, const Message& message) {
  Keyed keyed(implementation);
  EXPECT_EQ(keyed.key_setup(message.key), Status::ok);
  Buffer out(message.plaintext.size() + implementation.tag_bytes);
  EXPECT_EQ(keyed.encrypt(message.nonce, message.associated_data, message.plaintext, out), Status::ok);
  return out;
}

/// Every length from nothing to four blocks and a byte, the borders of batches, and some up to 64 KiB and a
/// byte: 1 MiB executes the same code, and took 80 of 86 s.
std::vector<std::size_t> lengths_of(const Implementation& implementation) {
  std::vector<std::size_t> lengths;
  for (std::size_t bytes = 0; bytes <= 4 * implementation.block_bytes + 1; ++bytes) lengths.push_back(bytes);
  for (const std::size_t blocks : {5U, 7U, 8U, 9U, 15U, 16U, 17U, 22U, 26U, 31U, 32U, 33U}) {
    for (const int more : {-1, 0, 1}) {
      lengths.push_back(blocks * implementation.block_bytes + static_cast<std::size_t>(more));
    }
  }
  for (const std::size_t bytes : {1000U, 4096U, 65537U}) lengths.push_back(bytes);
  if (implementation.whole_blocks_only) {
    for (std::size_t& bytes : lengths) bytes -= bytes % implementation.block_bytes;
    // Clang 14 cannot compile the subrange of std::ranges::unique with libstdc++ 12.
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  }
  return lengths;
}

class Properties : public ::testing::TestWithParam<Case> {};
class AeadProperties : public ::testing::TestWithParam<Case> {};
class TaglessProperties : public ::testing::TestWithParam<Case> {};

TEST_P(Properties, DecryptionInvertsEncryptionAtEveryLength) {
  const Implementation& implementation = *GetParam();
  Keyed keyed(implementation);
  for (const std::size_t bytes : lengths_of(implementation)) {
    const Message message = message_for(implementation, bytes, bytes);
    const Buffer out = sealed(implementation, message);
    ASSERT_EQ(keyed.key_setup(message.key), Status::ok);
    Buffer back(bytes, 0xaa);
    ASSERT_EQ(keyed.decrypt(message.nonce, message.associated_data, out, back), Status::ok) << bytes;
    ASSERT_TRUE(back == message.plaintext) << bytes << " bytes did not come back";
  }
}

TEST_P(Properties, InPlaceAndUnalignedOutputIsTheSame) {
  const Implementation& implementation = *GetParam();
  Keyed keyed(implementation);
  for (const std::size_t bytes : lengths_of(implementation)) {
    const Message message = message_for(implementation, bytes, bytes);
    const Buffer expected = sealed(implementation, message);
    ASSERT_EQ(keyed.key_setup(message.key), Status::ok);
    Unaligned memory(expected.size(), 3);
    const MutableBytes all = memory.bytes();
    const MutableBytes front = all.first(bytes);
    std::ranges::copy(message.plaintext, front.begin());
    ASSERT_EQ(keyed.encrypt(message.nonce, message.associated_data, front, all), Status::ok) << bytes;
    ASSERT_TRUE(std::ranges::equal(all, expected)) << bytes << " bytes in place";
    ASSERT_EQ(keyed.decrypt(message.nonce, message.associated_data, all, front), Status::ok) << bytes;
    ASSERT_TRUE(std::ranges::equal(front, message.plaintext)) << bytes << " bytes in place, back";
  }
}

// A batch of blocks, a single block and a partial block take different ways through the code, but the
// ciphertext of a beginning is the beginning of the ciphertext, in every stream cipher and in each of the
// five modes.
TEST_P(TaglessProperties, CiphertextOfAPrefixIsAPrefix) {
  const Implementation& implementation = *GetParam();
  Message message = message_for(implementation, 20000 - 20000 % implementation.block_bytes);
  const Buffer whole = sealed(implementation, message);
  for (const std::size_t bytes : lengths_of(implementation)) {
    if (bytes > whole.size()) continue;
    Message beginning = message;
    beginning.plaintext.resize(bytes);
    const Buffer out = sealed(implementation, beginning);
    ASSERT_TRUE(std::equal(out.begin(), out.end(), whole.begin())) << bytes;
  }
}

// All agree with the default one, and so with each other.
TEST_P(Properties, AllVariantsAgree) {
  const Implementation& implementation = *GetParam();
  const Implementation* other = default_implementation(implementation.algorithm);
  if (other == &implementation) GTEST_SKIP() << "this is the default";
  for (const std::size_t bytes : lengths_of(implementation)) {
    const Message message = message_for(implementation, bytes, bytes + 5);
    ASSERT_TRUE(sealed(implementation, message) == sealed(*other, message))
        << implementation.variant << " and " << other->variant << " differ at " << bytes;
  }
}

// A counter that wraps within the message: where a variant counts by words, the carry is its own matter. All
// start 1, 2, 3, … blocks before the wrap of a part of the block, from one byte to the whole.
TEST_P(TaglessProperties, VariantsAgreeWhenACounterCarries) {
  const Implementation& implementation = *GetParam();
  const Implementation* other = default_implementation(implementation.algorithm);
  if (other == &implementation || implementation.nonce_bytes == 0) GTEST_SKIP() << "nothing to compare with";
  for (std::size_t full = 1; full <= implementation.nonce_bytes; ++full) {
    Message message = message_for(implementation, 70 * implementation.block_bytes, full);
    std::fill_n(message.nonce.rbegin(), full, 0xff);
    message.nonce.back() = static_cast<std::uint8_t>(0xff - 5 * full % 67);
    ASSERT_TRUE(sealed(implementation, message) == sealed(*other, message)) << full << " bytes of ones";
  }
}

// The context is an expanded key and nothing else: a message leaves no trace in it.
TEST_P(Properties, ContextIsReusable) {
  const Implementation& implementation = *GetParam();
  const Message message = message_for(implementation, 5 * implementation.block_bytes);
  Keyed keyed(implementation);
  ASSERT_EQ(keyed.key_setup(message.key), Status::ok);
  const Buffer expected = sealed(implementation, message);
  for (int repetition = 0; repetition < 3; ++repetition) {
    Buffer out(expected.size());
    ASSERT_EQ(keyed.encrypt(message.nonce, message.associated_data, message.plaintext, out), Status::ok);
    EXPECT_TRUE(out == expected) << repetition;
    Buffer back(message.plaintext.size());
    ASSERT_EQ(keyed.decrypt(message.nonce, message.associated_data, out, back), Status::ok);
    EXPECT_TRUE(back == message.plaintext) << repetition;
  }
}

/// Bits of a key that the specification does not use: the parity of DES, and the last two bits of a public
/// tweak of Spook, of which 126 count.
bool is_ignored(const Implementation& implementation, std::size_t key_bit) {
  const std::string_view algorithm = implementation.algorithm;
  if (algorithm.starts_with("3des")) return key_bit % 8 == 0;
  return algorithm.starts_with("spook") && algorithm.ends_with("mu") && key_bit >= 254;
}

TEST_P(Properties, EveryBitOfKeyAndNonceChangesTheOutput) {
  const Implementation& implementation = *GetParam();
  Message message = message_for(implementation, 2 * implementation.block_bytes);
  const Buffer expected = sealed(implementation, message);
  for (Buffer* field : {&message.key, &message.nonce}) {
    for (std::size_t bit = 0; bit < 8 * field->size(); ++bit) {
      const auto mask = static_cast<std::uint8_t>(1U << (bit % 8));
      (*field)[bit / 8] ^= mask;
      const bool ignored = field == &message.key && is_ignored(implementation, bit);
      EXPECT_EQ(sealed(implementation, message) == expected, ignored) << "bit " << bit;
      (*field)[bit / 8] ^= mask;
    }
  }
}

/// Decrypts a message that was tampered with into memory full of ones.
void expect_refused(const Implementation& implementation, const Message& message, const Buffer& out) {
  Keyed keyed(implementation);
  ASSERT_EQ(keyed.key_setup(message.key), Status::ok);
  Buffer back(message.plaintext.size(), 0xff);
  EXPECT_EQ(keyed.decrypt(message.nonce, message.associated_data, out, back), Status::authentication_failed);
  EXPECT_TRUE(back == Buffer(back.size(), 0)) << "plaintext was released";
}

TEST_P(AeadProperties, FlippedBitIsRejectedWithoutReleasingPlaintext) {
  const Implementation& implementation = *GetParam();
  for (const std::size_t bytes : {std::size_t{1}, implementation.block_bytes + 3}) {
    Message message = message_for(implementation, bytes);
    message.associated_data = pattern(17, 4);
    Buffer out = sealed(implementation, message);
    for (Buffer* field : {&message.key, &message.nonce, &message.associated_data, &out}) {
      for (std::size_t bit = 0; bit < 8 * field->size(); ++bit) {
        if (field == &message.key && is_ignored(implementation, bit)) continue;
        const auto mask = static_cast<std::uint8_t>(1U << (bit % 8));
        (*field)[bit / 8] ^= mask;
        SCOPED_TRACE(bit);
        expect_refused(implementation, message, out);
        (*field)[bit / 8] ^= mask;
      }
    }
  }
}

TEST_P(AeadProperties, RejectedMessageInPlaceIsWiped) {
  const Implementation& implementation = *GetParam();
  const Message message = message_for(implementation, 100);
  Buffer memory = sealed(implementation, message);
  memory.back() ^= 1;
  Keyed keyed(implementation);
  ASSERT_EQ(keyed.key_setup(message.key), Status::ok);
  const MutableBytes front = MutableBytes(memory).first(100);
  EXPECT_EQ(keyed.decrypt(message.nonce, message.associated_data, memory, front),
            Status::authentication_failed);
  EXPECT_TRUE(std::ranges::all_of(front, [](std::uint8_t byte) { return byte == 0; }));
}

TEST_P(Properties, WrongKeyLengthsAreRejected) {
  const Implementation& implementation = *GetParam();
  Keyed keyed(implementation);
  for (std::size_t bytes = 0; bytes <= 2 * implementation.key_bytes; ++bytes) {
    const Status expected = bytes == implementation.key_bytes ? Status::ok : Status::bad_length;
    EXPECT_EQ(keyed.key_setup(pattern(bytes, 1)), expected) << bytes;
  }
}

TEST_P(Properties, WrongMessageLengthsAreRejected) {
  const Implementation& implementation = *GetParam();
  const std::size_t bytes = 2 * implementation.block_bytes;
  const std::size_t sealed_bytes = bytes + implementation.tag_bytes;
  const Message message = message_for(implementation, bytes);
  Keyed keyed(implementation);
  ASSERT_EQ(keyed.key_setup(message.key), Status::ok);
  const auto both = [&](std::size_t nonce_bytes, std::size_t plain, std::size_t cipher) {
    const Buffer nonce = pattern(nonce_bytes, 2);
    Buffer in(plain), out(cipher);
    EXPECT_EQ(keyed.encrypt(nonce, message.associated_data, in, out), Status::bad_length)
        << nonce_bytes << ' ' << plain << ' ' << cipher;
    EXPECT_EQ(keyed.decrypt(nonce, message.associated_data, out, in), Status::bad_length)
        << nonce_bytes << ' ' << plain << ' ' << cipher;
  };
  both(implementation.nonce_bytes + 1, bytes, sealed_bytes);
  if (implementation.nonce_bytes > 0) both(implementation.nonce_bytes - 1, bytes, sealed_bytes);
  both(implementation.nonce_bytes, bytes, sealed_bytes - 1);
  both(implementation.nonce_bytes, bytes, sealed_bytes + 1);
  if (implementation.tag_bytes > 0) both(implementation.nonce_bytes, 0, implementation.tag_bytes - 1);
  if (implementation.whole_blocks_only) both(implementation.nonce_bytes, bytes + 1, sealed_bytes + 1);
}

TEST_P(TaglessProperties, AssociatedDataIsRejectedWithoutAnAead) {
  const Implementation& implementation = *GetParam();
  const Message message = message_for(implementation, implementation.block_bytes);
  Keyed keyed(implementation);
  ASSERT_EQ(keyed.key_setup(message.key), Status::ok);
  Buffer out(message.plaintext.size());
  EXPECT_EQ(keyed.encrypt(message.nonce, pattern(1, 1), message.plaintext, out), Status::bad_length);
}

// A library destroys its objects, whose memory may not be read afterwards; an own context is plain bytes.
TEST_P(Properties, ForgottenContextIsZero) {
  if (provider().name != std::string_view("own")) GTEST_SKIP() << "the context is the library's";
  const Implementation& implementation = *GetParam();
  alignas(64) static std::array<std::uint8_t, 8192> storage;
  ASSERT_LE(implementation.context_bytes, storage.size());
  storage.fill(0);
  ASSERT_EQ(implementation.key_setup(storage.data(), pattern(implementation.key_bytes, 9)), Status::ok);
  const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
  EXPECT_FALSE(std::ranges::all_of(storage, is_zero));
  implementation.forget(storage.data());
  EXPECT_TRUE(std::ranges::all_of(storage, is_zero));
}

INSTANTIATE_TEST_SUITE_P(Provider, Properties, ::testing::ValuesIn(available_cases()),
                         case_name<::testing::TestParamInfo<Case>>);

INSTANTIATE_TEST_SUITE_P(Provider, AeadProperties, ::testing::ValuesIn(available_aeads()),
                         case_name<::testing::TestParamInfo<Case>>);
INSTANTIATE_TEST_SUITE_P(Provider, TaglessProperties, ::testing::ValuesIn(available_without_tag()),
                         case_name<::testing::TestParamInfo<Case>>);

}  // namespace
}  // namespace ciphermark::testing
