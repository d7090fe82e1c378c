#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace ciphermark {

/// A stack of its own on which calls are made, to see how much of it they write.
///
/// The stack is filled with a pattern, the call is made on it, and the lowest byte that changed is how far
/// the call went. Two patterns are used, so that a call that writes one of them is not overlooked. What a
/// call reserves below everything that it writes is not counted: it is unused and cannot be observed.
class PaintedStack {
 public:
  /// Maps the stack above an inaccessible page. Throws Failure (internal).
  PaintedStack();
  PaintedStack(const PaintedStack&) = delete;
  PaintedStack& operator=(const PaintedStack&) = delete;
  ~PaintedStack();

  /// Bytes of stack that the call takes, with the little that changing stacks takes. The call is made three
  /// times: the first one resolves what the dynamic linker left for later, which takes more stack than many a
  /// cipher. Throws Failure (internal) with the error of swapcontext; the call itself must not throw.
  [[nodiscard]] std::size_t high_water_bytes(const std::function<void()>& call);

 private:
  [[nodiscard]] std::size_t written_bytes(std::uint8_t paint, const std::function<void()>& call);

  std::uint8_t* mapping_ = nullptr;
  std::uint8_t* bottom_ = nullptr;
};

}  // namespace ciphermark
