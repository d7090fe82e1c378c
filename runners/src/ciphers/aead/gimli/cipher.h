#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "aead/one_pass.h"
#include "ciphermark/describe.h"
#include "ciphers/aead/gimli/permutation.h"
#include "simd/target.h"
#include "sponge/duplex.h"
#include "sponge/rows.h"

/// GIMLI-24-CIPHER, the AEAD of "Gimli" (D. J. Bernstein et al., NIST round 2, 2019), section 3.2, in any
/// variant. Byte order: little endian. Deviations from the document: none.
///
/// A variant is a Row (words/row.h).
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gimli {

/// The state as a duplex. The last byte is marked at the last block of associated data and message.
template <typename Row>
struct Sponge : sponge::Rows<Row, 3, 16> {
  void permute() noexcept { gimli::permute(this->row); }
  void end_phase() noexcept {
    this->add_to_last_byte(1);
    permute();
  }
};

template <typename Row>
class Design : public sponge::OverMessage<Sponge<Row>> {
 public:
  static constexpr std::size_t kKeyBytes = 32;
  static constexpr std::size_t kNonceBytes = 16;
  static constexpr std::size_t kTagBytes = 16;
  static constexpr std::size_t kBlockBytes = Sponge<Row>::kRateBytes;
  static constexpr std::uint64_t kMaxMessageBytes = kNoMessageLimit;
  using State = Sponge<Row>;

  Status set_key(Bytes key) noexcept {
    key_ = {Row::load(key.data()), Row::load(key.data() + 16)};
    return Status::ok;
  }

  State begin(const std::uint8_t* nonce, Bytes associated_data) const noexcept {
    State state{{{Row::load(nonce), key_[0], key_[1]}}};
    state.permute();
    sponge::absorb(state, associated_data.data(), associated_data.size());
    state.end_phase();
    return state;
  }

  static void finish(State& state, std::uint8_t* tag) noexcept {
    state.end_phase();
    state.row[0].store(tag);
  }

 private:
  std::array<Row, 2> key_;
};

template <typename Row>
constexpr std::array<Implementation, 1> describe(const Variant& variant) {
  return {describe_aead<OnePass<Design<Row>>>("gimli-24", "Gimli (NIST round 2, 2019) section 3", variant)};
}

}  // namespace gimli
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
