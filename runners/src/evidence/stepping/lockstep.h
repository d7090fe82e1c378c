#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

/// The object code of a masked cipher, one instruction at a time.
///
/// Copies of this process execute the same call in lockstep under ptrace: two with one key, two with another,
/// each with masks of its own. A register whose value depends on masks differs between copies with the same
/// key. A register that an instruction changes, and that is equal in copies with the same key but not in
/// copies with different keys, holds a value that depends on the key and on no mask: the instruction has
/// combined all shares of it, unless the value is a part of the output, which is public. What cannot be seen:
/// memory that no instruction loads again, parts of less than 16 bits, values that depend on a mask but have
/// a distribution that the key changes (for them there are the t-tests), and what the processor does between
/// instructions.
namespace ciphermark::evidence {

struct Watched {
  std::size_t key_bytes = 0;
  /// Both are executed in the copies. set_key is not watched: there the key is not shared yet.
  std::function<void(std::span<const std::uint8_t> key)> set_key;
  std::function<void()> execute;
  /// What `execute` gives out; it depends on the key and on no mask.
  std::function<std::span<const std::uint8_t>()> output;
};

struct ObjectCodeVerdict {
  std::string unavailable;         ///< why nothing was watched; "" if it was
  std::uint64_t instructions = 0;  ///< that one copy executed
  std::uint64_t draws = 0;         ///< takes of random words, one for each gadget
  /// Instructions whose result depends on the key and on no mask, and is no output.
  std::uint64_t recombinations = 0;
  std::uint64_t draws_before = 0;  ///< draws before the first of them; all draws if there is none
  std::uint64_t offset = 0;  ///< of the first of them from the start of the program file, as objdump has it
  bool same_path = true;     ///< all copies executed the same instructions
};

/// One pass, and if it is not accepted, the recombinations that it and more passes with other keys and masks
/// agree on: narrow values are equal by chance now and then.
[[nodiscard]] ObjectCodeVerdict watch_object_code(
    const Watched& watched, const std::function<bool(const ObjectCodeVerdict&)>& accepted,
    std::uint64_t seed);

}  // namespace ciphermark::evidence
