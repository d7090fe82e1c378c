#include "evidence/leakage/recorder.h"

namespace ciphermark::evidence {

void Recorder::start(std::size_t operations, const std::vector<std::uint32_t>& chosen) {
  executed_ = 0;
  lanes_differ_ = false;
  replaced_ = 0;
  wanted_ = operations;
  kept_ = 0;
  chosen_ = &chosen;
  next_chosen_ = chosen.empty() ? kNever : chosen.front();
  sums_.assign(2 * operations, 0);
  lanes_.assign(kLanes * chosen.size(), 0);
}

namespace detail {
constinit Recorder process_recorder;
}  // namespace detail

}  // namespace ciphermark::evidence
