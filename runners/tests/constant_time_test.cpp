// The ctgrind method (A. Langley, 2010): under valgrind's memcheck the key and the plaintext are marked
// undefined, and every branch and every address that depends on them is an error. Executed for each
// implementation that claims to be in constant time.

#include <gtest/gtest.h>

#if defined(__SANITIZE_ADDRESS__)
#define CIPHERMARK_WITH_ADDRESS_SANITIZER
#elif defined(__has_feature)  // Clang
#if __has_feature(address_sanitizer)
#define CIPHERMARK_WITH_ADDRESS_SANITIZER
#endif
#endif

#if !__has_include(<valgrind/memcheck.h>)

TEST(ConstantTime, UnderValgrind) { GTEST_SKIP() << "valgrind/memcheck.h was not found; install valgrind"; }

#else

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/memcheck.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "ciphermark/bytes.h"
#include "ciphermark/describe.h"
#include "masked/randomness.h"
#include "provider/keyed.h"
#include "provider/masking.h"
#include "provider_cases.h"

namespace ciphermark::testing {
namespace {

void make_secret(Buffer& bytes) { VALGRIND_MAKE_MEM_UNDEFINED(bytes.data(), bytes.size()); }
void make_public(Buffer& bytes) { VALGRIND_MAKE_MEM_DEFINED(bytes.data(), bytes.size()); }

/// Encrypts and decrypts under a secret key and returns how often memcheck complained.
unsigned complaints_about(const Implementation& implementation, std::size_t bytes) {
  Buffer key = pattern(implementation.key_bytes, 1);
  const Buffer nonce = pattern(implementation.nonce_bytes, 2);
  const Buffer data = pattern(implementation.kind == Kind::aead ? 20 : 0, 3);
  Buffer plaintext = pattern(bytes, 4);
  Buffer out(bytes + implementation.tag_bytes), back(bytes);
  make_secret(key);
  make_secret(plaintext);
  const unsigned before = VALGRIND_COUNT_ERRORS;
  {
    Keyed keyed(implementation);
    EXPECT_EQ(keyed.key_setup(key), Status::ok);
    EXPECT_EQ(keyed.encrypt(nonce, data, plaintext, out), Status::ok);
    make_public(out);
    EXPECT_EQ(keyed.decrypt(nonce, data, out, back), Status::ok);
  }
  const unsigned complaints = VALGRIND_COUNT_ERRORS - before;
  // What came out was really computed from the secret, or the check would have looked at nothing.
  Buffer undefined_bits(bytes);
  VALGRIND_GET_VBITS(back.data(), undefined_bits.data(), bytes);
  EXPECT_TRUE(std::ranges::all_of(undefined_bits, [](std::uint8_t bits) { return bits != 0; }));
  make_public(back);
  make_public(plaintext);
  EXPECT_TRUE(back == plaintext);
  return complaints;
}

// ---- Faults that the method must find ----

/// XORs its only key byte onto the message, after a step that depends on the key as it must not.
template <auto kLeak>
class Leaky {
 public:
  static constexpr std::size_t kKeyBytes = 1;
  static constexpr std::size_t kNonceBytes = 0;
  static constexpr std::size_t kBlockBytes = 1;
  static constexpr bool kWholeBlocksOnly = false;
  static constexpr std::uint64_t kMaxMessageBytes = kNoMessageLimit;

  Status set_key(Bytes key) noexcept {
    key_ = key[0];
    return Status::ok;
  }
  void encrypt(const std::uint8_t* /*nonce*/, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    kLeak(key_);
    for (std::size_t i = 0; i < bytes; ++i) out[i] = in[i] ^ key_;
  }
  void decrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    encrypt(nonce, in, out, bytes);
  }

  static Implementation described() {
    return describe_stream<Leaky>(
        "planted", "this test",
        {.name = "leaky", .constant_time = true, .preference = 0, .requires_features = ""});
  }

 private:
  std::uint8_t key_ = 0;
};

volatile std::uint8_t sink;
volatile const std::uint8_t table[256] = {};

void leak_nothing(std::uint8_t key) { sink = key; }
void branch_on_secret(std::uint8_t key) {
  if ((key & 1) != 0) sink = 1;
}
void index_by_secret(std::uint8_t key) { sink = table[key]; }

class Memcheck : public ::testing::Test {
 protected:
  void SetUp() override {
    if (RUNNING_ON_VALGRIND == 0) GTEST_SKIP() << "executed under valgrind by ConstantTime.UnderValgrind";
  }
};

TEST_F(Memcheck, ASecretBranchIsFound) {
  EXPECT_GT(complaints_about(Leaky<branch_on_secret>::described(), 8), 0U);
}
TEST_F(Memcheck, ASecretTableIndexIsFound) {
  EXPECT_GT(complaints_about(Leaky<index_by_secret>::described(), 8), 0U);
}
TEST_F(Memcheck, WithoutALeakNothingIsFound) {
  EXPECT_EQ(complaints_about(Leaky<leak_nothing>::described(), 8), 0U);
}

/// A library compares tags in a function of its own, which is not the one that the end of this file declares
/// public: the one branch that accepts or refuses a message is what its AEADs may be complained about.
unsigned allowed_complaints(const Implementation& implementation) {
  return implementation.kind == Kind::aead && provider().name != std::string_view("own") ? 1 : 0;
}

TEST_F(Memcheck, NoBranchAndNoAddressDependsOnASecret) {
  for (const Case& tested : available_cases()) {
    if (!tested->constant_time) continue;
    const std::size_t partial = tested->whole_blocks_only ? 0 : 5;
    for (const std::size_t blocks : {1U, 2U, 9U}) {
      EXPECT_LE(complaints_about(*tested, blocks * tested->block_bytes + partial),
                allowed_complaints(*tested))
          << tested->algorithm << ' ' << tested->variant << ", " << blocks << " blocks";
    }
  }
}

/// Its bytes are undefined, so that all shares are.
class UndefinedGenerator : public masked::Generator {
 public:
  bool begin_packet() override { return true; }
  bool fill(MutableBytes out) override {
    const Buffer bytes = pattern(out.size(), ++fills_);
    std::ranges::copy(bytes, out.begin());
    VALGRIND_MAKE_MEM_UNDEFINED(out.data(), out.size());
    return true;
  }
  [[nodiscard]] std::size_t batch_bytes() const override { return masked::kMostBatchBytes; }

 private:
  std::uint64_t fills_ = 0;
};

TEST_F(Memcheck, NoBranchAndNoAddressDependsOnAShare) {
  for (const Case& tested : available_cases()) {
    for (const MaskedForm& form : tested->masked_forms) {
      masked::use_generator(std::make_unique<UndefinedGenerator>());
      EXPECT_EQ(complaints_about(with_form(*tested, form), 2 * tested->block_bytes + 5), 0U)
          << tested->algorithm << ' ' << tested->variant << ", " << form.shares << " shares, "
          << degree_name(form.degree);
    }
  }
  masked::use_generator(masked::generator_kinds().front().make());
}

/// Executes this program's Memcheck tests under valgrind; returns its wait status, or -1 if there is no
/// valgrind.
int execute_under_valgrind() {
  std::array<char, 4096> self{};
  if (readlink("/proc/self/exe", self.data(), self.size() - 1) < 0) return -1;
  std::string valgrind = "valgrind", quiet = "--quiet", filter = "--gtest_filter=Memcheck.*";
  std::array<char*, 5> arguments{valgrind.data(), quiet.data(), self.data(), filter.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, valgrind.c_str(), nullptr, nullptr, arguments.data(), environ) != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

TEST(ConstantTime, UnderValgrind) {
  if (RUNNING_ON_VALGRIND != 0) GTEST_SKIP() << "already under valgrind";
#if defined(CIPHERMARK_WITH_ADDRESS_SANITIZER)
  GTEST_SKIP() << "valgrind cannot execute a program with AddressSanitizer";
#endif
  const int status = execute_under_valgrind();
  if (status == -1) GTEST_SKIP() << "valgrind was not found; install valgrind to check for constant time";
  ASSERT_TRUE(WIFEXITED(status)) << "valgrind ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "the output above names the implementation";
}

}  // namespace
}  // namespace ciphermark::testing

// Whether a tag was right is no secret once it is decided: memcheck replaces constant_time_equal (in the
// program itself, "NONE") by this, which calls the original and declares the answer defined. The name is the
// mangled one.
#if __SIZEOF_SIZE_T__ == 8
#define CIPHERMARK_EQUAL_SYMBOL _ZN10ciphermark19constant_time_equalEPKhS1_m
#else
#define CIPHERMARK_EQUAL_SYMBOL _ZN10ciphermark19constant_time_equalEPKhS1_j
#endif
extern "C" unsigned long I_WRAP_SONAME_FNNAME_ZU(NONE, CIPHERMARK_EQUAL_SYMBOL)(const std::uint8_t* a,
                                                                                const std::uint8_t* b,
                                                                                std::size_t n);
extern "C" unsigned long I_WRAP_SONAME_FNNAME_ZU(NONE, CIPHERMARK_EQUAL_SYMBOL)(const std::uint8_t* a,
                                                                                const std::uint8_t* b,
                                                                                std::size_t n) {
  OrigFn original;
  VALGRIND_GET_ORIG_FN(original);
  unsigned long equal = 0;
  CALL_FN_W_WWW(equal, original, a, b, n);
  VALGRIND_MAKE_MEM_DEFINED(&equal, sizeof(equal));
  return equal;
}

#endif
