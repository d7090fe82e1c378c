#include "evidence/stepping/control.h"

#include <memory>

#include "ciphermark/bytes.h"
#include "masked/word.h"
#include "sponge/ascon_permutation.h"

namespace ciphermark::evidence {
namespace {

using Shared = masked::Masked<std::uint64_t, 3>;

struct State {
  ascon::State<Shared> x;
  std::uint64_t seen = 0;
  std::array<std::uint8_t, 8> out;
};

/// A template, because a compiler recombines for a condition at run time before it knows the condition (GCC
/// 12).
template <bool kRecombines>
Watched permutation() {
  const auto state = std::make_shared<State>();
  return {.key_bytes = 16,
          .set_key =
              [state](std::span<const std::uint8_t> key) {
                for (std::size_t i = 0; i < 2; ++i) {
                  state->x[i] = words::Sharing<Shared>::share(load_le<std::uint64_t>(key.data() + 8 * i));
                }
                for (std::size_t i = 2; i < state->x.size(); ++i) state->x[i] = Shared(std::uint64_t{i});
              },
          .execute =
              [state] {
                ascon::permute<6>(state->x);
                if constexpr (kRecombines) state->seen = masked::recombine(state->x[0].shares);
                ascon::permute<6>(state->x);
                store_le(state->out.data(), masked::recombine(state->x[1].shares));
                words::opaque(state->seen);
              },
          .output = [state] { return std::span<const std::uint8_t>(state->out); }};
}

}  // namespace

Watched control(bool recombines) { return recombines ? permutation<true>() : permutation<false>(); }

}  // namespace ciphermark::evidence
