#pragma once

#include <array>

#include "ciphermark/block_cipher.h"
#include "ciphermark/describe.h"
#include "modes/cbc.h"
#include "modes/cfb.h"
#include "modes/ctr.h"
#include "modes/ecb.h"
#include "modes/ofb.h"

/// The five modes of NIST SP 800-38A over any block cipher.
namespace ciphermark::modes {

template <BlockCipher Cipher>
constexpr Implementation describe_cbc(std::string_view name, std::string_view source,
                                      const Variant& variant) {
  Implementation described = describe_stream<Cbc<Cipher>>(name, source, variant, Kind::block_mode);
  if constexpr (HasChainedBatches<Cipher>) {
    static_assert(sizeof(Cbc<Cipher>) == sizeof(Cipher));
    described.encrypt_batch = Cipher::cbc_encrypt_batch;
    described.messages_at_once = Cipher::kChainedMessages;
  }
  return described;
}

/// The five descriptors of one block cipher; names and sources are joined while compiling:
/// describe_modes<Aes<128>, "aes-128", "FIPS 197">(variant) gives aes-128-ecb, aes-128-cbc, …
template <BlockCipher Cipher, FixedString kName, FixedString kSource>
constexpr std::array<Implementation, 5> describe_modes(const Variant& variant) {
  return {
      describe_stream<Ecb<Cipher>>(kJoined<kName, "-ecb">.view(),
                                   kJoined<kSource, "; SP 800-38A section 6.1">.view(), variant,
                                   Kind::block_mode),
      describe_cbc<Cipher>(kJoined<kName, "-cbc">.view(), kJoined<kSource, "; SP 800-38A section 6.2">.view(),
                           variant),
      describe_stream<Cfb<Cipher>>(kJoined<kName, "-cfb">.view(),
                                   kJoined<kSource, "; SP 800-38A section 6.3">.view(), variant,
                                   Kind::block_mode),
      describe_stream<Ofb<Cipher>>(kJoined<kName, "-ofb">.view(),
                                   kJoined<kSource, "; SP 800-38A section 6.4">.view(), variant,
                                   Kind::block_mode),
      describe_stream<Ctr<Cipher>>(kJoined<kName, "-ctr">.view(),
                                   kJoined<kSource, "; SP 800-38A section 6.5">.view(), variant,
                                   Kind::block_mode),
  };
}

}  // namespace ciphermark::modes
