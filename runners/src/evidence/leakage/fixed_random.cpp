#include "evidence/leakage/fixed_random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "ciphermark/bytes.h"
#include "evidence/leakage/recorder.h"
#include "evidence/leakage/welch.h"
#include "masked/randomness.h"

namespace ciphermark::evidence {
namespace {

/// Operations of which each lane is kept, in windows of neighbors.
constexpr std::size_t kWindowOperations = 64;
constexpr std::size_t kWindows = 64;
/// Executions of which the centers of products are the means.
constexpr std::size_t kPilotExecutions = 128;

/// Masks that the seed determines.
class SeededGenerator : public masked::Generator {
 public:
  explicit SeededGenerator(std::uint64_t seed) : random_(seed) {}
  bool begin_packet() override { return true; }
  bool fill(MutableBytes out) override {
    for (std::size_t at = 0; at < out.size(); at += 8) {
      store_le(word_.data(), random_());
      std::copy_n(word_.begin(), std::min<std::size_t>(8, out.size() - at),
                  out.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return true;
  }
  [[nodiscard]] std::size_t batch_bytes() const override { return masked::kMostBatchBytes; }
  [[nodiscard]] bool keeps_rest() const override { return true; }

 private:
  std::mt19937_64 random_;
  std::array<std::uint8_t, 8> word_{};
};

using Tuple = std::array<std::uint32_t, 5>;

class Experiment {
 public:
  Experiment(const Subject& subject, const Extent& extent)
      : subject_(subject), extent_(extent), random_(extent.seed), fixed_key_(subject.key_bytes) {
    // Not all zeros or ones, of which some products are constant; the same for all seeds.
    std::mt19937_64 of_key(0);  // NOLINT(cert-msc32-c,cert-msc51-cpp): one key for all
    draw(fixed_key_, of_key);
    random_key_ = fixed_key_;
  }

  LeakageVerdict test() {
    count_operations();
    choose();
    find_centers();
    IntegerTest first(2 * operations_);
    std::vector<RealTest> higher;
    for (const auto& tuples : tuples_) higher.emplace_back(tuples.size());
    const std::uint64_t executions = std::max<std::uint64_t>(extent_.traces / kLanes, 4);
    std::vector<double> products;
    for (std::uint64_t i = 0; i < executions; ++i) {
      const Group group = (random_() & 1) == 0 ? Group::fixed : Group::random;
      execute(group);
      first.add(group, recorder().sums());
      if (!higher.empty()) center();
      for (std::size_t k = 0; k < higher.size(); ++k) {
        multiply(tuples_[k], k + 2, products);
        higher[k].add(group, products);
      }
    }
    LeakageVerdict verdict{.operations = operations_, .traces = executions * kLanes, .orders = {}};
    const auto freedom = static_cast<double>(executions - 2);
    verdict.orders.push_back(
        order_verdict(1, first, 2 * operations_, freedom, [](std::size_t point) { return point / 2; }));
    for (std::size_t k = 0; k < higher.size(); ++k) {
      const auto& tuples = tuples_[k];
      verdict.orders.push_back(
          order_verdict(k + 2, higher[k], tuples.size(), freedom,
                        [&](std::size_t point) { return std::size_t{chosen_[tuples[point][0]]}; }));
    }
    return verdict;
  }

 private:
  static void draw(std::vector<std::uint8_t>& bytes, std::mt19937_64& random) {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  }

  void execute(Group group) {
    if (group == Group::random) draw(random_key_, random_);
    subject_.set_key(group == Group::fixed ? fixed_key_ : random_key_);
    recorder().start(operations_, chosen_);
    recorder().set_replacing(true);
    subject_.execute();
    recorder().set_replacing(false);
    if (recorder().lanes_differ()) {
      throw std::logic_error("shares were recombined to different values in the lanes of one execution");
    }
    if (recorder().executed() != operations_ && operations_ != 0) {
      throw std::logic_error("an execution had " + std::to_string(recorder().executed()) +
                             " operations on shares, another one " + std::to_string(operations_));
    }
  }

  void count_operations() {
    execute(Group::random);
    const std::size_t counted = recorder().executed();
    if (counted == 0) throw std::logic_error("the execution emitted nothing: it works on no shares");
    operations_ = counted;
  }

  /// Windows and tuples are the same for all seeds, so that a leak can be found twice.
  void choose() {
    const std::size_t orders = std::min(subject_.shares - 1, extent_.max_order);
    if (orders < 2) return;
    std::mt19937_64 random(operations_);
    std::vector<std::size_t> starts;
    if (operations_ <= kWindows * kWindowOperations) {
      for (std::size_t at = 0; at < operations_; at += kWindowOperations) starts.push_back(at);
    } else {
      const std::size_t blocks = operations_ / kWindowOperations;
      std::vector<std::size_t> all(blocks);
      for (std::size_t i = 0; i < blocks; ++i) all[i] = i * kWindowOperations;
      std::ranges::sample(all, std::back_inserter(starts), kWindows, random);
    }
    for (const std::size_t start : starts) {
      for (std::size_t i = start; i < std::min(start + kWindowOperations, operations_); ++i) {
        chosen_.push_back(static_cast<std::uint32_t>(i));
      }
    }
    for (std::size_t order = 2; order <= orders; ++order) tuples_.push_back(tuples_of(order, random));
  }

  /// Half of them operations that follow each other, because those on the shares of one value do: all runs of
  /// them in the windows.
  std::vector<Tuple> tuples_of(std::size_t order, std::mt19937_64& random) const {
    std::vector<Tuple> tuples;
    if (chosen_.size() < order) return tuples;
    const std::size_t firsts = chosen_.size() - order + 1;
    for (std::size_t i = 0; i < extent_.tuples; ++i) {
      const bool in_sequence = i % 2 == 0;
      const std::size_t first = in_sequence ? i / 2 % firsts : random() % firsts;
      const std::size_t end = std::min((first / kWindowOperations + 1) * kWindowOperations, chosen_.size());
      Tuple tuple{};
      tuple[0] = static_cast<std::uint32_t>(first);
      for (std::size_t j = 1; j < order; ++j) {
        tuple[j] = static_cast<std::uint32_t>(in_sequence ? first + j : first + random() % (end - first));
      }
      tuples.push_back(tuple);
    }
    return tuples;
  }

  void find_centers() {
    if (chosen_.empty()) return;
    std::vector<std::uint64_t> sums(chosen_.size(), 0);
    for (std::size_t i = 0; i < kPilotExecutions; ++i) {
      execute(i % 2 == 0 ? Group::fixed : Group::random);
      const std::vector<std::uint8_t>& lanes = recorder().lanes();
      for (std::size_t at = 0; at < lanes.size(); ++at) sums[at / kLanes] += lanes[at];
    }
    for (const std::uint64_t sum : sums) {
      centers_.push_back(static_cast<float>(static_cast<double>(sum) / (kPilotExecutions * kLanes)));
    }
  }

  void center() {
    const std::vector<std::uint8_t>& lanes = recorder().lanes();
    centered_.resize(lanes.size());
    for (std::size_t i = 0; i < centers_.size(); ++i) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        centered_[kLanes * i + lane] = static_cast<float>(lanes[kLanes * i + lane]) - centers_[i];
      }
    }
  }

  void multiply(const std::vector<Tuple>& tuples, std::size_t order, std::vector<double>& products) const {
    products.resize(tuples.size());
    for (std::size_t i = 0; i < tuples.size(); ++i) {
      std::array<float, kLanes> product;
      product.fill(1);
      for (std::size_t j = 0; j < order; ++j) {
        const float* factors = centered_.data() + kLanes * tuples[i][j];
        for (std::size_t lane = 0; lane < kLanes; ++lane) product[lane] *= factors[lane];
      }
      float sum = 0;
      for (const float value : product) sum += value;
      products[i] = static_cast<double>(sum);
    }
  }

  template <typename Test, typename OperationOf>
  static OrderVerdict order_verdict(std::size_t order, const Test& test, std::uint64_t tests, double freedom,
                                    const OperationOf& operation_of) {
    OrderVerdict verdict{
        .order = order, .tests = tests, .threshold = threshold(tests, freedom, kFalseAlarms)};
    for (std::size_t i = 0; i < tests; ++i) {
      const double t = std::abs(test.t(i));
      if (t <= verdict.largest_t) continue;
      verdict.largest_t = t;
      verdict.operation = operation_of(i);
    }
    return verdict;
  }

  const Subject& subject_;
  const Extent& extent_;
  std::mt19937_64 random_;
  std::vector<std::uint8_t> fixed_key_;
  std::vector<std::uint8_t> random_key_;
  std::size_t operations_ = 0;
  std::vector<std::uint32_t> chosen_;
  std::vector<std::vector<Tuple>> tuples_;  // of order 2, 3, ...
  std::vector<float> centers_;
  std::vector<float> centered_;
};

}  // namespace

LeakageVerdict test_fixed_versus_random(const Subject& subject, const Extent& extent) {
  masked::use_generator(std::make_unique<SeededGenerator>(extent.seed));
  return test_with_generator_in_use(subject, extent);
}

LeakageVerdict test_with_generator_in_use(const Subject& subject, const Extent& extent) {
  return Experiment(subject, extent).test();
}

}  // namespace ciphermark::evidence
