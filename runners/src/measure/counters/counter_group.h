#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ciphermark {

/// What can be counted; the first four by the processor, the others by the kernel.
enum class CounterKind : std::uint8_t {
  cycles,
  instructions,
  branch_misses,
  cache_misses,
  task_clock_ns,
  page_faults,
  context_switches,
  cpu_migrations
};

inline constexpr std::size_t kCounterKinds = 8;
inline constexpr std::array<std::string_view, kCounterKinds> kCounterNames = {
    "cycles",        "instructions", "branch_misses",    "cache_misses",
    "task_clock_ns", "page_faults",  "context_switches", "cpu_migrations"};

/// One value of each kind; absent where the kernel did not grant the counter, or shared it with others.
class Counts {
 public:
  [[nodiscard]] std::optional<std::uint64_t>& of(CounterKind kind) {
    return values_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] const std::optional<std::uint64_t>& of(CounterKind kind) const {
    return values_[static_cast<std::size_t>(kind)];
  }

 private:
  std::array<std::optional<std::uint64_t>, kCounterKinds> values_;
};

/// Why a kind has no value; "" where it has one.
using CounterReasons = std::array<std::string, kCounterKinds>;

/// Counters of this process that the kernel starts, stops and reads together (perf_event_open(2)).
class CounterGroup {
 public:
  /// Opens the counters that the kernel grants, and writes the kernel's errors for the others to reasons.
  /// together: all or none of them. At most kMostMembers.
  CounterGroup(std::span<const CounterKind> kinds, bool together, CounterReasons& reasons);
  CounterGroup(const CounterGroup&) = delete;
  CounterGroup& operator=(const CounterGroup&) = delete;
  ~CounterGroup();

  /// Lets them count on from where they stopped.
  void start() noexcept;
  void stop() noexcept;

  /// Writes what they counted since the last take, and a reason for kinds that counted a part of the time
  /// alone. Such counts are estimates when they are scaled, so there are none.
  void take(Counts& counts, CounterReasons& reasons);

 private:
  static constexpr std::size_t kMostMembers = 4;
  struct Member {
    CounterKind kind{};
    int descriptor = -1;
    std::uint64_t total = 0;  ///< at the last take
  };

  [[nodiscard]] int leader() const { return count_ == 0 ? -1 : members_[0].descriptor; }
  void close_all() noexcept;
  void refuse_all(CounterReasons& reasons, const std::string& reason) const;

  std::array<Member, kMostMembers> members_;
  std::size_t count_ = 0;
  std::uint64_t enabled_ns_ = 0;  ///< at the last take
  std::uint64_t running_ns_ = 0;
};

}  // namespace ciphermark
