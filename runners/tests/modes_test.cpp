// The modes over block ciphers of every size, against the formulas of SP 800-38A written block by block.
//
// The ciphers of this project that have vectors have blocks of 8 and 16 bytes; a toy cipher has any size and
// any number of blocks in parallel, so that no mode relies on those of AES.

#include "modes/modes.h"

#include <gtest/gtest.h>

#include "provider/keyed.h"
#include "provider_cases.h"

namespace ciphermark::testing {
namespace {

/// An invertible map of a block under a one-byte key. Not a cipher: it need only be a permutation.
template <std::size_t kBytes, std::size_t kParallel>
class Toy {
 public:
  static constexpr std::size_t kBlockBytes = kBytes;
  static constexpr std::size_t kKeyBytes = 1;
  static constexpr std::size_t kParallelBlocks = kParallel;

  Status set_key(Bytes key) noexcept {
    key_ = key[0];
    return Status::ok;
  }
  void encrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    for (; blocks > 0; --blocks, in += kBytes, out += kBytes) encrypt_one(in, out);
  }
  void decrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    for (; blocks > 0; --blocks, in += kBytes, out += kBytes) decrypt_one(in, out);
  }

 private:
  void encrypt_one(const std::uint8_t* in, std::uint8_t* out) const noexcept {
    std::uint8_t chained = key_;
    for (std::size_t i = 0; i < kBytes; ++i)
      out[i] = chained = static_cast<std::uint8_t>(167 * (in[i] ^ chained) + 13);
  }
  void decrypt_one(const std::uint8_t* in, std::uint8_t* out) const noexcept {
    std::uint8_t chained = key_;
    for (std::size_t i = 0; i < kBytes; ++i) {
      // 23 is the inverse of 167 modulo 256.
      const std::uint8_t cipher = in[i];
      out[i] = static_cast<std::uint8_t>((23 * (cipher - 13)) ^ chained);
      chained = cipher;
    }
  }

  std::uint8_t key_ = 0;
};

/// SP 800-38A as printed, one block after the other, without batches.
template <typename Cipher>
class Formulas {
 public:
  explicit Formulas(Bytes key) { EXPECT_EQ(cipher_.set_key(key), Status::ok); }

  [[nodiscard]] Buffer encrypt(std::string_view mode, Buffer nonce, const Buffer& in) const {
    Buffer out;
    Buffer block = nonce;
    for (std::size_t at = 0; at < in.size(); at += Cipher::kBlockBytes) {
      const Bytes plain = Bytes(in).subspan(at, std::min(Cipher::kBlockBytes, in.size() - at));
      Buffer sealed(plain.begin(), plain.end());
      if (mode == "cbc") add(sealed, block);
      if (mode == "ecb" || mode == "cbc") {
        sealed = forward(sealed);
        block = sealed;
      } else {
        const Buffer keystream = forward(block);
        add(sealed, keystream);
        if (mode == "cfb") block = sealed;
        if (mode == "ofb") block = keystream;
        if (mode == "ctr") count(block);
      }
      out.insert(out.end(), sealed.begin(), sealed.end());
    }
    return out;
  }

 private:
  [[nodiscard]] Buffer forward(const Buffer& block) const {
    Buffer out(block.size());
    cipher_.encrypt_blocks(block.data(), out.data(), 1);
    return out;
  }
  static void add(Buffer& to, const Buffer& other) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] ^= other[i];
  }
  static void count(Buffer& block) {
    for (std::size_t i = block.size(); i-- > 0;) {
      if (++block[i] != 0) break;
    }
  }

  Cipher cipher_;
};

template <std::size_t kBytes, std::size_t kParallel>
struct Shape {
  using Cipher = Toy<kBytes, kParallel>;
};

template <typename Tested>
class Modes : public ::testing::Test {};

/// The block sizes of Speck and Simon (4, 6, 8, 12, 16 bytes), one block at a time and in batches.
using Shapes = ::testing::Types<Shape<4, 1>, Shape<4, 16>, Shape<6, 5>, Shape<8, 1>, Shape<8, 4>,
                                Shape<12, 3>, Shape<16, 1>, Shape<16, 8>>;
TYPED_TEST_SUITE(Modes, Shapes);

constexpr Variant kVariant{.name = "toy", .constant_time = false, .preference = 0, .requires_features = ""};

/// nonce is the first counter, so 0xff… wraps after one block.
template <typename Cipher>
void expect_formulas(const Implementation& described, const Buffer& nonce, std::size_t bytes) {
  const Buffer key{0x5a};
  const Buffer plaintext = pattern(bytes, bytes);
  const Buffer expected = Formulas<Cipher>(key).encrypt(described.algorithm.substr(4), nonce, plaintext);
  const Buffer used_nonce(nonce.begin(), nonce.begin() + static_cast<std::ptrdiff_t>(described.nonce_bytes));
  Keyed keyed(described);
  ASSERT_EQ(keyed.key_setup(key), Status::ok);
  Buffer memory(bytes);
  ASSERT_EQ(keyed.encrypt(used_nonce, {}, plaintext, memory), Status::ok);
  EXPECT_EQ(memory, expected) << described.algorithm << ' ' << bytes;
  ASSERT_EQ(keyed.decrypt(used_nonce, {}, memory, memory), Status::ok);
  EXPECT_EQ(memory, plaintext) << described.algorithm << ' ' << bytes << " in place";
}

TYPED_TEST(Modes, AreTheFormulasOfTheStandard) {
  using Cipher = typename TypeParam::Cipher;
  static constexpr auto kDescribed = modes::describe_modes<Cipher, "toy", "this test">(kVariant);
  for (const Implementation& described : kDescribed) {
    for (std::size_t bytes = 0; bytes <= 40 * Cipher::kBlockBytes; ++bytes) {
      if (described.whole_blocks_only && bytes % Cipher::kBlockBytes != 0) continue;
      expect_formulas<Cipher>(described, pattern(Cipher::kBlockBytes, 7), bytes);
      expect_formulas<Cipher>(described, Buffer(Cipher::kBlockBytes, 0xff), bytes);
    }
  }
}

// A carry must cross from the low 64 bits of the counter into the high ones.
TYPED_TEST(Modes, CountersCarryOverEveryByte) {
  using Cipher = typename TypeParam::Cipher;
  static constexpr auto kDescribed = modes::describe_modes<Cipher, "toy", "this test">(kVariant);
  for (std::size_t ones = 1; ones < Cipher::kBlockBytes; ++ones) {
    Buffer nonce(Cipher::kBlockBytes, 0x31);
    std::fill(nonce.end() - static_cast<std::ptrdiff_t>(ones), nonce.end(), std::uint8_t{0xff});
    expect_formulas<Cipher>(kDescribed[4], nonce, 3 * Cipher::kBlockBytes);
  }
}

TYPED_TEST(Modes, DescribeThemselves) {
  using Cipher = typename TypeParam::Cipher;
  static constexpr auto kDescribed = modes::describe_modes<Cipher, "toy", "this test">(kVariant);
  std::vector<std::string_view> names;
  for (const Implementation& described : kDescribed) {
    names.push_back(described.algorithm);
    EXPECT_EQ(described.block_bytes, Cipher::kBlockBytes);
    EXPECT_EQ(described.nonce_bytes, described.algorithm == "toy-ecb" ? 0 : Cipher::kBlockBytes);
    EXPECT_TRUE(described.source.starts_with("this test; SP 800-38A section 6."));
  }
  EXPECT_EQ(names, (std::vector<std::string_view>{"toy-ecb", "toy-cbc", "toy-cfb", "toy-ofb", "toy-ctr"}));
}

// A block of 32 bits has 2^32 counters: after 16 GiB the keystream would begin again, and CTR once took such
// messages.
TYPED_TEST(Modes, CountersMustNotRepeat) {
  using Cipher = typename TypeParam::Cipher;
  static constexpr auto kDescribed = modes::describe_modes<Cipher, "toy", "this test">(kVariant);
  std::uint64_t longest = kNoMessageLimit;
  if (Cipher::kBlockBytes == 4) longest = 17'179'869'184U;
  if (Cipher::kBlockBytes == 6) longest = 1'688'849'860'263'936U;
  for (const Implementation& described : kDescribed) {
    const bool counts = described.algorithm == "toy-ctr";
    EXPECT_EQ(described.max_message_bytes, counts ? longest : kNoMessageLimit) << described.algorithm;
  }
}

// Vector code computes many blocks together; every part of the counter must carry into the next.
template <std::size_t kBytes>
void expect_add_is_many_increments() {
  for (std::size_t ones = 0; ones <= kBytes; ++ones) {
    Buffer start(kBytes, 0x7e);
    std::fill_n(start.rbegin(), ones, 0xff);
    modes::BlockCounter<kBytes> counter(start.data());
    modes::BlockCounter<kBytes> ahead(start.data());
    for (int i = 0; i < 300; ++i) counter.increment();
    ahead.add(300);
    Buffer counted(kBytes), added(kBytes);
    counter.store(counted.data());
    ahead.store(added.data());
    EXPECT_TRUE(counted == added) << kBytes << " bytes, " << ones << " of them ones";
  }
}

TEST(BlockCounter, AddEqualsRepeatedIncrements) {
  expect_add_is_many_increments<4>();
  expect_add_is_many_increments<6>();
  expect_add_is_many_increments<8>();
  expect_add_is_many_increments<12>();
  expect_add_is_many_increments<16>();
}

}  // namespace
}  // namespace ciphermark::testing
