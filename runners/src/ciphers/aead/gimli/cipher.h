#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "aead/batch.h"
#include "aead/one_pass.h"
#include "ciphermark/describe.h"
#include "ciphers/aead/gimli/permutation.h"
#include "simd/target.h"
#include "sponge/duplex.h"
#include "sponge/rows.h"
#include "words/messages.h"
#include "words/row.h"
#include "words/sharing.h"

/// GIMLI-24-CIPHER, the AEAD of "Gimli" (D. J. Bernstein et al., NIST round 2, 2019), section 3.2, in any
/// variant. Byte order: little endian. Deviations from the document: none.
///
/// A variant is a Row (words/row.h), or, where it is masked, a Row and the number of shares for it
/// (masked/word.h). Side is the type of the words of several messages, for batches.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gimli {

/// The state as a duplex. The last byte is marked at the last block of associated data and message.
template <typename Row>
struct Sponge : sponge::Rows<Row, 3, 16> {
  void permute() noexcept {
    if constexpr (words::kHasShares<Row>) {
      gimli::permute_apart(this->row);
    } else {
      gimli::permute(this->row);
    }
  }
  void end_phase() noexcept {
    this->add_to_last_byte(1);
    permute();
  }
};

/// Keyed: the row of the initialization, after which nothing uses the key.
template <typename Row, typename Keyed = Row>
class Design : public sponge::OverMessage<Sponge<Row>> {
 public:
  static constexpr std::size_t kKeyBytes = 32;
  static constexpr std::size_t kNonceBytes = 16;
  static constexpr std::size_t kTagBytes = 16;
  static constexpr std::size_t kBlockBytes = Sponge<Row>::kRateBytes;
  static constexpr std::uint64_t kMaxMessageBytes = kNoMessageLimit;
  using State = Sponge<Row>;

  Status set_key(Bytes key) noexcept {
    key_ = {Sharing::share(Plain::load(key.data())), Sharing::share(Plain::load(key.data() + 16))};
    return Status::ok;
  }

  template <typename In, typename Data>
  State begin(In nonce, const Data& associated_data) const noexcept {
    Sharing::refresh(key_[0]);
    Sharing::refresh(key_[1]);
    Sponge<Keyed> keyed{{{Keyed::load(nonce), key_[0], key_[1]}}};
    keyed.permute();
    State state{{words::moved<Row>(keyed.row)}};
    sponge::absorb(state, associated_data.data(), associated_data.size());
    state.end_phase();
    return state;
  }

  template <typename Out>
  static void finish(State& state, Out tag) noexcept {
    state.end_phase();
    state.row[0].store(tag);
  }

 private:
  using Sharing = words::Sharing<Keyed>;
  using Plain = typename Sharing::Plain;

  mutable std::array<Keyed, 2> key_;
};

inline constexpr std::string_view kSource = "Gimli (NIST round 2, 2019) section 3";

template <typename Row, typename Side = void>
constexpr std::array<Implementation, 1> describe(const Variant& variant) {
  using One = OnePass<Design<Row>>;
  Implementation described = describe_aead<One>("gimli-24", kSource, variant);
  if constexpr (words::kIsMessageWord<Side>) {
    batch::attach<batch::OfAead<One, OnePass<Design<words::Row<Side>>>, Side>>(described);
  }
  return {described};
}

}  // namespace gimli
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
