// Right, and 2 % slower: our own ciphers under another provider's name, which do a fiftieth of each message
// of 4 KiB or more once more. A comparison with the genuine ones must find these 2 %.
#include <algorithm>

#include "planted/renamed_provider.h"
#include "planted/wrapped_provider.h"

namespace ciphermark {
namespace {

constexpr std::size_t kFromBytes = 4096;
constexpr std::size_t kShare = 50;

/// A fiftieth of the message in whole blocks, as many as come nearest. In place nothing may be overwritten.
std::size_t extra_bytes(const Implementation& original, Bytes in, MutableBytes out) {
  const std::size_t message_bytes = std::min(in.size(), out.size());
  if (message_bytes < kFromBytes || in.data() == out.data()) return 0;
  const std::size_t block = original.block_bytes == 0 ? 1 : original.block_bytes;
  return (message_bytes / kShare + block / 2) / block * block;
}

/// The extra part comes first and is overwritten by the whole: no memory is needed that the genuine one does
/// not use. What becomes of it does not matter: the beginning of a ciphertext does not authenticate.
struct Slower {
  static Status encrypt(const Implementation& original, const void* context, Bytes nonce, Bytes ad, Bytes in,
                        MutableBytes out) {
    const std::size_t extra = extra_bytes(original, in, out);
    if (extra > 0) {
      static_cast<void>(
          original.encrypt(context, nonce, ad, in.first(extra), out.first(extra + original.tag_bytes)));
    }
    return original.encrypt(context, nonce, ad, in, out);
  }

  static Status decrypt(const Implementation& original, const void* context, Bytes nonce, Bytes ad, Bytes in,
                        MutableBytes out) {
    const std::size_t extra = extra_bytes(original, in, out);
    if (extra > 0) {
      static_cast<void>(
          original.decrypt(context, nonce, ad, in.first(extra + original.tag_bytes), out.first(extra)));
    }
    return original.decrypt(context, nonce, ad, in, out);
  }
};

}  // namespace

const Provider& provider() {
  static const Provider kSlower = planted::under_other_name(planted::wrapped_provider<Slower>());
  return kSlower;
}

}  // namespace ciphermark
