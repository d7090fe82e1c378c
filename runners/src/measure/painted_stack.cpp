#include "measure/painted_stack.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "core/failure.h"

namespace ciphermark {
namespace {

/// No cipher takes a tenth of it; one that did would end at the page below.
constexpr std::size_t kStackBytes = std::size_t{1} << 20;

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// One call on its way to the other stack and back. makecontext hands over integers alone, hence the
/// variable.
struct Trip {
  const std::function<void()>& call;
  const std::uint8_t* bottom;
  std::uint8_t paint;
  const std::uint8_t* lowest = nullptr;  ///< The first byte above the bottom that is not paint.
  ucontext_t home{};
  ucontext_t away{};
};
thread_local Trip* current_trip = nullptr;

/// The first frame of the painted stack. It looks for the lowest byte itself and calls nothing for it: the
/// way home takes stack of its own (some 200 bytes in glibc for ARM), which is none of the call's.
void enter() {
  Trip& trip = *current_trip;
  trip.call();
  // The compiler must not believe that the stack still holds what was painted.
  asm volatile("" : : "r"(trip.bottom) : "memory");
  const std::uint8_t* lowest = trip.bottom;
  while (*lowest == trip.paint) ++lowest;
  trip.lowest = lowest;
  swapcontext(&trip.away, &trip.home);
}

void require(bool done, const char* what) {
  if (!done) throw Failure(FailureKind::internal, std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

PaintedStack::PaintedStack() {
  void* mapping = mmap(nullptr, page_bytes() + kStackBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  require(mapping != MAP_FAILED, "no memory for a stack");
  mapping_ = static_cast<std::uint8_t*>(mapping);
  bottom_ = mapping_ + page_bytes();
  require(mprotect(mapping_, page_bytes(), PROT_NONE) == 0, "mprotect");
}

PaintedStack::~PaintedStack() { munmap(mapping_, page_bytes() + kStackBytes); }

std::size_t PaintedStack::high_water_bytes(const std::function<void()>& call) {
  static_cast<void>(written_bytes(0, call));
  constexpr std::uint8_t kOnePaint = 0xa5;
  constexpr std::uint8_t kOtherPaint = 0x5a;
  return std::max(written_bytes(kOnePaint, call), written_bytes(kOtherPaint, call));
}

std::size_t PaintedStack::written_bytes(std::uint8_t paint, const std::function<void()>& call) {
  std::fill_n(bottom_, kStackBytes, paint);
  Trip trip{.call = call, .bottom = bottom_, .paint = paint};
  require(getcontext(&trip.away) == 0, "getcontext");
  trip.away.uc_stack.ss_sp = bottom_;
  trip.away.uc_stack.ss_size = kStackBytes;
  trip.away.uc_link = &trip.home;
  makecontext(&trip.away, &enter, 0);
  current_trip = &trip;
  require(swapcontext(&trip.home, &trip.away) == 0, "swapcontext");
  current_trip = nullptr;
  return static_cast<std::size_t>(bottom_ + kStackBytes - trip.lowest);
}

}  // namespace ciphermark
