// How much memory one implementation takes while it works: its context, and the stack of each of its
// operations. The build measures the code size (cmake/CiphermarkFootprint.cmake).
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "core/failure.h"
#include "measure/painted_stack.h"
#include "provider/build_info.h"
#include "provider/keyed.h"
#include "provider/selection.h"

namespace ciphermark {
namespace {

/// Long enough for the widest code of every mode.
constexpr std::size_t kMessageBytes = 4096;

Status no_key_setup(void* /*context*/, Bytes /*key*/) { return Status::ok; }
Status no_message(const void* /*context*/, Bytes /*nonce*/, Bytes /*associated_data*/, Bytes /*in*/,
                  MutableBytes /*out*/) {
  return Status::ok;
}
void no_forget(void* /*context*/) {}

/// The same with functions that do nothing: what it takes is the way to the functions, and not theirs.
Implementation emptied(Implementation implementation) {
  implementation.key_setup = no_key_setup;
  implementation.encrypt = no_message;
  implementation.decrypt = no_message;
  implementation.forget = no_forget;
  return implementation;
}

/// Stack of the three operations, in bytes.
struct StackReadings {
  std::size_t key_setup = 0;
  std::size_t encrypt = 0;
  std::size_t decrypt = 0;
};

StackReadings read_stack(const Implementation& implementation) {
  const auto key = counting_bytes(implementation.key_bytes);
  const auto nonce = counting_bytes(implementation.nonce_bytes);
  const std::vector<std::uint8_t> data(implementation.kind == Kind::aead ? kMessageBytes : 0);
  std::vector<std::uint8_t> plaintext(kMessageBytes / implementation.block_bytes *
                                      implementation.block_bytes);
  std::vector<std::uint8_t> ciphertext(plaintext.size() + implementation.tag_bytes);
  PaintedStack stack;
  Keyed keyed(implementation);
  Status status = Status::ok;
  StackReadings readings;
  readings.key_setup = stack.high_water_bytes([&] { status = keyed.key_setup(key); });
  require_ok(status, "key setup");
  readings.encrypt =
      stack.high_water_bytes([&] { status = keyed.encrypt(nonce, data, plaintext, ciphertext); });
  require_ok(status, "encrypt");
  readings.decrypt =
      stack.high_water_bytes([&] { status = keyed.decrypt(nonce, data, ciphertext, plaintext); });
  require_ok(status, "decrypt");
  return readings;
}

/// At least 0: an empty function may keep its arguments on the stack where a real one does not.
std::size_t less(std::size_t bytes, std::size_t empty_bytes) { return bytes - std::min(bytes, empty_bytes); }

std::size_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Bytes that setting the keys of these contexts added to the heap.
std::size_t heap_growth_bytes(std::span<const std::unique_ptr<Keyed>> contexts, Bytes key) {
  const std::size_t before = heap_bytes();
  for (const auto& keyed : contexts) require_ok(keyed->key_setup(key), "key setup");
  return less(heap_bytes(), before);
}

/// What the caller holds for a key: the context, and what libraries keep behind it. Libraries and the
/// allocator have pools that answer without taking from the heap (Botan locks 512 KiB for secrets), so that
/// as many contexts as empty them are made before those that are counted.
std::size_t context_bytes(const Implementation& implementation) {
  constexpr std::size_t kCounted = 64;
  constexpr std::size_t kEmptyPools = 4096;
  const auto key = counting_bytes(implementation.key_bytes);
  std::vector<std::unique_ptr<Keyed>> made(kEmptyPools + kCounted);
  std::ranges::generate(made, [&] { return std::make_unique<Keyed>(implementation); });
  const std::span<const std::unique_ptr<Keyed>> contexts(made);
  if (heap_growth_bytes(contexts.first(kCounted), key) == 0) return implementation.context_bytes;
  static_cast<void>(heap_growth_bytes(contexts.subspan(kCounted, kEmptyPools - kCounted), key));
  return implementation.context_bytes + heap_growth_bytes(contexts.last(kCounted), key) / kCounted;
}

void require_no_sanitizer() {
  if (build_info().flags.find("-fsanitize") == std::string_view::npos) return;
  throw Failure(FailureKind::internal,
                "this program was made with " + std::string(build_info().flags) +
                    ", which uses additional stack; expected a build without sanitizers");
}

void execute_footprint(const Arguments& arguments, Phases& /*phases*/) {
  const Implementation& implementation = select_implementation(arguments.algorithm, arguments.variant);
  require_no_sanitizer();
  const std::size_t context = context_bytes(implementation);
  const StackReadings full = read_stack(implementation);
  const StackReadings empty = read_stack(emptied(implementation));
  const Json json = {{"protocol", 2},
                     {"command", "footprint"},
                     {"provider", provider().name},
                     {"algorithm", implementation.algorithm},
                     {"variant", implementation.variant},
                     {"context_bytes", context},
                     {"stack_bytes",
                      {{"key-setup", less(full.key_setup, empty.key_setup)},
                       {"encrypt", less(full.encrypt, empty.encrypt)},
                       {"decrypt", less(full.decrypt, empty.decrypt)}}}};
  std::puts(json.dump().c_str());
}

}  // namespace

const Command kFootprintCommand{.name = "footprint",
                                .summary = "Stack and context of an implementation, as JSON",
                                .required = {Option::algorithm},
                                .optional = {Option::variant},
                                .execute = &execute_footprint};

}  // namespace ciphermark
