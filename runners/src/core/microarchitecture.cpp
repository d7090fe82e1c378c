#include "core/microarchitecture.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

#include <atomic>
#endif

namespace ciphermark {

#if defined(__x86_64__) || defined(__i386__)

namespace {

/// Families and models as in arch/x86/kernel/cpu/amd.c of Linux 6.12.
Microarchitecture identified() noexcept {
  using enum Microarchitecture;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0 || ebx != signature_AMD_ebx) return other;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return other;
  const unsigned family = ((eax >> 8) & 0xf) + ((eax >> 20) & 0xff);
  const unsigned models = (eax >> 16) & 0xf;  // sixteen of them
  if (family == 0x19) return models == 1 || (models >= 6 && models <= 10) ? zen4 : other;
  if (family == 0x1a) return models <= 2 || models == 4 || models == 6 || models == 7 ? zen5 : other;
  return other;
}

}  // namespace

Microarchitecture microarchitecture() noexcept {
  // Not a constant of the function, whose guard would be called for each message.
  constexpr std::uint8_t kUnknown = 0xff;
  static constinit std::atomic<std::uint8_t> known{kUnknown};
  std::uint8_t found = known.load(std::memory_order_relaxed);
  if (found == kUnknown) {
    found = static_cast<std::uint8_t>(identified());
    known.store(found, std::memory_order_relaxed);
  }
  return static_cast<Microarchitecture>(found);
}

#else

Microarchitecture microarchitecture() noexcept { return Microarchitecture::other; }

#endif

}  // namespace ciphermark
