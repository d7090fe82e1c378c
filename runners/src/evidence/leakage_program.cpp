// ciphermark-leakage: what `ciphermark-own leakage` executes for gadgets, traces and controls.
#include <array>
#include <chrono>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/leakage.h"
#include "core/failure.h"
#include "evidence/leakage/controls.h"
#include "evidence/leakage/variants.h"
#include "evidence/probing/check.h"
#include "evidence/probing/gadgets.h"
#include "evidence/report/keys.h"
#include "evidence/report/program.h"
#include "evidence/report/verdicts.h"
#include "provider/keyed.h"
#include "provider/masking.h"
#include "provider/selection.h"

namespace ciphermark::evidence {
namespace {

constexpr std::uint32_t kMostExhaustiveShares = 4;

Json gadget_result(const NamedCircuit& gadget, bool faulty, std::uint64_t sets, std::uint64_t seed) {
  const std::uint32_t shares = gadget.circuit.shares();
  const bool exhaustive = shares <= kMostExhaustiveShares;
  const GadgetVerdict verdict =
      exhaustive ? check_exhaustively(gadget.circuit) : check_random_sets(gadget.circuit, sets, seed);
  const bool violated = verdict.probing_violation || verdict.pini_violation;
  Json json = {{"gadget", gadget.name}, {"shares", shares}, {"faulty", faulty}};
  json.update(to_json(verdict));
  json["passed"] = violated == faulty;
  return json;
}

Json check_gadgets(const Arguments& arguments) {
  Json results = Json::array();
  for (std::uint32_t shares = 2; shares <= 6; ++shares) {
    for (const NamedCircuit& gadget : recorded_gadgets(shares)) {
      results.push_back(gadget_result(gadget, false, arguments.probe_sets, shares));
    }
  }
  for (std::uint32_t shares = 2; shares <= kMostExhaustiveShares; ++shares) {
    for (const NamedCircuit& fault : recorded_faults(shares)) {
      results.push_back(gadget_result(fault, true, 0, 0));
    }
  }
  return results;
}

/// A message of a block and a byte with a byte of associated data: each part of a cipher, and each kind of
/// block.
class Message {
 public:
  Message(const Implementation& form, Operation operation)
      : form_(form),
        keyed_(form_),
        encrypts_(operation == Operation::encrypt),
        nonce_(form.nonce_bytes),
        in_(form.block_bytes + 1 + (encrypts_ ? 0 : form.tag_bytes)),
        out_(form.block_bytes + 1 + (encrypts_ ? form.tag_bytes : 0)) {
    std::iota(nonce_.begin(), nonce_.end(), std::uint8_t{0x40});
    std::iota(in_.begin(), in_.end(), std::uint8_t{0x80});
  }

  void set_key(Bytes key) { require_ok(keyed_.key_setup(key), "key setup"); }
  void execute() {
    // A constant ciphertext has no valid tag.
    const Status status = encrypts_ ? keyed_.encrypt(nonce_, kAssociatedData, in_, out_)
                                    : keyed_.decrypt(nonce_, kAssociatedData, in_, out_);
    if (encrypts_ || status != Status::authentication_failed) require_ok(status, "a message");
  }

  /// Whether the unmasked cipher makes the same of it: otherwise something else than the cipher would be
  /// tested.
  [[nodiscard]] bool is_right(Bytes key) {
    set_key(key);
    execute();
    if (!encrypts_) return true;
    const Implementation* unmasked = default_implementation(form_.algorithm);
    if (unmasked == nullptr)
      throw Failure(FailureKind::internal, "there is no unmasked variant to compare with");
    Keyed reference(*unmasked);
    std::vector<std::uint8_t> expected(out_.size());
    require_ok(reference.key_setup(key), "key setup");
    require_ok(reference.encrypt(nonce_, kAssociatedData, in_, expected), "a message");
    return out_ == expected;
  }

 private:
  static constexpr std::array<std::uint8_t, 1> kAssociatedData{0x5a};

  const Implementation form_;
  Keyed keyed_;
  bool encrypts_;
  std::vector<std::uint8_t> nonce_;
  std::vector<std::uint8_t> in_;
  std::vector<std::uint8_t> out_;
};

/// Throws Failure (not_verified) if the words that leak make another cipher than the unmasked one.
void require_right(Message& message, const Implementation& implementation) {
  std::vector<std::uint8_t> key(implementation.key_bytes);
  std::iota(key.begin(), key.end(), std::uint8_t{1});
  if (message.is_right(key)) return;
  throw Failure(FailureKind::not_verified, std::string(implementation.algorithm) + " in variant " +
                                               std::string(implementation.variant) +
                                               " with words that leak differs from the unmasked cipher");
}

/// Of a message that outlives it.
Subject subject_of(Message& message, const Implementation& implementation, const MaskedForm& form) {
  return {
      .shares = form.shares,
      .key_bytes = secret_key_bytes(implementation),
      .set_key =
          [&](std::span<const std::uint8_t> secret) { message.set_key(whole_key(implementation, secret)); },
      .execute = [&message] { message.execute(); }};
}

Json form_result(const Implementation& implementation, const MaskedForm& form, const Arguments& arguments,
                 std::uint64_t seed) {
  Message message(with_form(implementation, form), arguments.operation);
  require_right(message, implementation);
  const auto begin = std::chrono::steady_clock::now();
  const LeakageVerdict verdict = test_fixed_versus_random(subject_of(message, implementation, form),
                                                          {.traces = arguments.traces, .seed = seed});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  Json json = form_json(implementation, form);
  json["operation"] = arguments.operation == Operation::encrypt ? "encrypt" : "decrypt";
  json["seed"] = seed;
  json.update(to_json(verdict));
  json["wall_seconds"] = took.count();
  json["passed"] = !verdict.leaks();
  return json;
}

/// What leaks without masks is found with few traces.
constexpr Extent kExtentWithoutMasks{.traces = 2'000, .max_order = 1};

Json form_without_masks(const Implementation& implementation, const MaskedForm& form, Operation operation) {
  Message message(with_form(implementation, form), operation);
  require_right(message, implementation);
  Json json = form_json(implementation, form);
  json.update(to_json(test_without_masks(subject_of(message, implementation, form), kExtentWithoutMasks)));
  json["seed"] = kExtentWithoutMasks.seed;
  return json;
}

/// Faults in a permutation, and whether the t-test of each cipher finds that its masks are zeros.
Json check_controls(const Arguments& arguments) {
  Json results = Json::array();
  for (std::uint64_t seed = 1; seed <= arguments.seeds; ++seed) {
    for (const Control& control : test_controls({.traces = arguments.traces, .seed = seed})) {
      Json json = to_json(control);
      json["seed"] = seed;
      results.push_back(std::move(json));
    }
  }
  Arguments with_two_shares = arguments;
  with_two_shares.masking.shares = "2";
  for_selected_forms(leaking_variants(), with_two_shares,
                     [&](const Implementation& implementation, const MaskedForm& form) {
                       results.push_back(form_without_masks(implementation, form, arguments.operation));
                     });
  return results;
}

Json check_traces(const Arguments& arguments) {
  Json results = Json::array();
  for_selected_forms(leaking_variants(), arguments,
                     [&](const Implementation& implementation, const MaskedForm& form) {
                       for (std::uint64_t seed = 1; seed <= arguments.seeds; ++seed) {
                         results.push_back(form_result(implementation, form, arguments, seed));
                       }
                     });
  return results;
}

void execute(const Arguments& arguments, Phases& /*phases*/) {
  const auto begin = std::chrono::steady_clock::now();
  const auto report = [&](std::string_view check, std::string_view model, const Json& results) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    print_report(check, model, results, took.count());
  };
  switch (arguments.check) {
    case LeakageCheck::gadgets:
      return report("gadgets", "probes on gates of one bit", check_gadgets(arguments));
    case LeakageCheck::controls:
      return report("controls", "Hamming weights and distances of operations on shares",
                    check_controls(arguments));
    case LeakageCheck::traces:
      return report("traces", "Hamming weights and distances of operations on shares",
                    check_traces(arguments));
    case LeakageCheck::object_code:
      break;
  }
  throw Failure(FailureKind::usage,
                "--check object-code is a check of another program; use ciphermark-own leakage");
}

}  // namespace
}  // namespace ciphermark::evidence

int main(int argument_count, char** arguments) {
  return ciphermark::evidence::run_leakage(argument_count, arguments,
                                           "Evidence that the masking works in a model",
                                           &ciphermark::evidence::execute);
}
