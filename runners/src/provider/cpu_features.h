#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ciphermark {

/// The only place that queries the processor's features. Names are those of /proc/cpuinfo with a dot
/// where the manual has one: x86 "sse2 ssse3 sse4.1 avx avx2 avx512f avx512bw avx512vl
/// avx512ifma avx512vbmi2 bmi2 aes pclmul sha vaes vpclmulqdq gfni";
/// ARM "neon aes pmull sha2". A name that is not known counts as absent.

/// names: separated by single spaces; "" is always there.
[[nodiscard]] bool cpu_has_all(std::string_view names);

/// The names out of the list that this processor lacks, separated by spaces; "" when it has them all.
[[nodiscard]] std::string missing_cpu_features(std::string_view names);

/// Every name above that this processor has, as the program sees it: an emulator hides what it cannot
/// execute.
[[nodiscard]] std::vector<std::string_view> cpu_features();

}  // namespace ciphermark
