#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "aead/batch.h"
#include "aead/one_pass.h"
#include "ciphermark/describe.h"
#include "ciphers/aead/xoodyak/permutation.h"
#include "simd/target.h"
#include "sponge/duplex.h"
#include "sponge/rows.h"
#include "words/messages.h"
#include "words/row.h"
#include "words/sharing.h"

/// Xoodyak (J. Daemen, S. Hoffert, S. Mella, M. Peeters, G. Van Assche, R. Van Keer), authenticated
/// encryption in Cyclist mode, in any variant:
/// - `xoodyak`: "Xoodyak, a lightweight cryptographic scheme" (2021; NIST final round), sections 1.4 and 2;
/// - `xoodyak-round2`: the same of 2019 (round 2). It absorbs the nonce after the key instead of with it.
/// Byte order: little endian. Deviations from the documents: none; the hash mode is not here.
///
/// A variant is a Row (words/row.h), or, where it is masked, a Row and the number of shares for it
/// (masked/word.h). Side is the type of the words of several messages, for batches.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace xoodyak {

enum class Version : std::uint8_t { round2, final };

/// Algorithms 2 and 3: the bytes c_D of Down and c_U of Up, in the last byte of the state.
constexpr std::uint8_t kKeyBlock = 0x02;
constexpr std::uint8_t kAbsorb = 0x03;
constexpr std::uint8_t kCrypt = 0x80;
constexpr std::uint8_t kSqueeze = 0x40;
constexpr std::uint8_t kNone = 0x00;

/// Section 2: R_kin and R_kout.
constexpr std::size_t kAbsorbBytes = 44;
constexpr std::size_t kCryptBytes = 24;

/// The state in keyed mode. add and add_padding are Down, which pads whole blocks too.
template <typename Row>
struct Cyclist : sponge::Rows<Row, 3, kCryptBytes> {
  static constexpr bool kLastMayBeWhole = true;

  void up(std::uint8_t domain) noexcept {
    this->add_to_last_byte(domain);
    if constexpr (words::kHasShares<Row>) {
      xoodoo::permute_apart(this->row);
    } else {
      xoodoo::permute(this->row);
    }
  }
  /// The end of Down for a whole block of kBytes, and Up for the block behind it.
  template <std::size_t kBytes>
  void next_block() noexcept {
    this->add_padding(kBytes);
    up(kNone);
  }
  void permute() noexcept { next_block<kCryptBytes>(); }
};

/// The same state while it absorbs, with the wider rate.
template <typename Row>
struct Absorbing {
  static constexpr std::size_t kRateBytes = kAbsorbBytes;
  static constexpr bool kLastMayBeWhole = true;

  template <typename In>
  void add(In block) noexcept {
    state.template add_bytes<kRateBytes>(block);
  }
  void add_padding(std::size_t position) noexcept { state.add_padding(position); }
  void permute() noexcept { state.template next_block<kRateBytes>(); }

  Cyclist<Row>& state;
};

/// Keyed: the row of the initialization, after which nothing uses the key.
template <typename Row, Version version, typename Keyed = Row>
class Design : public sponge::OverMessage<Cyclist<Row>> {
 public:
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr std::size_t kNonceBytes = 16;
  static constexpr std::size_t kTagBytes = 16;
  static constexpr std::size_t kBlockBytes = kCryptBytes;
  static constexpr std::uint64_t kMaxMessageBytes = kNoMessageLimit;
  using State = Cyclist<Row>;

  /// AbsorbKey: one block of key, identifier, the length of the identifier and padding. In round 2 the
  /// identifier is empty, and what follows does not depend on the nonce until the next block; in the final
  /// version the nonce will take the place of the zeros.
  Status set_key(Bytes key) noexcept {
    Cyclist<Keyed> start{
        {{Sharing::share(Plain::load(key.data())), Keyed::of(0, 0, 0, 0), Keyed::of(0, 0, 0, 0)}}};
    const Wiped guard(start);
    start.add_to_last_byte(kKeyBlock);
    if constexpr (version == Version::final) {
      start.row[2] = start.row[2] ^ Keyed::of(kNonceBytes | 0x100, 0, 0, 0);
    } else {
      start.add_padding(kKeyBytes + 1);
      start.up(kNone);
    }
    start_ = start.row;
    return Status::ok;
  }

  template <typename In, typename Data>
  State begin(In nonce, const Data& associated_data) const noexcept {
    for (std::size_t i = 0; i < kRowsOfSecrets; ++i) Sharing::refresh(start_[i]);
    Cyclist<Keyed> keyed{{start_}};
    if constexpr (version == Version::final) {
      keyed.row[1] = keyed.row[1] ^ Keyed::load(nonce);
    } else {
      keyed.row[0] = keyed.row[0] ^ Keyed::load(nonce);
      keyed.add_padding(kNonceBytes);
      keyed.add_to_last_byte(kAbsorb);
    }
    keyed.up(kNone);
    State state{{words::moved<Row>(keyed.row)}};
    state.add_to_last_byte(kAbsorb);
    Absorbing<Row> absorbing{state};
    sponge::absorb(absorbing, associated_data.data(), associated_data.size());
    state.up(kCrypt);
    return state;
  }

  template <typename Out>
  static void finish(State& state, Out tag) noexcept {
    state.up(kSqueeze);
    state.row[0].store(tag);
  }

 private:
  using Sharing = words::Sharing<Keyed>;
  using Plain = typename Sharing::Plain;

  /// The key, or a state that the permutation made of it.
  static constexpr std::size_t kRowsOfSecrets = version == Version::final ? 1 : 3;

  mutable xoodoo::Planes<Keyed> start_;
};

inline constexpr std::string_view kFinalSource = "Xoodyak (2021) sections 1.4 and 2";
inline constexpr std::string_view kRound2Source = "Xoodyak (2019) sections 1.4 and 2";

template <typename Row, Version version, typename Side>
constexpr Implementation describe_one(std::string_view algorithm, std::string_view source,
                                      const Variant& variant) {
  using One = OnePass<Design<Row, version>>;
  Implementation described = describe_aead<One>(algorithm, source, variant);
  if constexpr (words::kIsMessageWord<Side>) {
    batch::attach<batch::OfAead<One, OnePass<Design<words::Row<Side>, version>>, Side>>(described);
  }
  return described;
}

template <typename Row, typename Side = void>
constexpr std::array<Implementation, 2> describe(const Variant& variant) {
  return {describe_one<Row, Version::final, Side>("xoodyak", kFinalSource, variant),
          describe_one<Row, Version::round2, Side>("xoodyak-round2", kRound2Source, variant)};
}

}  // namespace xoodyak
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
