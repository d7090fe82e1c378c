#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// What the operations of one execution on shares leak.
///
/// An execution is kLanes executions at the same time: the lanes have the same key, nonce and message, and
/// masks of their own. Each operation on shares has two points: the Hamming weight of its result, and the
/// Hamming distance between the result and its left operand, which a machine with two-operand instructions
/// overwrites. A point is recorded as the sum over all lanes; of chosen operations each lane is kept.
namespace ciphermark::evidence {

inline constexpr std::size_t kLanes = 32;

class Recorder {
 public:
  /// Starts an execution: its first `operations` operations are recorded. chosen: numbers of operations in
  /// ascending order of which each lane is kept.
  void start(std::size_t operations, const std::vector<std::uint32_t>& chosen);

  /// Appends one operation: the sums of its weights and distances, and the weight of the lowest byte of each
  /// lane, which `weights_of_lanes` writes if it is called.
  template <typename WeightsOfLanes>
  void append(std::uint32_t weight, std::uint32_t distance, const WeightsOfLanes& weights_of_lanes) noexcept {
    const std::size_t number = executed_++;
    if (number >= wanted_) return;
    sums_[2 * number] = weight;
    sums_[2 * number + 1] = distance;
    if (number != next_chosen_) return;
    weights_of_lanes(lanes_.data() + kLanes * kept_);
    ++kept_;
    next_chosen_ = kept_ < chosen_->size() ? (*chosen_)[kept_] : kNever;
  }

  /// Whether recombined words are replaced by constants from now on, which are the same in each execution.
  void set_replacing(bool replacing) noexcept { replacing_ = replacing; }
  /// What the next recombined word is replaced by is a function of this number, which is not 0.
  [[nodiscard]] std::optional<std::uint64_t> next_replacement() noexcept {
    if (!replacing_) return std::nullopt;
    return ++replaced_;
  }

  /// A recombined value was not the same in all lanes: an operation is none of words with lanes.
  void report_difference() noexcept { lanes_differ_ = true; }
  [[nodiscard]] bool lanes_differ() const noexcept { return lanes_differ_; }

  /// Operations since start, recorded or not.
  [[nodiscard]] std::size_t executed() const noexcept { return executed_; }
  /// Weight and distance of each operation, one after the other: sums over the lanes.
  [[nodiscard]] const std::vector<std::uint32_t>& sums() const noexcept { return sums_; }
  /// kLanes weights of each chosen operation.
  [[nodiscard]] const std::vector<std::uint8_t>& lanes() const noexcept { return lanes_; }

 private:
  static constexpr std::size_t kNever = SIZE_MAX;

  bool replacing_ = false;
  std::uint64_t replaced_ = 0;
  bool lanes_differ_ = false;
  std::size_t executed_ = 0;
  std::size_t wanted_ = 0;
  std::size_t next_chosen_ = kNever;
  std::size_t kept_ = 0;
  const std::vector<std::uint32_t>* chosen_ = nullptr;
  std::vector<std::uint32_t> sums_;
  std::vector<std::uint8_t> lanes_;
};

namespace detail {
extern constinit Recorder process_recorder;
}  // namespace detail

/// The recorder of this process; one thread only, as in all of a runner.
[[nodiscard]] inline Recorder& recorder() noexcept { return detail::process_recorder; }

}  // namespace ciphermark::evidence
