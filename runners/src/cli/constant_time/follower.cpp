#include "cli/constant_time/follower.h"

#include <algorithm>
#include <cstddef>
#include <vector>

// Whether a tag was right is no secret once it is decided: constant_time_equal is replaced by a function that
// calls it and makes the answer public. The name is the mangled one.
#if __SIZEOF_SIZE_T__ == 8
#define CIPHERMARK_EQUAL_SYMBOL _ZN10ciphermark19constant_time_equalEPKhS1_m
#else
#define CIPHERMARK_EQUAL_SYMBOL _ZN10ciphermark19constant_time_equalEPKhS1_j
#endif

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define CIPHERMARK_WITH_MEMORY_SANITIZER
#endif
#endif

#if defined(CIPHERMARK_WITH_MEMORY_SANITIZER)

#include <sanitizer/msan_interface.h>

namespace {
volatile std::uint64_t counted = 0;
}

// The linker gives these names to callers (--wrap).
#define CIPHERMARK_PASTE(prefix, symbol) prefix##symbol
#define CIPHERMARK_WITH_PREFIX(prefix, symbol) CIPHERMARK_PASTE(prefix, symbol)
#define CIPHERMARK_ORIGINAL_EQUAL CIPHERMARK_WITH_PREFIX(__real_, CIPHERMARK_EQUAL_SYMBOL)
#define CIPHERMARK_WRAPPED_EQUAL CIPHERMARK_WITH_PREFIX(__wrap_, CIPHERMARK_EQUAL_SYMBOL)

extern "C" {

// Libraries are not compiled for it, so that it does not see what they write: nothing is undefined but what
// make_secret marks.
const char* __msan_default_options();
const char* __msan_default_options() { return "poison_in_malloc=0,poison_in_free=0,poison_in_dtor=0"; }

// The name depends on the version of Clang. A breakpoint here shows where a secret decides.
void __wrap___msan_warning();
void __wrap___msan_warning_with_origin(std::uint32_t origin);
void __wrap___msan_warning() { counted = counted + 1; }
void __wrap___msan_warning_with_origin(std::uint32_t /*origin*/) { counted = counted + 1; }

bool CIPHERMARK_ORIGINAL_EQUAL(const std::uint8_t* a, const std::uint8_t* b, std::size_t n);
bool CIPHERMARK_WRAPPED_EQUAL(const std::uint8_t* a, const std::uint8_t* b, std::size_t n);
bool CIPHERMARK_WRAPPED_EQUAL(const std::uint8_t* a, const std::uint8_t* b, std::size_t n) {
  bool equal = CIPHERMARK_ORIGINAL_EQUAL(a, b, n);
  __msan_unpoison(&equal, sizeof(equal));
  return equal;
}
}

namespace ciphermark::follower {

const char* name() { return "MemorySanitizer"; }
bool is_active() { return true; }
void make_secret(MutableBytes bytes) { __msan_poison(bytes.data(), bytes.size()); }
void make_public(MutableBytes bytes) { __msan_unpoison(bytes.data(), bytes.size()); }
bool are_secret(Bytes bytes) {
  return std::ranges::all_of(bytes,
                             [](const std::uint8_t& byte) { return __msan_test_shadow(&byte, 1) == 0; });
}
std::uint64_t errors() { return counted; }
std::string missing_reason() { return ""; }

}  // namespace ciphermark::follower

#elif __has_include(<valgrind/memcheck.h>)

#include <valgrind/memcheck.h>

extern "C" unsigned long I_WRAP_SONAME_FNNAME_ZU(NONE, CIPHERMARK_EQUAL_SYMBOL)(const std::uint8_t* a,
                                                                                const std::uint8_t* b,
                                                                                std::size_t n);

namespace ciphermark::follower {
namespace {

/// Nothing calls the replacement, so the linker would drop it.
void keep_replacement() {
  static auto* volatile replacement = &I_WRAP_SONAME_FNNAME_ZU(NONE, CIPHERMARK_EQUAL_SYMBOL);
  static_cast<void>(replacement);
}

}  // namespace

const char* name() { return "memcheck"; }
bool is_active() { return RUNNING_ON_VALGRIND != 0; }
void make_secret(MutableBytes bytes) { VALGRIND_MAKE_MEM_UNDEFINED(bytes.data(), bytes.size()); }
void make_public(MutableBytes bytes) { VALGRIND_MAKE_MEM_DEFINED(bytes.data(), bytes.size()); }
bool are_secret(Bytes bytes) {
  std::vector<std::uint8_t> undefined_bits(bytes.size());
  VALGRIND_GET_VBITS(bytes.data(), undefined_bits.data(), undefined_bits.size());
  return std::ranges::all_of(undefined_bits, [](std::uint8_t bits) { return bits != 0; });
}
std::uint64_t errors() { return VALGRIND_COUNT_ERRORS; }

std::string missing_reason() {
  keep_replacement();
  if (!is_active()) return "not executed under valgrind: valgrind --error-limit=no PROGRAM constant-time";
  if (counts_a_branch_on_a_secret()) return "";
  return "this tool of valgrind reports no branch on an undefined value; expected memcheck with "
         "--error-limit=no";
}

}  // namespace ciphermark::follower

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

#else

namespace ciphermark::follower {

const char* name() { return "memcheck"; }
bool is_active() { return false; }
void make_secret(MutableBytes /*bytes*/) {}
void make_public(MutableBytes /*bytes*/) {}
bool are_secret(Bytes /*bytes*/) { return false; }
std::uint64_t errors() { return 0; }
std::string missing_reason() {
  return "this program was compiled without valgrind/memcheck.h: install valgrind before the runners are "
         "compiled";
}

}  // namespace ciphermark::follower

#endif

namespace ciphermark::follower {
namespace {
volatile std::uint8_t sink;
}

bool counts_a_branch_on_a_secret() {
  std::uint8_t secret = sink;
  make_secret({&secret, 1});
  const std::uint64_t before = errors();
  if ((secret & 1) != 0) sink = 1;
  return errors() > before;
}

}  // namespace ciphermark::follower
