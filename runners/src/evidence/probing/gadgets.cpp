#include "evidence/probing/gadgets.h"

#include <array>
#include <stdexcept>
#include <utility>

#include "masked/gadgets.h"

namespace ciphermark::evidence {
namespace {

template <std::size_t kShares>
using Shares = std::array<Bit, kShares>;

/// A new random bit for each word that a gadget takes.
struct RandomBits {
  template <typename Word, std::size_t kCount>
  static std::array<Word, kCount> take() {
    std::array<Word, kCount> bits;
    for (Word& bit : bits) bit = Word(Recording::current().add_random());
    return bits;
  }
};

/// A generator that returns zeros.
struct Zeros {
  template <typename Word, std::size_t kCount>
  static std::array<Word, kCount> take() {
    return {};
  }
};

/// The first bit of each gadget is missing.
struct OneMissing {
  template <typename Word, std::size_t kCount>
  static std::array<Word, kCount> take() {
    std::array<Word, kCount> bits = RandomBits::take<Word, kCount>();
    bits[0] = Word();
    return bits;
  }
};

template <std::size_t kShares>
Shares<kShares> shared_secret(Circuit& circuit) {
  Shares<kShares> shares;
  std::size_t i = 0;
  for (const std::uint32_t node : circuit.add_secret()) shares[i++] = Bit(node);
  return shares;
}

/// gadget: takes the circuit and returns the shares of the result.
template <std::size_t kShares, typename Gadget>
NamedCircuit record(std::string name, const Gadget& gadget) {
  Circuit circuit(kShares);
  const Recording recording(circuit);
  const Shares<kShares> result = gadget(circuit);
  std::vector<std::uint32_t> outputs;
  for (const Bit bit : result) outputs.push_back(bit.node());
  circuit.set_outputs(std::move(outputs));
  return {std::move(name), std::move(circuit)};
}

template <typename Source, std::size_t kShares>
Shares<kShares> product_of(const Shares<kShares>& x, const Shares<kShares>& y) {
  Shares<kShares> product;
  masked::multiply<Source>(product, x, y);
  return product;
}

template <std::size_t kShares>
std::vector<NamedCircuit> gadgets() {
  std::vector<NamedCircuit> all;
  all.push_back(record<kShares>("multiply", [](Circuit& circuit) {
    const auto x = shared_secret<kShares>(circuit);
    return product_of<RandomBits>(x, shared_secret<kShares>(circuit));
  }));
  all.push_back(record<kShares>("refresh", [](Circuit& circuit) {
    auto x = shared_secret<kShares>(circuit);
    masked::refresh<RandomBits>(x);
    return x;
  }));
  // What a composition rule must allow: inputs that depend on each other, without a refresh in between.
  all.push_back(record<kShares>("multiply, both inputs of one value", [](Circuit& circuit) {
    const auto x = shared_secret<kShares>(circuit);
    return product_of<RandomBits>(x, x);
  }));
  if constexpr (kShares <= 3) {
    all.push_back(record<kShares>("multiply, by a product of the same value", [](Circuit& circuit) {
      const auto x = shared_secret<kShares>(circuit);
      const auto y = shared_secret<kShares>(circuit);
      return product_of<RandomBits>(x, product_of<RandomBits>(x, y));
    }));
  }
  return all;
}

template <std::size_t kShares>
std::vector<NamedCircuit> faults() {
  std::vector<NamedCircuit> all;
  all.push_back(record<kShares>("generator that returns zeros", [](Circuit& circuit) {
    const auto x = shared_secret<kShares>(circuit);
    return product_of<Zeros>(x, shared_secret<kShares>(circuit));
  }));
  all.push_back(record<kShares>("missing random bit", [](Circuit& circuit) {
    const auto x = shared_secret<kShares>(circuit);
    return product_of<OneMissing>(x, shared_secret<kShares>(circuit));
  }));
  all.push_back(record<kShares>("missing refresh of one share", [](Circuit& circuit) {
    auto x = shared_secret<kShares>(circuit);
    auto y = x;
    masked::refresh<OneMissing>(y);
    for (std::size_t i = 0; i < kShares; ++i) y[i] = y[i] ^ x[(i + 1) % kShares];
    return y;
  }));
  all.push_back(record<kShares>("swapped share", [](Circuit& circuit) {
    const auto x = shared_secret<kShares>(circuit);
    auto y = shared_secret<kShares>(circuit);
    std::swap(y[0], y[1]);
    return product_of<RandomBits>(x, y);
  }));
  all.push_back(record<kShares>("recombined intermediate", [](Circuit& circuit) {
    const auto x = shared_secret<kShares>(circuit);
    auto product = product_of<RandomBits>(x, shared_secret<kShares>(circuit));
    const Bit recombined = masked::recombine(product);
    product[0] = product[0] ^ recombined;
    product[1] = product[1] ^ recombined;
    return product;
  }));
  return all;
}

}  // namespace

std::vector<NamedCircuit> recorded_gadgets(std::uint32_t shares) {
  switch (shares) {
    case 2:
      return gadgets<2>();
    case 3:
      return gadgets<3>();
    case 4:
      return gadgets<4>();
    case 5:
      return gadgets<5>();
    case 6:
      return gadgets<6>();
    default:
      throw std::out_of_range("gadgets have 2 to 6 shares");
  }
}

std::vector<NamedCircuit> recorded_faults(std::uint32_t shares) {
  switch (shares) {
    case 2:
      return faults<2>();
    case 3:
      return faults<3>();
    case 4:
      return faults<4>();
    default:
      throw std::out_of_range("faults are recorded for 2 to 4 shares");
  }
}

}  // namespace ciphermark::evidence
