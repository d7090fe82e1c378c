// Right, and not in constant time: each encryption branches on a byte of the plaintext. Only following
// secrets shows it.
#include "planted/wrapped_provider.h"

namespace ciphermark {
namespace {

volatile std::uint8_t sink;

struct Leaking {
  static Status encrypt(const Implementation& original, const void* context, Bytes nonce, Bytes ad, Bytes in,
                        MutableBytes out) {
    if (!in.empty() && (in[0] & 1) != 0) sink = 1;
    return original.encrypt(context, nonce, ad, in, out);
  }

  static Status decrypt(const Implementation& original, const void* context, Bytes nonce, Bytes ad, Bytes in,
                        MutableBytes out) {
    return original.decrypt(context, nonce, ad, in, out);
  }
};

}  // namespace

const Provider& provider() { return planted::wrapped_provider<Leaking>(); }

}  // namespace ciphermark
