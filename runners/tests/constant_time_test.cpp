// The method of the command `constant-time`, with faults that it must find, and on each implementation that
// claims to be in constant time.

#include <gtest/gtest.h>

#if defined(__SANITIZE_ADDRESS__)
#define CIPHERMARK_WITH_ADDRESS_SANITIZER
#elif defined(__has_feature)  // Clang
#if __has_feature(address_sanitizer)
#define CIPHERMARK_WITH_ADDRESS_SANITIZER
#endif
#endif

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <string>

#include "ciphermark/describe.h"
#include "cli/constant_time/follower.h"
#include "cli/constant_time/secrets.h"
#include "cli/constant_time/timing_classes.h"
#include "provider/masking.h"
#include "provider_cases.h"

namespace ciphermark::testing {
namespace {

/// Errors in a key setup, an encryption and a decryption.
std::uint64_t complaints_about(const Implementation& implementation, std::size_t bytes) {
  return follow_secrets(implementation, bytes, 1).total();
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

void slow_for_one_secret(std::uint8_t key) {
  if (key < 128) {
    for (int i = 0; i < 1000; ++i) sink = key;
  }
}
void sleep_always(std::uint8_t /*key*/) { usleep(2'000); }

TEST(Timing, ALoopThatDependsOnTheSecretIsFound) {
  const TimingClasses found = compare_classes(Leaky<slow_for_one_secret>::described(), 20'000);
  EXPECT_EQ(found.reason, "");
  EXPECT_EQ(found.calls, 20'000U);
  EXPECT_GT(std::abs(found.t), 10);
}
TEST(Timing, SlowCallsAreTooFew) {
  const TimingClasses found = compare_classes(Leaky<sleep_always>::described(), 20'000);
  EXPECT_LT(found.calls, 1'000U);
  EXPECT_NE(found.reason, "");
}

class Secrets : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = follower::missing_reason();
    if (!reason.empty()) GTEST_SKIP() << "executed by ConstantTime.UnderValgrind; " << reason;
  }
};

TEST_F(Secrets, ASecretBranchIsFound) {
  EXPECT_GT(complaints_about(Leaky<branch_on_secret>::described(), 8), 0U);
}
TEST_F(Secrets, ASecretTableIndexIsFound) {
  EXPECT_GT(complaints_about(Leaky<index_by_secret>::described(), 8), 0U);
}
TEST_F(Secrets, ALeakOfTheCodeForBatchesIsFound) {
  Implementation implementation = Leaky<leak_nothing>::described();
  implementation.encrypt_batch = [](const Batch& batch) {
    for (std::size_t i = 0; i < batch.messages(); ++i) {
      const std::uint8_t key = *static_cast<const std::uint8_t*>(batch.contexts[i]);
      branch_on_secret(key);
      const Bytes in = batch.part(batch.in, i);
      std::ranges::transform(in, batch.part(batch.out, i).begin(),
                             [key](std::uint8_t byte) { return static_cast<std::uint8_t>(byte ^ key); });
    }
    return Status::ok;
  };
  EXPECT_GT(check_secrets(implementation).errors.encrypt, 0U);
}
TEST_F(Secrets, WithoutALeakNothingIsFound) {
  EXPECT_EQ(complaints_about(Leaky<leak_nothing>::described(), 8), 0U);
}

TEST_F(Secrets, NoBranchAndNoAddressDependsOnASecret) {
  for (const Case& tested : available_cases()) {
    const bool is_own = provider().name == std::string_view("own");
    if (!tested->constant_time && !is_own) continue;
    const SecretsReport found = check_secrets(*tested);
    EXPECT_EQ(found.errors.total() == 0, tested->constant_time)
        << found.errors.total() << " errors, " << tested->algorithm << ' ' << tested->variant
        << ", message of " << found.message_bytes.back() << " bytes";
  }
}

TEST_F(Secrets, NoBranchAndNoAddressDependsOnAShare) {
  for (const Case& tested : available_cases()) {
    for (const MaskedForm& form : tested->masked_forms) {
      EXPECT_EQ(complaints_about(with_form(*tested, form), 2 * tested->block_bytes + 5), 0U)
          << tested->algorithm << ' ' << tested->variant << ", " << form.shares << " shares, "
          << degree_name(form.degree);
    }
  }
}

/// Executes this program's tests of secrets under valgrind; returns its wait status, or -1 if there is no
/// valgrind.
int execute_under_valgrind() {
  std::array<char, 4096> self{};
  if (readlink("/proc/self/exe", self.data(), self.size() - 1) < 0) return -1;
  std::string valgrind = "valgrind", quiet = "--quiet", all = "--error-limit=no";
  std::string filter = "--gtest_filter=Secrets.*";
  std::array<char*, 6> arguments{valgrind.data(), quiet.data(),  all.data(),
                                 self.data(),     filter.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, valgrind.c_str(), nullptr, nullptr, arguments.data(), environ) != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

TEST(ConstantTime, UnderValgrind) {
  if (follower::is_active()) GTEST_SKIP() << "secrets are followed in this process";
#if defined(CIPHERMARK_WITH_ADDRESS_SANITIZER)
  GTEST_SKIP() << "valgrind cannot execute a program with AddressSanitizer";
#elif !__has_include(<valgrind/memcheck.h>)
  GTEST_SKIP() << "valgrind/memcheck.h was not found; install valgrind";
#endif
  const int status = execute_under_valgrind();
  if (status == -1) GTEST_SKIP() << "valgrind was not found; install valgrind to check for constant time";
  ASSERT_TRUE(WIFEXITED(status)) << "valgrind ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "the output above names the implementation";
}

}  // namespace
}  // namespace ciphermark::testing
