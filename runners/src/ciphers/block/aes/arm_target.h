#pragma once

#include <cstddef>

/// CIPHERMARK_CE: what CIPHERMARK_TARGET_BEGIN takes for the cryptographic extension of ARMv8, where the
/// compiler offers its intrinsics.
#if defined(__aarch64__)
#if defined(__clang__)
#define CIPHERMARK_CE "aes,neon"
#else
#define CIPHERMARK_CE "+crypto"
#endif
#elif defined(__arm__) && __ARM_ARCH_PROFILE == 'A'
// Clang offers the intrinsics to a 32-bit program only if the whole of it is compiled for ARMv8.
#if !defined(__clang__)
#define CIPHERMARK_CE "arch=armv8-a,fpu=crypto-neon-fp-armv8"
#elif defined(__ARM_FEATURE_AES)
#define CIPHERMARK_CE "aes,neon"
#endif
#endif

namespace ciphermark {

/// Registers that AES uses side by side: a 32-bit program has half as many.
#if defined(__aarch64__)
inline constexpr std::size_t kAesSideBySide = 8;
#else
inline constexpr std::size_t kAesSideBySide = 4;
#endif

}  // namespace ciphermark
