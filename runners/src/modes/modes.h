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

/// The five descriptors of one block cipher; names and sources are joined while compiling:
/// describe_modes<Aes<128>, "aes-128", "FIPS 197">(variant) gives aes-128-ecb, aes-128-cbc, …
template <BlockCipher Cipher, FixedString kName, FixedString kSource>
constexpr std::array<Implementation, 5> describe_modes(const Variant& variant) {
  return {
      describe_stream<Ecb<Cipher>>(kJoined<kName, "-ecb">.view(),
                                   kJoined<kSource, "; SP 800-38A section 6.1">.view(), variant,
                                   Kind::block_mode),
      describe_stream<Cbc<Cipher>>(kJoined<kName, "-cbc">.view(),
                                   kJoined<kSource, "; SP 800-38A section 6.2">.view(), variant,
                                   Kind::block_mode),
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
