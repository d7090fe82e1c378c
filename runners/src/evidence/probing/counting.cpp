#include "evidence/probing/counting.h"

#include <algorithm>
#include <bit>

namespace ciphermark::evidence {
namespace {

constexpr std::uint32_t kWordVariables = 6;  // 64 assignments in a word

/// Bit k of entry v: bit v of the number k.
constexpr std::uint64_t kPatterns[kWordVariables] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc,
                                                     0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00,
                                                     0xffff0000ffff0000, 0xffffffff00000000};

std::uint64_t word_of_variable(std::uint32_t variable, std::uint64_t word) noexcept {
  if (variable < kWordVariables) return kPatterns[variable];
  return (word >> (variable - kWordVariables) & 1) != 0 ? ~std::uint64_t{0} : 0;
}

std::vector<std::uint32_t> cone_of(const Circuit& circuit, std::span<const std::uint32_t> wanted) {
  const std::vector<Node>& nodes = circuit.nodes();
  std::vector<bool> needed(nodes.size(), false);
  for (const std::uint32_t node : wanted) needed[node] = true;
  std::vector<std::uint32_t> cone;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (!needed[i]) continue;
    cone.push_back(static_cast<std::uint32_t>(i));
    const Gate gate = nodes[i].gate;
    if (gate == Gate::share || gate == Gate::random || gate == Gate::zero) continue;
    needed[nodes[i].left] = true;
    if (gate != Gate::complement) needed[nodes[i].right] = true;
  }
  std::ranges::reverse(cone);
  return cone;
}

}  // namespace

Assignments::Assignments(const Circuit& circuit, std::span<const std::uint32_t> nodes)
    : circuit_(circuit), cone_(cone_of(circuit, nodes)), variable_(circuit.nodes().size(), -1) {
  for (const std::uint32_t node : cone_) {
    if (circuit.nodes()[node].gate == Gate::random) {
      variable_[node] = static_cast<std::int32_t>(random_bits_++);
    } else if (circuit.nodes()[node].gate == Gate::share) {
      shares_.push_back(node);
    }
  }
  random_bits_ = std::max(random_bits_, kWordVariables);
  for (std::uint32_t i = 0; i < share_bits(); ++i) {
    variable_[shares_[i]] = static_cast<std::int32_t>(random_bits_ + i);
  }
}

void Assignments::evaluate(std::span<const std::uint32_t> wanted, std::uint64_t first_word, std::size_t words,
                           std::vector<std::uint64_t>& tables) const {
  const std::vector<Node>& nodes = circuit_.nodes();
  std::vector<std::uint32_t> place(nodes.size(), 0);
  std::vector<std::uint64_t> values(cone_.size() * words);
  for (std::uint32_t i = 0; i < cone_.size(); ++i) {
    const std::uint32_t number = cone_[i];
    const Node& node = nodes[number];
    place[number] = i;
    std::uint64_t* out = values.data() + i * words;
    const std::uint64_t* left = values.data() + place[node.left] * words;
    const std::uint64_t* right = values.data() + place[node.right] * words;
    switch (node.gate) {
      case Gate::zero:
        break;
      case Gate::share:
      case Gate::random:
        for (std::size_t w = 0; w < words; ++w) {
          out[w] = word_of_variable(static_cast<std::uint32_t>(variable_[number]), first_word + w);
        }
        break;
      case Gate::exclusive_or:
        for (std::size_t w = 0; w < words; ++w) out[w] = left[w] ^ right[w];
        break;
      case Gate::conjunction:
        for (std::size_t w = 0; w < words; ++w) out[w] = left[w] & right[w];
        break;
      case Gate::complement:
        for (std::size_t w = 0; w < words; ++w) out[w] = ~left[w];
        break;
    }
  }
  tables.clear();
  for (const std::uint32_t node : wanted) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(place[node] * words);
    tables.insert(tables.end(), from, from + static_cast<std::ptrdiff_t>(words));
  }
}

Dependency dependency_of(const Circuit& circuit, std::span<const std::uint32_t> shares,
                         std::span<const std::uint32_t> ones) {
  Dependency result;
  if (std::ranges::all_of(ones, [&ones](std::uint32_t count) { return count == ones[0]; })) return result;
  // Of a secret with all its shares among the variables, the bits of its shares.
  std::vector<std::uint32_t> present(circuit.secrets(), 0);
  for (std::uint32_t i = 0; i < shares.size(); ++i) {
    const Node& share = circuit.nodes()[shares[i]];
    present[share.left] |= 1U << i;
    for (std::uint32_t x = 0; x < ones.size(); ++x) {
      if (ones[x] == ones[x ^ 1U << i]) continue;
      result.indices |= 1U << share.right;
      break;
    }
  }
  std::vector<std::uint32_t> whole;
  for (const std::uint32_t bits : present) {
    if (static_cast<std::uint32_t>(std::popcount(bits)) == circuit.shares()) whole.push_back(bits);
  }
  // Shares are uniform given the secrets, so each class has as many values of the shares as any other.
  std::vector<std::uint64_t> sums(std::size_t{1} << whole.size(), 0);
  for (std::uint32_t x = 0; x < ones.size(); ++x) {
    std::size_t secrets = 0;
    for (std::size_t k = 0; k < whole.size(); ++k) {
      secrets |= static_cast<std::size_t>(std::popcount(x & whole[k]) & 1) << k;
    }
    sums[secrets] += ones[x];
  }
  result.on_secrets = std::ranges::any_of(sums, [&sums](std::uint64_t sum) { return sum != sums[0]; });
  return result;
}

}  // namespace ciphermark::evidence
