#include "cli/constant_time/secrets.h"

#include "core/failure.h"

#if !__has_include(<valgrind/memcheck.h>)

namespace ciphermark {

std::string no_secrets_reason() {
  return "this program was compiled without valgrind/memcheck.h: install valgrind before the runners are "
         "compiled";
}

bool is_under_valgrind() { return false; }

SecretErrors follow_secrets(const Implementation& /*implementation*/, std::size_t /*message_bytes*/,
                            std::size_t /*messages*/) {
  throw Failure(FailureKind::internal, no_secrets_reason());
}

SecretsReport check_secrets(const Implementation& /*implementation*/) {
  throw Failure(FailureKind::internal, no_secrets_reason());
}

}  // namespace ciphermark

#else

#include <valgrind/memcheck.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "ciphermark/bytes.h"
#include "masked/randomness.h"
#include "provider/batch.h"

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

namespace ciphermark {
namespace {

using Buffer = std::vector<std::uint8_t>;

void make_secret(MutableBytes bytes) { VALGRIND_MAKE_MEM_UNDEFINED(bytes.data(), bytes.size()); }
void make_public(MutableBytes bytes) { VALGRIND_MAKE_MEM_DEFINED(bytes.data(), bytes.size()); }

/// Bytes that look random and are the same in every execution: the high byte of a 64-bit linear congruential
/// generator (D. Knuth's MMIX constants).
Buffer pattern(std::size_t bytes, std::uint64_t seed) {
  Buffer made(bytes);
  for (std::uint8_t& byte : made) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<std::uint8_t>(seed >> 56);
  }
  return made;
}

/// Its bytes are undefined, so that all shares are.
class SecretMasks : public masked::Generator {
 public:
  bool begin_packet() override { return true; }
  bool fill(MutableBytes out) override {
    const Buffer bytes = pattern(out.size(), ++fills_);
    std::ranges::copy(bytes, out.begin());
    make_secret(out);
    return true;
  }
  [[nodiscard]] std::size_t batch_bytes() const override { return masked::kMostBatchBytes; }

 private:
  std::uint64_t fills_ = 0;
};

/// The masks of a masked variant are secret until the scope ends.
class MasksInUse {
 public:
  explicit MasksInUse(const Implementation& implementation) : masked_(!implementation.masked_forms.empty()) {
    if (masked_) masked::use_generator(std::make_unique<SecretMasks>());
  }
  MasksInUse(const MasksInUse&) = delete;
  MasksInUse& operator=(const MasksInUse&) = delete;
  ~MasksInUse() {
    if (masked_) masked::use_generator(masked::generator_kinds().front().make());
  }

 private:
  bool masked_;
};

/// Errors that memcheck reports while `step` executes. Throws Failure (internal) if the step fails.
template <typename Step>
std::uint64_t errors_in(std::string_view name, Step step) {
  const std::uint64_t before = VALGRIND_COUNT_ERRORS;
  Status status = step();
  const std::uint64_t errors = VALGRIND_COUNT_ERRORS - before;
  VALGRIND_MAKE_MEM_DEFINED(&status, sizeof(status));
  require_ok(status, name);
  return errors;
}

volatile std::uint8_t sink;

/// Whether memcheck reports a branch on an undefined byte now.
bool reports_a_branch_on_a_secret() {
  std::uint8_t secret = sink;
  make_secret({&secret, 1});
  const std::uint64_t before = VALGRIND_COUNT_ERRORS;
  if ((secret & 1) != 0) sink = 1;
  return VALGRIND_COUNT_ERRORS > before;
}

/// Throws Failure (internal) unless each byte was computed from an undefined one, and equals `expected`.
void require_computed_from_secret(Buffer& computed, const Buffer& expected) {
  Buffer undefined_bits(computed.size());
  VALGRIND_GET_VBITS(computed.data(), undefined_bits.data(), undefined_bits.size());
  if (!std::ranges::all_of(undefined_bits, [](std::uint8_t bits) { return bits != 0; })) {
    throw Failure(FailureKind::internal,
                  "memcheck did not follow the secret to the result, so nothing was checked");
  }
  make_public(computed);
  if (computed == expected) return;
  throw Failure(FailureKind::internal, "under valgrind the decrypted message is not the encrypted one");
}

/// A library may compare tags in a function of its own.
std::uint64_t errors_of_tag_decision(const Implementation& implementation) {
  return implementation.kind == Kind::aead && provider().name != std::string_view("own") ? 1 : 0;
}

/// Nothing calls the replacement, so the linker would drop it.
void keep_replacement() {
  static auto* volatile replacement = &I_WRAP_SONAME_FNNAME_ZU(NONE, CIPHERMARK_EQUAL_SYMBOL);
  static_cast<void>(replacement);
}

}  // namespace

bool is_under_valgrind() { return RUNNING_ON_VALGRIND != 0; }

std::string no_secrets_reason() {
  keep_replacement();
  if (!is_under_valgrind()) {
    return "not executed under valgrind: valgrind --error-limit=no PROGRAM constant-time";
  }
  if (!reports_a_branch_on_a_secret()) {
    return "this tool of valgrind reports no branch on an undefined value; expected memcheck with "
           "--error-limit=no";
  }
  return "";
}

SecretErrors follow_secrets(const Implementation& implementation, std::size_t message_bytes,
                            std::size_t messages) {
  const bool is_aead = implementation.kind == Kind::aead;
  Buffer keys = pattern(messages * implementation.key_bytes, 1);
  const Buffer nonces = pattern(messages * implementation.nonce_bytes, 2);
  const Buffer data = pattern(is_aead ? messages * kSecretAssociatedDataBytes : 0, 3);
  Buffer plaintext = pattern(messages * message_bytes, 4);
  Buffer out(messages * (message_bytes + implementation.tag_bytes));
  Buffer back(plaintext.size());
  std::vector<Status> of_messages(messages);
  make_secret(keys);
  make_secret(plaintext);
  SecretErrors errors;
  {
    const MasksInUse masks(implementation);
    KeyedBatch keyed(implementation, messages, messages);
    errors.key_setup = errors_in("key setup", [&] { return keyed.key_setup(keys); });
    const std::span<const void* const> contexts = keyed.contexts();
    errors.encrypt = errors_in("encrypt", [&] {
      return messages == 1 ? implementation.encrypt(contexts[0], nonces, data, plaintext, out)
                           : encrypt_batch(implementation, {contexts, nonces, data, plaintext, out});
    });
    make_public(out);
    errors.decrypt = errors_in("decrypt", [&] {
      return messages == 1 ? implementation.decrypt(contexts[0], nonces, data, out, back)
                           : decrypt_batch(implementation, {contexts, nonces, data, out, back}, of_messages);
    });
  }
  errors.decrypt -= std::min(errors.decrypt, errors_of_tag_decision(implementation));
  make_public(plaintext);
  // What is loaded from an address that memcheck reported counts as defined.
  if (is_under_valgrind() && errors.total() == 0) require_computed_from_secret(back, plaintext);
  return errors;
}

SecretsReport check_secrets(const Implementation& implementation) {
  constexpr std::size_t kWidestBytes = 4096;
  const std::size_t block = implementation.block_bytes;
  const std::size_t partial = implementation.whole_blocks_only ? 0 : 5;
  SecretsReport report;
  for (const std::size_t blocks : {std::size_t{1}, std::size_t{2}, std::size_t{9}, kWidestBytes / block}) {
    report.message_bytes.push_back(blocks * block + partial);
    report.errors += follow_secrets(implementation, report.message_bytes.back(), 1);
    if (report.errors.total() > 0) break;
  }
  if (report.errors.total() == 0 && implementation.encrypt_batch != nullptr) {
    report.errors += follow_secrets(implementation, 2 * block + partial, implementation.messages_at_once + 1);
  }
  if (!reports_a_branch_on_a_secret()) {
    throw Failure(FailureKind::internal, "memcheck reports no errors any more; expected --error-limit=no");
  }
  return report;
}

}  // namespace ciphermark

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
