#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ciphermark/implementation.h"

/// Random words of masked ciphers: a buffer that gadgets read, and the generator that fills it.
///
/// The generator is chosen while the program runs, once for all masked ciphers. What gadgets do for each word
/// is the same for every generator: they move a pointer, and call refill when the buffer is empty. One thread
/// only, as in all of a runner.
namespace ciphermark::masked {

/// A source of random bytes. The first packet of a process begins with begin_packet.
class Generator {
 public:
  Generator() = default;
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  virtual ~Generator() = default;

  /// A generator with a key takes a new one. False if that failed.
  [[nodiscard]] virtual bool begin_packet() = 0;
  /// Writes all bytes of out; false if that failed. out has batch_bytes() bytes.
  [[nodiscard]] virtual bool fill(MutableBytes out) = 0;
  /// How many bytes are drawn in one call, at most kMostBatchBytes.
  [[nodiscard]] virtual std::size_t batch_bytes() const = 0;
  /// Whether what a packet leaves of a batch is given to the next one.
  [[nodiscard]] virtual bool keeps_rest() const { return false; }
};

inline constexpr std::size_t kMostBatchBytes = 1024;

/// A generator that --generator names.
struct GeneratorKind {
  std::string_view name;
  bool secure;  ///< whether what it delivers cannot be predicted from what it delivered
  /// Why it cannot be used here; "" if it can.
  std::string (*unavailable_reason)();
  /// Only where it is available.
  std::unique_ptr<Generator> (*make)();
};

/// Every generator; the first is the one that is used when none was chosen.
[[nodiscard]] std::span<const GeneratorKind> generator_kinds();

/// Draws from this generator from now on. Bytes that another one left are forgotten.
void use_generator(std::unique_ptr<Generator> generator);

/// Before each key setup and each message: re-keys, and forgets what the last packet left. False if the
/// generator failed; then nothing may be computed.
[[nodiscard]] bool begin_packet() noexcept;

/// Whether the generator failed since begin_packet. The words that were taken since then came from the
/// generator `free`, so that no share is visible; nothing that was computed with them may leave.
[[nodiscard]] bool generator_failed() noexcept;

/// Bytes that gadgets and sharings took since the start of the process.
[[nodiscard]] std::uint64_t taken_bytes() noexcept;

/// Nanoseconds that drawing so many bytes for each of so many packets takes, with their re-keying, and
/// nothing else.
[[nodiscard]] std::int64_t drawing_wall_ns(std::uint64_t bytes_per_packet, std::uint64_t packets);

/// The most that one take requires: 15 words of 64 bytes.
inline constexpr std::size_t kMostTakenBytes = 1024;
/// So many bytes behind what was taken may be read, too.
inline constexpr std::size_t kReadableBehind = 64;

/// What is left in the buffer. Only Pool changes it.
struct Rest {
  const std::uint8_t* next;
  const std::uint8_t* end;
};
extern Rest rest;

/// Puts at least so many bytes behind what is left, and returns where that begins.
[[nodiscard]] const std::uint8_t* refill(std::size_t bytes) noexcept;

}  // namespace ciphermark::masked
