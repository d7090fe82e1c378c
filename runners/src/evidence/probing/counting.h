#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evidence/probing/circuit.h"

/// Numbers of ones of intermediate values over all random bits, for each value of the shares.
namespace ciphermark::evidence {

/// Values of some of a circuit's variables, 64 assignments in a word: the random bits are the low variables,
/// at least six (those that the circuit lacks change nothing), the shares the high ones, secret by secret.
class Assignments {
 public:
  /// The variables that the nodes depend on.
  Assignments(const Circuit& circuit, std::span<const std::uint32_t> nodes);

  [[nodiscard]] std::uint32_t random_bits() const noexcept { return random_bits_; }
  [[nodiscard]] std::uint32_t share_bits() const noexcept {
    return static_cast<std::uint32_t>(shares_.size());
  }
  [[nodiscard]] std::uint32_t bits() const noexcept { return random_bits_ + share_bits(); }
  /// Nodes of the shares among the variables, from the lowest variable.
  [[nodiscard]] const std::vector<std::uint32_t>& shares() const noexcept { return shares_; }

  /// Truth tables of `wanted`, one after another, for the words [first_word, first_word + words).
  void evaluate(std::span<const std::uint32_t> wanted, std::uint64_t first_word, std::size_t words,
                std::vector<std::uint64_t>& tables) const;

 private:
  const Circuit& circuit_;
  std::vector<std::uint32_t> cone_;     // nodes in the order of their evaluation
  std::vector<std::int32_t> variable_;  // of each node; -1 for gates
  std::vector<std::uint32_t> shares_;
  std::uint32_t random_bits_ = 0;
};

/// What one value, or the XOR of several, reveals.
struct Dependency {
  std::uint32_t indices = 0;  ///< bit i: the number of ones depends on share i of some secret
  bool on_secrets = false;    ///< with uniform shares, the number of ones depends on the secrets
};

/// ones[x]: assignments of the random bits under which the value is 1, for the value x of the shares.
[[nodiscard]] Dependency dependency_of(const Circuit& circuit, std::span<const std::uint32_t> shares,
                                       std::span<const std::uint32_t> ones);

}  // namespace ciphermark::evidence
