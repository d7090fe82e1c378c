#include "masked/randomness.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "ciphermark/bytes.h"
#include "masked/free.h"
#include "measure/clock/clock.h"

namespace ciphermark::masked {
namespace {

/// What is left of a batch is moved in front of the next one.
struct Memory {
  alignas(64)
      std::array<std::uint8_t, kMostTakenBytes + kMostTakenBytes + kMostBatchBytes + kReadableBehind> bytes{};
  std::unique_ptr<Generator> generator;
  std::uint64_t delivered_bytes = 0;  ///< less those that were forgotten
  bool failed = false;
};

/// Never destroyed: when a program exits, a library whose cipher a generator uses may have ended before.
Memory& memory() {
  static Memory& made = *new Memory;
  return made;
}

std::size_t left_bytes() { return static_cast<std::size_t>(rest.end - rest.next); }

void forget_rest() {
  memory().delivered_bytes -= left_bytes();
  wipe(memory().bytes.data(), memory().bytes.size());
  rest = {};
}

/// The first one unless a command chose another.
Generator& generator() {
  if (memory().generator == nullptr) use_generator(generator_kinds().front().make());
  return *memory().generator;
}

}  // namespace

Rest rest{};

void use_generator(std::unique_ptr<Generator> generator) {
  forget_rest();
  memory().generator = std::move(generator);
}

bool begin_packet() noexcept {
  Generator& source = generator();
  if (!source.keeps_rest() || memory().failed) forget_rest();
  memory().failed = !source.begin_packet();
  return !memory().failed;
}

bool generator_failed() noexcept { return memory().failed; }

std::uint64_t taken_bytes() noexcept { return memory().delivered_bytes - left_bytes(); }

const std::uint8_t* refill(std::size_t bytes) noexcept {
  Generator& source = generator();
  const std::size_t batch_bytes = source.batch_bytes();
  const std::size_t left = left_bytes();
  std::uint8_t* const batches = memory().bytes.data() + kMostTakenBytes;
  std::uint8_t* const begin = batches - left;
  if (left > 0) std::memmove(begin, rest.next, left);
  std::uint8_t* end = batches;
  for (; static_cast<std::size_t>(end - begin) < bytes; end += batch_bytes) {
    const MutableBytes batch(end, batch_bytes);
    if (!memory().failed) memory().failed = !source.fill(batch);
    if (memory().failed) fill_free(batch);
    memory().delivered_bytes += batch_bytes;
  }
  rest = {begin, end};
  return begin;
}

std::int64_t drawing_wall_ns(std::uint64_t bytes_per_packet, std::uint64_t packets) {
  constexpr std::uint64_t kWordBytes = 64;
  const std::uint64_t taken_before = taken_bytes();
  const std::int64_t begin_ns = monotonic_ns();
  for (std::uint64_t packet = 0; packet < packets && begin_packet(); ++packet) {
    for (std::uint64_t left = bytes_per_packet; left > 0;) {
      const auto word_bytes = static_cast<std::size_t>(std::min(left, kWordBytes));
      if (left_bytes() < word_bytes) static_cast<void>(refill(word_bytes));
      rest.next += word_bytes;
      left -= word_bytes;
    }
  }
  const std::int64_t drawing_ns = monotonic_ns() - begin_ns;
  memory().delivered_bytes = taken_before;
  rest = {};
  return drawing_ns;
}

}  // namespace ciphermark::masked
