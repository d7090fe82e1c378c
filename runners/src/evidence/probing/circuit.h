#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// A gadget as a circuit of one-bit gates, recorded while its own source executes with Bit as the word.
namespace ciphermark::evidence {

enum class Gate : std::uint8_t { zero, share, random, exclusive_or, conjunction, complement };

/// One intermediate value. left and right are nodes with lower numbers; a share has its secret in left and
/// its index in right; a random bit has its number in left.
struct Node {
  Gate gate;
  std::uint32_t left;
  std::uint32_t right;
};

/// Gates in the order of their execution, the number of secrets and shares that enter, and the nodes that
/// leave as the shares of the result.
class Circuit {
 public:
  /// Node 0 is the constant 0.
  explicit Circuit(std::uint32_t shares) : shares_(shares), nodes_{{Gate::zero, 0, 0}} {}

  std::uint32_t add(Gate gate, std::uint32_t left, std::uint32_t right);
  /// The nodes of the shares of one more secret.
  std::vector<std::uint32_t> add_secret();
  std::uint32_t add_random() { return add(Gate::random, randoms_++, 0); }
  void set_outputs(std::vector<std::uint32_t> outputs) { outputs_ = std::move(outputs); }

  [[nodiscard]] std::uint32_t shares() const noexcept { return shares_; }
  [[nodiscard]] std::uint32_t secrets() const noexcept { return secrets_; }
  [[nodiscard]] std::uint32_t randoms() const noexcept { return randoms_; }
  [[nodiscard]] const std::vector<Node>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] const std::vector<std::uint32_t>& outputs() const noexcept { return outputs_; }
  /// "n17 = n4 & n12"
  [[nodiscard]] std::string describe(std::uint32_t node) const;

 private:
  std::uint32_t shares_;
  std::uint32_t secrets_ = 0;
  std::uint32_t randoms_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> outputs_;
};

/// A word of one bit: each operation on it appends a gate to the circuit of the thread.
class Bit {
 public:
  Bit() noexcept = default;
  explicit Bit(std::uint32_t node) noexcept : node_(node) {}
  [[nodiscard]] std::uint32_t node() const noexcept { return node_; }

 private:
  std::uint32_t node_ = 0;
};

/// The circuit that operations on Bit of this thread append to, from construction to destruction.
class Recording {
 public:
  explicit Recording(Circuit& circuit) noexcept;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();
  /// Throws std::logic_error outside of a recording.
  [[nodiscard]] static Circuit& current();
};

[[nodiscard]] Bit operator^(Bit a, Bit b);
[[nodiscard]] Bit operator&(Bit a, Bit b);
[[nodiscard]] Bit operator|(Bit a, Bit b);
[[nodiscard]] Bit operator~(Bit a);
/// ~a & b: two gates, so that the complement can be probed as well.
[[nodiscard]] Bit and_not(Bit a, Bit b);
/// A recording has no compiler that could change it.
inline void opaque(Bit& /*bit*/) noexcept {}

}  // namespace ciphermark::evidence
