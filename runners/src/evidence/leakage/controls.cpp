#include "evidence/leakage/controls.h"

#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "ciphermark/bytes.h"
#include "evidence/leakage/leaking.h"
#include "masked/randomness.h"
#include "masked/word.h"
#include "sponge/ascon_permutation.h"

namespace ciphermark::evidence {
namespace {

using Word = Leaking<std::uint64_t>;

class ZeroGenerator : public masked::Generator {
 public:
  bool begin_packet() override { return true; }
  bool fill(MutableBytes out) override {
    std::memset(out.data(), 0, out.size());
    return true;
  }
  [[nodiscard]] std::size_t batch_bytes() const override { return masked::kMostBatchBytes; }
};

/// Of three shares a multiplication takes three random words, a refresh two.
struct NoneForMultiplications {
  template <typename Taken, std::size_t kCount>
  static std::array<Taken, kCount> take() {
    std::array<Taken, kCount> words{};
    if constexpr (kCount == 3) return words;
    const auto drawn = masked::Pool::take<Taken, kCount>();
    for (std::size_t i = 0; i < kCount; ++i) words[i] = drawn[i];
    return words;
  }
};

/// Shares that are never made new.
struct NoneForRefreshes {
  template <typename Taken, std::size_t kCount>
  static std::array<Taken, kCount> take() {
    std::array<Taken, kCount> words{};
    if constexpr (kCount == 2) return words;
    const auto drawn = masked::Pool::take<Taken, kCount>();
    for (std::size_t i = 0; i < kCount; ++i) words[i] = drawn[i];
    return words;
  }
};

enum class Fault : std::uint8_t { none, swapped, recombined };

/// A key of 16 bytes in the permutation of Ascon: six rounds, the fault, and six rounds.
template <std::size_t kShares, typename Source = masked::Pool>
struct Permutation {
  using Shared = masked::Masked<Word, kShares, Source>;
  ascon::State<Shared> x;
  Fault fault = Fault::none;

  void set_key(std::span<const std::uint8_t> key) {
    for (std::size_t i = 0; i < 2; ++i) {
      x[i] = words::Sharing<Shared>::share(Word(load_le<std::uint64_t>(key.data() + 8 * i)));
    }
    for (std::size_t i = 2; i < x.size(); ++i) x[i] = Shared(Word(std::uint64_t{i}));
  }

  void execute() {
    ascon::permute<6>(x);
    if (fault == Fault::swapped) {
      // Share 0 of one value meets share 1 of the same value.
      const Shared turned = rotate_right<1>(x[0]);
      Shared swapped = turned;
      std::swap(swapped.shares[0], swapped.shares[1]);
      x[1] = x[1] ^ (turned ^ swapped);
    } else if (fault == Fault::recombined) {
      Word sum = x[0].shares[0];
      for (std::size_t i = 1; i < kShares; ++i) sum = sum ^ x[0].shares[i];
      x[0] = Shared(sum);
    }
    ascon::permute<6>(x);
  }
};

template <std::size_t kShares, typename Source = masked::Pool>
Subject subject(Fault fault) {
  const auto permutation = std::make_shared<Permutation<kShares, Source>>();
  permutation->fault = fault;
  return {.shares = kShares,
          .key_bytes = 16,
          .set_key = [permutation](std::span<const std::uint8_t> key) { permutation->set_key(key); },
          .execute = [permutation] { permutation->execute(); }};
}

}  // namespace

std::vector<Control> test_controls(const Extent& extent) {
  std::vector<Control> controls;
  const auto test = [&](std::string name, bool faulty, const Subject& tested) {
    controls.push_back({std::move(name), faulty, tested.shares, test_fixed_versus_random(tested, extent)});
  };
  test("no fault", false, subject<2>(Fault::none));
  test("no fault", false, subject<3>(Fault::none));
  test("missing refresh: multiplications without random words", true,
       subject<3, NoneForMultiplications>(Fault::none));
  test("missing refresh: a key that is not shared", true, subject<3, NoneForRefreshes>(Fault::none));
  test("swapped share", true, subject<2>(Fault::swapped));
  test("swapped share", true, subject<3>(Fault::swapped));
  test("recombined intermediate", true, subject<2>(Fault::recombined));
  test("recombined intermediate", true, subject<3>(Fault::recombined));
  controls.push_back(test_without_masks(subject<2>(Fault::none), extent));
  return controls;
}

Control test_without_masks(const Subject& subject, const Extent& extent) {
  masked::use_generator(std::make_unique<ZeroGenerator>());
  return {"generator that returns zeros", true, subject.shares, test_with_generator_in_use(subject, extent)};
}

}  // namespace ciphermark::evidence
