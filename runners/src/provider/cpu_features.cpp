#include "provider/cpu_features.h"

#include <array>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__aarch64__) || defined(__arm__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace ciphermark {
namespace {

#if defined(__x86_64__) || defined(__i386__)

/// Leaf 7 of CPUID holds the newer sets; the compiler's own table of names differs between GCC and Clang.
struct Leaf7 {
  unsigned ebx = 0;
  unsigned ecx = 0;
};

Leaf7 read_leaf7() {
  unsigned eax = 0;
  unsigned edx = 0;
  Leaf7 leaf;
  if (__get_cpuid_count(7, 0, &eax, &leaf.ebx, &leaf.ecx, &edx) == 0) return {};
  return leaf;
}

bool cpu_has(std::string_view name) {
  __builtin_cpu_init();
  // The compiler's test of AVX and of what builds on it includes whether the kernel saves the wide registers.
  if (name == "sse2") return __builtin_cpu_supports("sse2") != 0;
  if (name == "ssse3") return __builtin_cpu_supports("ssse3") != 0;
  if (name == "sse4.1") return __builtin_cpu_supports("sse4.1") != 0;
  if (name == "avx") return __builtin_cpu_supports("avx") != 0;
  if (name == "avx2") return __builtin_cpu_supports("avx2") != 0;
  if (name == "avx512f") return __builtin_cpu_supports("avx512f") != 0;
  if (name == "avx512bw") return __builtin_cpu_supports("avx512bw") != 0;
  if (name == "avx512vl") return __builtin_cpu_supports("avx512vl") != 0;
  if (name == "avx512ifma") return __builtin_cpu_supports("avx512ifma") != 0;
  if (name == "avx512vbmi2") return __builtin_cpu_supports("avx512vbmi2") != 0;
  if (name == "bmi2") return __builtin_cpu_supports("bmi2") != 0;
  if (name == "aes") return __builtin_cpu_supports("aes") != 0;
  if (name == "pclmul") return __builtin_cpu_supports("pclmul") != 0;
  if (name == "sha") return ((read_leaf7().ebx >> 29) & 1) != 0;
  if (name == "gfni") return ((read_leaf7().ecx >> 8) & 1) != 0;
  if (name == "vaes") return ((read_leaf7().ecx >> 9) & 1) != 0 && __builtin_cpu_supports("avx2") != 0;
  if (name == "vpclmulqdq") return ((read_leaf7().ecx >> 10) & 1) != 0 && __builtin_cpu_supports("avx2") != 0;
  return false;
}

#elif defined(__aarch64__)

bool cpu_has(std::string_view name) {
  const unsigned long capabilities = getauxval(AT_HWCAP);
  if (name == "neon") return (capabilities & HWCAP_ASIMD) != 0;
  if (name == "aes") return (capabilities & HWCAP_AES) != 0;
  if (name == "pmull") return (capabilities & HWCAP_PMULL) != 0;
  if (name == "sha2") return (capabilities & HWCAP_SHA2) != 0;
  return false;
}

#elif defined(__arm__)

bool cpu_has(std::string_view name) {
  // A 32-bit program on an ARMv8 core finds the cryptographic sets in the second word.
  const unsigned long newer = getauxval(AT_HWCAP2);
  if (name == "neon") return (getauxval(AT_HWCAP) & HWCAP_NEON) != 0;
  if (name == "aes") return (newer & HWCAP2_AES) != 0;
  if (name == "pmull") return (newer & HWCAP2_PMULL) != 0;
  if (name == "sha2") return (newer & HWCAP2_SHA2) != 0;
  return false;
}

#else

bool cpu_has(std::string_view) { return false; }

#endif

}  // namespace

std::string missing_cpu_features(std::string_view names) {
  std::string missing;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(' '));
    if (!name.empty() && !cpu_has(name)) missing.append(missing.empty() ? "" : " ").append(name);
    names.remove_prefix(name.size() + (name.size() < names.size() ? 1 : 0));
  }
  return missing;
}

std::vector<std::string_view> cpu_features() {
  static constexpr std::array<std::string_view, 20> kNames = {
      "sse2",     "ssse3",      "sse4.1",      "avx",  "avx2",  "avx512f", "avx512bw",
      "avx512vl", "avx512ifma", "avx512vbmi2", "bmi2", "aes",   "pclmul",  "sha",
      "vaes",     "vpclmulqdq", "gfni",        "neon", "pmull", "sha2"};
  std::vector<std::string_view> found;
  for (const std::string_view name : kNames) {
    if (cpu_has(name)) found.push_back(name);
  }
  return found;
}

bool cpu_has_all(std::string_view names) { return missing_cpu_features(names).empty(); }

}  // namespace ciphermark
