// Batches of messages, of every implementation of the linked provider: what a batch makes is what its
// messages make one at a time.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "provider/batch.h"
#include "provider_cases.h"

namespace ciphermark::testing {
namespace {

/// The messages of a batch next to each other, and the same one at a time.
class Messages {
 public:
  Messages(const Implementation& implementation, std::size_t count, std::size_t bytes, bool own_keys)
      : implementation_(implementation),
        count_(count),
        bytes_(bytes),
        keys_(pattern((own_keys ? count : 1) * implementation.key_bytes, bytes + 1)),
        nonces_(pattern(count * implementation.nonce_bytes, bytes + 2)),
        data_(pattern(implementation.kind == Kind::aead ? count * (bytes % 37) : 0, bytes + 3)),
        plaintext_(pattern(count * bytes, bytes + 4)),
        sealed_(count * sealed_bytes()),
        opened_(count * bytes, 0xaa),
        statuses_(count, Status::internal_error),
        keyed_(implementation, count, own_keys ? count : 1) {
    EXPECT_EQ(keyed_.key_setup(keys_), Status::ok);
  }

  Status encrypt() {
    return encrypt_batch(implementation_, {keyed_.contexts(), nonces_, data_, plaintext_, sealed_});
  }
  Status decrypt() {
    return decrypt_batch(implementation_, {keyed_.contexts(), nonces_, data_, sealed_, opened_}, statuses_);
  }

  [[nodiscard]] Buffer one_at_a_time() const {
    Buffer all(sealed_.size());
    Keyed single(implementation_);
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t key = keys_.size() == implementation_.key_bytes ? 0 : i;
      EXPECT_EQ(single.key_setup(part(keys_, key, implementation_.key_bytes)), Status::ok);
      const Status status = single.encrypt(part(nonces_, i, implementation_.nonce_bytes),
                                           part(data_, i, data_.size() / count_), part(plaintext_, i, bytes_),
                                           MutableBytes(all).subspan(i * sealed_bytes(), sealed_bytes()));
      EXPECT_EQ(status, Status::ok);
    }
    return all;
  }

  [[nodiscard]] std::size_t sealed_bytes() const { return bytes_ + implementation_.tag_bytes; }
  [[nodiscard]] const Buffer& plaintext() const { return plaintext_; }
  [[nodiscard]] Buffer& sealed() { return sealed_; }
  [[nodiscard]] const Buffer& opened() const { return opened_; }
  [[nodiscard]] const std::vector<Status>& statuses() const { return statuses_; }

  static Bytes part(const Buffer& all, std::size_t i, std::size_t bytes) {
    return Bytes(all).subspan(i * bytes, bytes);
  }

 private:
  const Implementation& implementation_;
  std::size_t count_;
  std::size_t bytes_;
  Buffer keys_;
  Buffer nonces_;
  Buffer data_;
  Buffer plaintext_;
  Buffer sealed_;
  Buffer opened_;
  std::vector<Status> statuses_;
  KeyedBatch keyed_;
};

/// Numbers of messages that leave no place empty, one, or all but one.
std::set<std::size_t> counts_of(const Implementation& implementation) {
  const std::size_t at_once = implementation.messages_at_once;
  return {1, 2, std::max<std::size_t>(at_once, 2) - 1, at_once, at_once + 1, 2 * at_once + 3};
}

/// 0 to 70 bytes and a few long ones, whole blocks where it must be.
std::set<std::size_t> lengths_of(const Implementation& implementation) {
  std::set<std::size_t> lengths;
  for (std::size_t bytes = 0; bytes <= 70; ++bytes) lengths.insert(bytes);
  if (implementation.encrypt_batch == nullptr) lengths = {0, 33, 70};
  lengths.insert({255, 1024, 4099});
  if (!implementation.whole_blocks_only) return lengths;
  std::set<std::size_t> whole;
  for (const std::size_t bytes : lengths) whole.insert(bytes - bytes % implementation.block_bytes);
  return whole;
}

class Batches : public ::testing::TestWithParam<Case> {};
class AeadBatches : public ::testing::TestWithParam<Case> {};

TEST_P(Batches, AreWhatTheirMessagesAreOneAtATime) {
  const Implementation& implementation = *GetParam();
  for (const std::size_t count : counts_of(implementation)) {
    for (const std::size_t bytes : lengths_of(implementation)) {
      for (const bool own_keys : {false, true}) {
        Messages messages(implementation, count, bytes, own_keys);
        ASSERT_EQ(messages.encrypt(), Status::ok);
        ASSERT_TRUE(messages.sealed() == messages.one_at_a_time())
            << count << " messages of " << bytes << " bytes, own keys: " << own_keys;
        ASSERT_EQ(messages.decrypt(), Status::ok);
        ASSERT_TRUE(messages.opened() == messages.plaintext()) << count << " messages of " << bytes;
        ASSERT_EQ(std::ranges::count(messages.statuses(), Status::ok), std::ssize(messages.statuses()));
      }
    }
  }
}

TEST_P(AeadBatches, ForgedMessageFailsAlone) {
  const Implementation& implementation = *GetParam();
  const std::size_t count = implementation.messages_at_once + 2;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{45}}) {
    for (std::size_t forged = 0; forged < count; ++forged) {
      Messages messages(implementation, count, bytes, true);
      ASSERT_EQ(messages.encrypt(), Status::ok);
      // A bit of the message and of the tag in turn.
      messages.sealed()[(forged + 1) * messages.sealed_bytes() - 1 -
                        (forged % 2) * implementation.tag_bytes * (bytes != 0)] ^= 4;
      EXPECT_EQ(messages.decrypt(), Status::authentication_failed);
      for (std::size_t i = 0; i < count; ++i) {
        const bool right = i != forged;
        EXPECT_EQ(messages.statuses()[i], right ? Status::ok : Status::authentication_failed) << i;
        const Bytes expected = Messages::part(messages.plaintext(), i, bytes);
        const Bytes seen = Messages::part(messages.opened(), i, bytes);
        EXPECT_TRUE(
            std::ranges::equal(seen, right ? Buffer(expected.begin(), expected.end()) : Buffer(bytes)))
            << i;
      }
    }
  }
}

TEST_P(Batches, WrongSizesAreRefused) {
  const Implementation& implementation = *GetParam();
  const std::size_t nonce = implementation.nonce_bytes, block = implementation.block_bytes;
  const std::size_t sealed = block + implementation.tag_bytes;
  KeyedBatch keyed(implementation, 3, 1);
  const Buffer nonces(3 * nonce + 3), data(8);
  Buffer memory(8 * sealed);
  const auto status_of = [&](std::size_t contexts, std::size_t nonce_bytes, std::size_t data_bytes,
                             std::size_t in, std::size_t out, std::size_t out_at) {
    return encrypt_batch(implementation, {keyed.contexts().first(contexts), Bytes(nonces).first(nonce_bytes),
                                          Bytes(data).first(data_bytes), Bytes(memory).first(in),
                                          MutableBytes(memory).subspan(out_at, out)});
  };
  const std::size_t behind = 4 * sealed;
  EXPECT_EQ(status_of(3, 3 * nonce, 0, 3 * block, 3 * sealed, behind), Status::internal_error) << "no key";
  ASSERT_EQ(keyed.key_setup(pattern(implementation.key_bytes, 1)), Status::ok);
  EXPECT_EQ(status_of(3, 3 * nonce, 0, 3 * block, 3 * sealed, behind), Status::ok);
  EXPECT_EQ(status_of(0, 0, 0, 0, 0, behind), Status::bad_length) << "no messages";
  EXPECT_EQ(status_of(3, 3 * nonce + 1, 0, 3 * block, 3 * sealed, behind), Status::bad_length);
  EXPECT_EQ(status_of(3, 3 * nonce, 1, 3 * block, 3 * sealed, behind), Status::bad_length);
  EXPECT_EQ(status_of(3, 3 * nonce, 0, 3 * block + 1, 3 * sealed + 1, behind), Status::bad_length);
  EXPECT_EQ(status_of(3, 3 * nonce, 0, 3 * block, 3 * sealed - 1, behind), Status::bad_length);
  EXPECT_EQ(status_of(3, 3 * nonce, 0, 3 * block, 3 * sealed, 0), Status::bad_length) << "in place";
  EXPECT_EQ(status_of(3, 3 * nonce, 0, 3 * block, 3 * sealed, 3 * block - 1), Status::bad_length);
  EXPECT_EQ(keyed.key_setup(Buffer(implementation.key_bytes + 1)), Status::bad_length);
}

TEST(BatchOfTooMany, IsRefused) {
  const Implementation& implementation = *available_cases().front();
  KeyedBatch keyed(implementation, kMostMessages + 1, 1);
  ASSERT_EQ(keyed.key_setup(pattern(implementation.key_bytes, 1)), Status::ok);
  for (const std::size_t count : {kMostMessages, kMostMessages + 1}) {
    const Buffer nonces(count * implementation.nonce_bytes);
    Buffer out(count * implementation.tag_bytes);
    const Batch batch{keyed.contexts().first(count), nonces, {}, {}, out};
    EXPECT_EQ(encrypt_batch(implementation, batch), count > kMostMessages ? Status::bad_length : Status::ok);
  }
}

INSTANTIATE_TEST_SUITE_P(Provider, Batches, ::testing::ValuesIn(available_cases()),
                         case_name<::testing::TestParamInfo<Case>>);
INSTANTIATE_TEST_SUITE_P(Provider, AeadBatches, ::testing::ValuesIn(available_aeads()),
                         case_name<::testing::TestParamInfo<Case>>);

}  // namespace
}  // namespace ciphermark::testing
