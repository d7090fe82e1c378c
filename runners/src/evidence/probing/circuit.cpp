#include "evidence/probing/circuit.h"

#include <stdexcept>

namespace ciphermark::evidence {
namespace {

thread_local Circuit* recorded = nullptr;

Bit append(Gate gate, Bit a, Bit b) { return Bit(Recording::current().add(gate, a.node(), b.node())); }

}  // namespace

std::uint32_t Circuit::add(Gate gate, std::uint32_t left, std::uint32_t right) {
  nodes_.push_back({gate, left, right});
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::vector<std::uint32_t> Circuit::add_secret() {
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t i = 0; i < shares_; ++i) nodes.push_back(add(Gate::share, secrets_, i));
  ++secrets_;
  return nodes;
}

std::string Circuit::describe(std::uint32_t node) const {
  const auto name = [](std::uint32_t number) { return "n" + std::to_string(number); };
  const Node& described = nodes_.at(node);
  const std::string is = name(node) + " = ";
  switch (described.gate) {
    case Gate::zero:
      return is + "0";
    case Gate::share:
      return is + "share " + std::to_string(described.right) + " of secret " + std::to_string(described.left);
    case Gate::random:
      return is + "random bit " + std::to_string(described.left);
    case Gate::exclusive_or:
      return is + name(described.left) + " ^ " + name(described.right);
    case Gate::conjunction:
      return is + name(described.left) + " & " + name(described.right);
    case Gate::complement:
      return is + "~" + name(described.left);
  }
  throw std::logic_error("a gate that is none of the six kinds");
}

Recording::Recording(Circuit& circuit) noexcept { recorded = &circuit; }

Recording::~Recording() { recorded = nullptr; }

Circuit& Recording::current() {
  if (recorded == nullptr) throw std::logic_error("an operation on a Bit outside of a recording");
  return *recorded;
}

Bit operator^(Bit a, Bit b) { return append(Gate::exclusive_or, a, b); }

Bit operator&(Bit a, Bit b) { return append(Gate::conjunction, a, b); }

Bit operator|(Bit a, Bit b) { return ~(~a & ~b); }

Bit operator~(Bit a) { return append(Gate::complement, a, Bit()); }

Bit and_not(Bit a, Bit b) { return ~a & b; }

}  // namespace ciphermark::evidence
