#pragma once

// Standard headers that the headers of a unit use. They are here, in front of every unit, because code of the
// standard library that is compiled inside a unit could be linked into portable code.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "ciphermark/bytes.h"
#include "simd/unroll.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#elif defined(__aarch64__)
// Clang before version 16 declares the instructions of an extension only where the whole program may use
// them.
#if defined(__clang__) && __clang_major__ < 16 && !defined(__ARM_FEATURE_AES)
#define __ARM_FEATURE_AES 1
#endif
#include <arm_neon.h>
/// What CIPHERMARK_TARGET_BEGIN takes for NEON, where the compiler knows it. Every AArch64 has it.
#define CIPHERMARK_NEON "+simd"
#elif defined(__arm__) && __ARM_ARCH_PROFILE == 'A'
#include <arm_neon.h>
#define CIPHERMARK_NEON "fpu=neon"
#endif

/// Compiling one source file for instructions that the rest of the program may not use.
///
/// Such a file defines CIPHERMARK_UNIT before its first include, includes what is portable, and then, between
/// CIPHERMARK_TARGET_BEGIN("avx2") and CIPHERMARK_TARGET_END, the headers whose templates it instantiates and
/// its own functions. No list of files with flags is needed, and every compiler of a plan makes the same
/// files. Shared headers live in the inline namespace CIPHERMARK_UNIT: a function that two units compile for
/// different instructions has two names, so that the linker never puts the wrong one into portable code.
///
/// Code of a unit contains no lambda, because GCC gives lambdas no target.
#if !defined(CIPHERMARK_UNIT)
#define CIPHERMARK_UNIT portable
#endif

// Clang defines __GNUC__ too.
#if defined(__clang__)
#define CIPHERMARK_TARGET_BEGIN(features) \
  CIPHERMARK_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define CIPHERMARK_TARGET_END CIPHERMARK_PRAGMA(clang attribute pop)
#else
#define CIPHERMARK_TARGET_BEGIN(features) \
  CIPHERMARK_PRAGMA(GCC push_options) CIPHERMARK_PRAGMA(GCC target(features))
#define CIPHERMARK_TARGET_END CIPHERMARK_PRAGMA(GCC pop_options)
#endif
