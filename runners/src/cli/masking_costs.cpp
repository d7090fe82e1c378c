#include "cli/masking_costs.h"

#include <algorithm>
#include <array>

#include "masked/randomness.h"
#include "provider/masking.h"

namespace ciphermark {
namespace {

/// How long the packets of one of the readings last together, of which the median is reported.
constexpr std::int64_t kRepeatedNs = 2'000'000;
constexpr std::uint64_t kMostPackets = 1 << 16;

Json describe(const Implementation& implementation, std::uint64_t random_bytes, const Json& random_wall_ns) {
  const MaskedForm& form = implementation.masked_forms.front();
  return {{"shares", form.shares},
          {"degree", degree_name(form.degree)},
          {"generator", generator_name()},
          {"random_bytes", random_bytes},
          {"random_wall_ns", random_wall_ns}};
}

}  // namespace

void MaskingCosts::begin() noexcept { taken_bytes_ = masked::taken_bytes(); }

void MaskingCosts::end() noexcept { taken_bytes_ = masked::taken_bytes() - taken_bytes_; }

Json MaskingCosts::of_a_call(const Implementation& implementation, std::uint64_t calls) const {
  if (implementation.masked_forms.empty()) return nullptr;
  const std::uint64_t bytes = taken_bytes_ / calls;
  std::uint64_t packets = 1;
  while (masked::drawing_wall_ns(bytes, packets) < kRepeatedNs && packets < kMostPackets) packets *= 2;
  std::array<std::int64_t, 5> wall_ns{};
  for (std::int64_t& drawn_ns : wall_ns) drawn_ns = masked::drawing_wall_ns(bytes, packets);
  std::ranges::sort(wall_ns);
  const std::int64_t median_ns = wall_ns[wall_ns.size() / 2];
  return describe(implementation, bytes, static_cast<double>(median_ns) / static_cast<double>(packets));
}

Json MaskingCosts::of_all_calls(const Implementation& implementation, std::uint64_t calls) const {
  if (implementation.masked_forms.empty()) return nullptr;
  return describe(implementation, taken_bytes_, masked::drawing_wall_ns(taken_bytes_ / calls, calls));
}

}  // namespace ciphermark
