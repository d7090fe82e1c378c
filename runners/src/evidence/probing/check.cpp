#include "evidence/probing/check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <random>
#include <stdexcept>

#include "evidence/probing/counting.h"

namespace ciphermark::evidence {
namespace {

constexpr std::uint32_t kMaxTableBits = 22;
constexpr std::uint32_t kMaxTableShares = 4;

/// An intermediate value that can be probed, and the index of the output share that it is, if it is one. As
/// an output it allows less to the simulator than as an intermediate value, so that the one check covers the
/// other.
struct Probe {
  std::uint32_t node;
  std::optional<std::uint32_t> output;
};

std::optional<std::uint32_t> output_index(const Circuit& circuit, std::uint32_t node) {
  const auto found = std::ranges::find(circuit.outputs(), node);
  if (found == circuit.outputs().end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - circuit.outputs().begin());
}

std::string describe(const Circuit& circuit, std::span<const Probe> probes) {
  std::string text;
  for (const Probe& probe : probes) text += (text.empty() ? "" : "; ") + circuit.describe(probe.node);
  return text;
}

/// Compares what the probes depend on with the two definitions.
void judge(const Circuit& circuit, std::span<const Probe> probes, Dependency found, GadgetVerdict& verdict) {
  std::uint32_t outputs = 0;
  std::uint32_t intermediate = 0;
  for (const Probe& probe : probes) {
    if (probe.output) {
      outputs |= 1U << *probe.output;
    } else {
      ++intermediate;
    }
  }
  if (found.on_secrets && !verdict.probing_violation) verdict.probing_violation = describe(circuit, probes);
  if (static_cast<std::uint32_t>(std::popcount(found.indices & ~outputs)) > intermediate &&
      !verdict.pini_violation) {
    verdict.pini_violation = describe(circuit, probes);
  }
}

Dependency operator|(Dependency a, Dependency b) noexcept {
  return {a.indices | b.indices, a.on_secrets || b.on_secrets};
}

// ---- All sets, on truth tables ----

using Table = std::vector<std::uint64_t>;

class Exhaustive {
 public:
  explicit Exhaustive(const Circuit& circuit)
      : circuit_(circuit), nodes_(all_nodes(circuit)), assignments_(circuit, nodes_) {
    if (circuit.shares() > kMaxTableShares || assignments_.bits() > kMaxTableBits) {
      throw std::length_error("the circuit has too many variables to enumerate all sets of probes");
    }
    find_probes();
    single_.reserve(probes_.size());
    for (const Table& table : tables_) single_.push_back(dependency(table));
  }

  GadgetVerdict check() {
    verdict_.probes = probes_.size();
    verdict_.exhaustive = true;
    const std::uint32_t order = circuit_.shares() - 1;
    const std::size_t count = probes_.size();
    pairs_.assign(order >= 3 ? count * count : 0, {});
    for (std::size_t i = 0; i < count; ++i) judge_set({i}, single_[i]);
    if (order >= 2) check_pairs();
    if (order >= 3) check_triples();
    return verdict_;
  }

 private:
  static std::vector<std::uint32_t> all_nodes(const Circuit& circuit) {
    std::vector<std::uint32_t> nodes(circuit.nodes().size());
    for (std::uint32_t i = 0; i < nodes.size(); ++i) nodes[i] = i;
    return nodes;
  }

  /// One probe for each different function, which is the output if one of them is.
  void find_probes() {
    const std::size_t words = std::size_t{1} << (assignments_.bits() - 6);
    Table all;
    assignments_.evaluate(nodes_, 0, words, all);
    std::map<Table, std::size_t> known;
    for (const std::uint32_t node : nodes_) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(node * words);
      Table table(from, from + static_cast<std::ptrdiff_t>(words));
      // A complement reveals what the value reveals.
      if ((table[0] & 1) != 0) std::ranges::for_each(table, [](std::uint64_t& word) { word = ~word; });
      if (std::ranges::all_of(table, [](std::uint64_t word) { return word == 0; })) continue;
      const auto [place, fresh] = known.emplace(table, probes_.size());
      const std::optional<std::uint32_t> output = output_index(circuit_, node);
      if (fresh) {
        probes_.push_back({node, output});
        tables_.push_back(std::move(table));
      } else if (output) {
        probes_[place->second] = {node, output};
      }
    }
  }

  Dependency dependency(const Table& table) {
    const std::size_t words = std::size_t{1} << (assignments_.random_bits() - 6);
    ones_.assign(table.size() / words, 0);
    for (std::size_t w = 0; w < table.size(); ++w) {
      ones_[w / words] += static_cast<std::uint32_t>(std::popcount(table[w]));
    }
    return dependency_of(circuit_, assignments_.shares(), ones_);
  }

  Dependency dependency_of_sum(const Table& a, const Table& b, Table& sum) {
    sum.resize(a.size());
    std::ranges::transform(a, b, sum.begin(), std::bit_xor<>());
    return dependency(sum);
  }

  void judge_set(std::initializer_list<std::size_t> chosen, Dependency found) {
    std::vector<Probe> set;
    for (const std::size_t i : chosen) set.push_back(probes_[i]);
    ++verdict_.sets;
    judge(circuit_, set, found, verdict_);
  }

  void check_pairs() {
    for (std::size_t i = 0; i < probes_.size(); ++i) {
      for (std::size_t j = i + 1; j < probes_.size(); ++j) {
        const Dependency found = single_[i] | single_[j] | dependency_of_sum(tables_[i], tables_[j], sum_);
        if (!pairs_.empty()) pairs_[i * probes_.size() + j] = found;
        judge_set({i, j}, found);
      }
    }
  }

  void check_triples() {
    const auto pair = [this](std::size_t i, std::size_t j) { return pairs_[i * probes_.size() + j]; };
    Table both;
    for (std::size_t i = 0; i < probes_.size(); ++i) {
      for (std::size_t j = i + 1; j < probes_.size(); ++j) {
        both.resize(tables_[i].size());
        std::ranges::transform(tables_[i], tables_[j], both.begin(), std::bit_xor<>());
        for (std::size_t k = j + 1; k < probes_.size(); ++k) {
          judge_set({i, j, k},
                    pair(i, j) | pair(i, k) | pair(j, k) | dependency_of_sum(both, tables_[k], sum_));
        }
      }
    }
  }

  const Circuit& circuit_;
  std::vector<std::uint32_t> nodes_;
  Assignments assignments_;
  std::vector<Probe> probes_;
  std::vector<Table> tables_;
  std::vector<Dependency> single_;
  std::vector<Dependency> pairs_;
  std::vector<std::uint32_t> ones_;
  Table sum_;
  GadgetVerdict verdict_;
};

// ---- Random sets ----

/// The variables of each node, as bits: random bits, then shares.
struct Variables {
  std::uint64_t all = 0;
  std::uint64_t masking = 0;  ///< random bits that the node is the XOR of one of and of a value without it
};

class RandomSets {
 public:
  explicit RandomSets(const Circuit& circuit) : circuit_(circuit) {
    if (circuit.randoms() + circuit.secrets() * circuit.shares() > 64) {
      throw std::length_error("the circuit has more than 64 variables");
    }
    for (std::uint32_t i = 0; i < circuit.nodes().size(); ++i) {
      const Node& node = circuit.nodes()[i];
      variables_.push_back(variables_of(node));
      if (node.gate == Gate::zero || node.gate == Gate::complement) continue;
      probes_.push_back({i, output_index(circuit, i)});
    }
  }

  GadgetVerdict check(std::uint64_t sets, std::uint64_t seed) {
    GadgetVerdict verdict;
    verdict.probes = probes_.size();
    std::mt19937_64 random(seed);
    const std::size_t order = std::min<std::size_t>(circuit_.shares() - 1, probes_.size());
    std::vector<Probe> set;
    for (; verdict.sets < sets; ++verdict.sets) {
      set.clear();
      std::ranges::sample(probes_, std::back_inserter(set), static_cast<std::ptrdiff_t>(order), random);
      check_set(set, verdict);
    }
    return verdict;
  }

 private:
  [[nodiscard]] Variables variables_of(const Node& node) const {
    switch (node.gate) {
      case Gate::zero:
        return {};
      case Gate::share:
        return {std::uint64_t{1} << (circuit_.randoms() + node.left * circuit_.shares() + node.right), 0};
      case Gate::random:
        return {std::uint64_t{1} << node.left, std::uint64_t{1} << node.left};
      case Gate::exclusive_or: {
        const Variables& a = variables_[node.left];
        const Variables& b = variables_[node.right];
        return {a.all | b.all, (a.masking & ~b.all) | (b.masking & ~a.all)};
      }
      case Gate::conjunction:
        return {variables_[node.left].all | variables_[node.right].all, 0};
      case Gate::complement:
        return variables_[node.left];
    }
    throw std::logic_error("a gate that is none of the six kinds");
  }

  /// Leaves out probes that a random bit which no other probe depends on makes uniform and independent.
  void reduce(std::vector<std::uint32_t>& nodes) const {
    for (std::size_t i = 0; i < nodes.size();) {
      std::uint64_t others = 0;
      for (std::size_t j = 0; j < nodes.size(); ++j) {
        if (j != i) others |= variables_[nodes[j]].all;
      }
      if ((variables_[nodes[i]].masking & ~others) == 0) {
        ++i;
        continue;
      }
      nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(i));
      i = 0;
    }
  }

  /// Indices of the shares that the nodes are functions of.
  [[nodiscard]] std::uint32_t indices_of(const std::vector<std::uint32_t>& nodes) const {
    std::uint64_t all = 0;
    for (const std::uint32_t node : nodes) all |= variables_[node].all;
    std::uint32_t indices = 0;
    for (std::uint32_t k = 0; k < circuit_.secrets(); ++k) {
      indices |= static_cast<std::uint32_t>(all >> (circuit_.randoms() + k * circuit_.shares())) &
                 ((1U << circuit_.shares()) - 1);
    }
    return indices;
  }

  void check_set(const std::vector<Probe>& set, GadgetVerdict& verdict) {
    std::vector<std::uint32_t> nodes;
    std::uint32_t outputs = 0;
    std::uint32_t intermediate = 0;
    for (const Probe& probe : set) {
      nodes.push_back(probe.node);
      if (probe.output) {
        outputs |= 1U << *probe.output;
      } else {
        ++intermediate;
      }
    }
    reduce(nodes);
    const std::uint32_t indices = indices_of(nodes);
    const bool few = static_cast<std::uint32_t>(std::popcount(indices & ~outputs)) <= intermediate;
    // Fewer than all shares of a secret are independent of it.
    const bool all_shares = static_cast<std::uint32_t>(std::popcount(indices)) == circuit_.shares();
    if (few && !all_shares) return;
    std::ranges::sort(nodes);
    auto [place, fresh] = known_.try_emplace(nodes);
    if (fresh) place->second = count(nodes);
    judge(circuit_, set, place->second, verdict);
  }

  /// The XORs of all subsets, over the variables that the nodes depend on.
  [[nodiscard]] Dependency count(const std::vector<std::uint32_t>& nodes) const {
    constexpr std::size_t kMostWords = 256;
    const Assignments assignments(circuit_, nodes);
    const std::uint64_t words = std::uint64_t{1} << (assignments.bits() - 6);
    const std::size_t block = std::min<std::uint64_t>(words, kMostWords);
    const std::uint32_t value_shift = assignments.random_bits() - 6;
    const std::size_t subsets = std::size_t{1} << nodes.size();
    std::vector<std::vector<std::uint32_t>> ones(
        subsets, std::vector<std::uint32_t>(std::size_t{1} << assignments.share_bits(), 0));
    std::vector<std::uint64_t> tables;
    std::vector<std::uint64_t> sums(subsets * block, 0);
    for (std::uint64_t first = 0; first < words; first += block) {
      assignments.evaluate(nodes, first, block, tables);
      for (std::size_t subset = 1; subset < subsets; ++subset) {
        const auto lowest = static_cast<std::size_t>(std::countr_zero(subset));
        const std::uint64_t* rest = sums.data() + (subset & (subset - 1)) * block;
        std::uint64_t* sum = sums.data() + subset * block;
        for (std::size_t w = 0; w < block; ++w) {
          sum[w] = rest[w] ^ tables[lowest * block + w];
          ones[subset][(first + w) >> value_shift] += static_cast<std::uint32_t>(std::popcount(sum[w]));
        }
      }
    }
    Dependency found;
    for (std::size_t subset = 1; subset < subsets; ++subset) {
      found = found | dependency_of(circuit_, assignments.shares(), ones[subset]);
    }
    return found;
  }

  const Circuit& circuit_;
  std::vector<Variables> variables_;
  std::vector<Probe> probes_;
  std::map<std::vector<std::uint32_t>, Dependency> known_;
};

}  // namespace

GadgetVerdict check_exhaustively(const Circuit& circuit) { return Exhaustive(circuit).check(); }

GadgetVerdict check_random_sets(const Circuit& circuit, std::uint64_t sets, std::uint64_t seed) {
  return RandomSets(circuit).check(sets, seed);
}

}  // namespace ciphermark::evidence
