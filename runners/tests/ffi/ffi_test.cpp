// The C interface of the library for programs in other languages: descriptions, statuses and one published
// vector.
#include "ciphermark/ffi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Data = std::vector<std::uint8_t>;

struct FreeKey {
  void operator()(ciphermark_key* key) const { ciphermark_key_free(key); }
};
using KeyPointer = std::unique_ptr<ciphermark_key, FreeKey>;

std::optional<std::size_t> number_of(std::string_view name) {
  for (std::size_t number = 0; number < ciphermark_algorithm_count(); ++number) {
    if (ciphermark_algorithm_at(number)->name == name) return number;
  }
  return std::nullopt;
}

Data counting(std::size_t bytes) {
  Data data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(i);
  return data;
}

KeyPointer keyed(std::size_t number) {
  const Data key = counting(ciphermark_algorithm_at(number)->key_bytes);
  ciphermark_key* made = nullptr;
  EXPECT_EQ(ciphermark_key_new(number, key.data(), key.size(), &made), CIPHERMARK_OK);
  return KeyPointer(made);
}

ciphermark_status encrypt(const KeyPointer& key, const Data& nonce, const Data& data, const Data& in,
                          Data& out) {
  return ciphermark_encrypt(key.get(), nonce.data(), nonce.size(), data.data(), data.size(), in.data(),
                            in.size(), out.data(), out.size());
}

ciphermark_status decrypt(const KeyPointer& key, const Data& nonce, const Data& data, const Data& in,
                          Data& out) {
  return ciphermark_decrypt(key.get(), nonce.data(), nonce.size(), data.data(), data.size(), in.data(),
                            in.size(), out.data(), out.size());
}

TEST(Ffi, AlgorithmsAreSortedByNameAndDescribed) {
  ASSERT_GT(ciphermark_algorithm_count(), 50U);
  std::string before;
  for (std::size_t number = 0; number < ciphermark_algorithm_count(); ++number) {
    const ciphermark_algorithm& one = *ciphermark_algorithm_at(number);
    EXPECT_LT(before, one.name);
    before = one.name;
    EXPECT_NE(std::string_view(one.variant), "");
    EXPECT_NE(std::string_view(one.source), "");
    EXPECT_GT(one.key_bytes, 0U);
    EXPECT_GT(one.block_bytes, 0U);
    EXPECT_GT(one.max_message_bytes, 0U);
    EXPECT_EQ(one.tag_bytes != 0, one.kind == CIPHERMARK_AEAD) << one.name;
  }
  EXPECT_EQ(ciphermark_algorithm_at(ciphermark_algorithm_count()), nullptr);
}

TEST(Ffi, AlgorithmsHaveTheFactsOfTheirDocuments) {
  const std::optional<std::size_t> number = number_of("aes-192-cbc");
  ASSERT_TRUE(number);
  const ciphermark_algorithm& one = *ciphermark_algorithm_at(*number);
  EXPECT_EQ(one.kind, CIPHERMARK_BLOCK_MODE);
  EXPECT_EQ(one.key_bytes, 24U);
  EXPECT_EQ(one.nonce_bytes, 16U);
  EXPECT_EQ(one.block_bytes, 16U);
  EXPECT_EQ(one.whole_blocks_only, 1);
  EXPECT_EQ(std::string_view(one.source), "FIPS 197; SP 800-38A section 6.2");
}

TEST(Ffi, NoAlgorithmIsAMaskedVariant) {
  for (std::size_t number = 0; number < ciphermark_algorithm_count(); ++number) {
    EXPECT_EQ(std::string_view(ciphermark_algorithm_at(number)->variant).find("masked"),
              std::string_view::npos);
  }
}

// FIPS 197, appendix C.1.
TEST(Ffi, AesEncryptsThePublishedBlock) {
  const std::optional<std::size_t> number = number_of("aes-128-ecb");
  ASSERT_TRUE(number);
  const KeyPointer key = keyed(*number);
  const Data in = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                   0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
  const Data expected = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                         0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
  Data out(16);
  ASSERT_EQ(encrypt(key, {}, {}, in, out), CIPHERMARK_OK);
  EXPECT_EQ(out, expected);
}

TEST(Ffi, EveryAlgorithmDecryptsWhatItEncryptedInPlace) {
  for (std::size_t number = 0; number < ciphermark_algorithm_count(); ++number) {
    const ciphermark_algorithm& one = *ciphermark_algorithm_at(number);
    const KeyPointer key = keyed(number);
    const Data nonce = counting(one.nonce_bytes);
    const Data data = counting(one.kind == CIPHERMARK_AEAD ? 21 : 0);
    const Data message = counting(3 * one.block_bytes);
    Data memory(message.size() + one.tag_bytes);
    std::copy(message.begin(), message.end(), memory.begin());
    ASSERT_EQ(ciphermark_encrypt(key.get(), nonce.data(), nonce.size(), data.data(), data.size(),
                                 memory.data(), message.size(), memory.data(), memory.size()),
              CIPHERMARK_OK)
        << one.name;
    EXPECT_FALSE(std::equal(message.begin(), message.end(), memory.begin())) << one.name;
    ASSERT_EQ(ciphermark_decrypt(key.get(), nonce.data(), nonce.size(), data.data(), data.size(),
                                 memory.data(), memory.size(), memory.data(), message.size()),
              CIPHERMARK_OK)
        << one.name;
    EXPECT_TRUE(std::equal(message.begin(), message.end(), memory.begin())) << one.name;
  }
}

TEST(Ffi, KeyInStorageOfTheCallerEncryptsTheSame) {
  for (std::size_t number = 0; number < ciphermark_algorithm_count(); ++number) {
    const ciphermark_algorithm& one = *ciphermark_algorithm_at(number);
    const Data key_data = counting(one.key_bytes);
    const Data nonce = counting(one.nonce_bytes);
    const Data message = counting(2 * one.block_bytes);
    Data expected(message.size() + one.tag_bytes);
    ASSERT_EQ(encrypt(keyed(number), nonce, {}, message, expected), CIPHERMARK_OK);
    // Every address modulo the alignment, with guards behind the storage.
    const std::size_t bytes = ciphermark_key_storage_bytes(number);
    Data memory(bytes + CIPHERMARK_KEY_ALIGNMENT + 8);
    for (std::size_t offset = 0; offset < CIPHERMARK_KEY_ALIGNMENT; ++offset) {
      std::fill(memory.begin(), memory.end(), std::uint8_t{0xa5});
      ciphermark_key* key = nullptr;
      std::uint8_t* storage = memory.data() + offset;
      ASSERT_EQ(ciphermark_key_in_storage(number, key_data.data(), key_data.size(), storage, bytes, &key),
                CIPHERMARK_OK);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(key) % CIPHERMARK_KEY_ALIGNMENT, 0U);
      Data out(expected.size());
      EXPECT_EQ(ciphermark_encrypt(key, nonce.data(), nonce.size(), nullptr, 0, message.data(),
                                   message.size(), out.data(), out.size()),
                CIPHERMARK_OK);
      EXPECT_EQ(out, expected) << one.name;
      ciphermark_key_wipe(key);
      EXPECT_TRUE(std::all_of(storage + bytes, memory.data() + memory.size(), [](std::uint8_t byte) {
        return byte == 0xa5;
      })) << one.name;
    }
    ciphermark_key* refused = nullptr;
    EXPECT_EQ(ciphermark_key_in_storage(number, key_data.data(), key_data.size(), memory.data(), bytes - 1,
                                        &refused),
              CIPHERMARK_BAD_ARGUMENT);
    EXPECT_EQ(refused, nullptr);
  }
  EXPECT_EQ(ciphermark_key_storage_bytes(ciphermark_algorithm_count()), 0U);
}

TEST(Ffi, ForgedTagGivesZeros) {
  for (std::size_t number = 0; number < ciphermark_algorithm_count(); ++number) {
    const ciphermark_algorithm& one = *ciphermark_algorithm_at(number);
    if (one.kind != CIPHERMARK_AEAD) continue;
    const KeyPointer key = keyed(number);
    const Data nonce = counting(one.nonce_bytes);
    Data sealed(17 + one.tag_bytes);
    ASSERT_EQ(encrypt(key, nonce, {}, counting(17), sealed), CIPHERMARK_OK);
    sealed.back() ^= 1U;
    Data opened(17, 0xff);
    EXPECT_EQ(decrypt(key, nonce, {}, sealed, opened), CIPHERMARK_AUTHENTICATION_FAILED) << one.name;
    EXPECT_EQ(opened, Data(17)) << one.name;
  }
}

TEST(Ffi, WrongLengthsAreRefused) {
  for (std::size_t number = 0; number < ciphermark_algorithm_count(); ++number) {
    const ciphermark_algorithm& one = *ciphermark_algorithm_at(number);
    const Data key_data = counting(one.key_bytes + 1);
    ciphermark_key* refused = nullptr;
    EXPECT_EQ(ciphermark_key_new(number, key_data.data(), key_data.size(), &refused), CIPHERMARK_BAD_LENGTH);
    EXPECT_EQ(refused, nullptr);

    const KeyPointer key = keyed(number);
    const Data nonce = counting(one.nonce_bytes);
    const Data message = counting(2 * one.block_bytes);
    Data out(message.size() + one.tag_bytes);
    Data longer(out.size() + 1);
    EXPECT_EQ(encrypt(key, counting(one.nonce_bytes + 1), {}, message, out), CIPHERMARK_BAD_LENGTH)
        << one.name;
    EXPECT_EQ(encrypt(key, nonce, {}, message, longer), CIPHERMARK_BAD_LENGTH) << one.name;
    EXPECT_EQ(decrypt(key, nonce, {}, message, longer), CIPHERMARK_BAD_LENGTH) << one.name;
    if (one.kind != CIPHERMARK_AEAD) {
      EXPECT_EQ(encrypt(key, nonce, counting(1), message, out), CIPHERMARK_BAD_LENGTH) << one.name;
    }
    if (one.whole_blocks_only != 0) {
      Data part(one.block_bytes + 1);
      EXPECT_EQ(encrypt(key, nonce, {}, counting(part.size()), part), CIPHERMARK_BAD_LENGTH) << one.name;
    }
  }
}

TEST(Ffi, MissingArgumentsAreRefused) {
  const std::optional<std::size_t> number = number_of("ascon-aead128");
  ASSERT_TRUE(number);
  const Data key_data = counting(16);
  ciphermark_key* made = nullptr;
  EXPECT_EQ(ciphermark_key_new(*number, key_data.data(), 16, nullptr), CIPHERMARK_BAD_ARGUMENT);
  EXPECT_EQ(ciphermark_key_new(*number, nullptr, 16, &made), CIPHERMARK_BAD_ARGUMENT);
  EXPECT_EQ(ciphermark_key_new(ciphermark_algorithm_count(), key_data.data(), 16, &made),
            CIPHERMARK_BAD_ARGUMENT);
  EXPECT_EQ(made, nullptr);

  Data out(32);
  const KeyPointer key = keyed(*number);
  EXPECT_EQ(ciphermark_encrypt(nullptr, key_data.data(), 16, nullptr, 0, key_data.data(), 16, out.data(), 32),
            CIPHERMARK_BAD_ARGUMENT);
  EXPECT_EQ(ciphermark_encrypt(key.get(), nullptr, 16, nullptr, 0, key_data.data(), 16, out.data(), 32),
            CIPHERMARK_BAD_ARGUMENT);
  EXPECT_EQ(
      ciphermark_encrypt(key.get(), key_data.data(), 16, nullptr, 1, key_data.data(), 16, out.data(), 32),
      CIPHERMARK_BAD_ARGUMENT);
  EXPECT_EQ(ciphermark_decrypt(key.get(), key_data.data(), 16, nullptr, 0, nullptr, 32, out.data(), 16),
            CIPHERMARK_BAD_ARGUMENT);
  EXPECT_EQ(ciphermark_decrypt(key.get(), key_data.data(), 16, nullptr, 0, key_data.data(), 16, nullptr, 16),
            CIPHERMARK_BAD_ARGUMENT);
  // Nothing: only the tag is written.
  EXPECT_EQ(ciphermark_encrypt(key.get(), key_data.data(), 16, nullptr, 0, nullptr, 0, out.data(), 16),
            CIPHERMARK_OK);
  ciphermark_key_free(nullptr);
}

}  // namespace
