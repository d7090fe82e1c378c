#include "measure/counters/counters.h"

namespace ciphermark {
namespace {

constexpr std::array kCycles = {CounterKind::cycles, CounterKind::instructions};
constexpr std::array kBranchMisses = {CounterKind::branch_misses};
constexpr std::array kCacheMisses = {CounterKind::cache_misses};
constexpr std::array kKernel = {CounterKind::task_clock_ns, CounterKind::page_faults,
                                CounterKind::context_switches, CounterKind::cpu_migrations};

}  // namespace

Counters::Counters()
    : kernel_(kKernel, false, reasons_),
      cache_misses_(kCacheMisses, true, reasons_),
      branch_misses_(kBranchMisses, true, reasons_),
      cycles_(kCycles, true, reasons_) {}

void Counters::start() noexcept {
  // Cycles last, and first in stop: they count nothing of what the others cost.
  kernel_.start();
  cache_misses_.start();
  branch_misses_.start();
  cycles_.start();
}

Counts Counters::stop() {
  cycles_.stop();
  branch_misses_.stop();
  cache_misses_.stop();
  kernel_.stop();
  Counts counts;
  for (CounterGroup* group : {&cycles_, &branch_misses_, &cache_misses_, &kernel_}) {
    group->take(counts, reasons_);
  }
  return counts;
}

}  // namespace ciphermark
