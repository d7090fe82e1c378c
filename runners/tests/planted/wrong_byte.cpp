// A fault that known answers do not find, because they are short, and round trips do not either: one byte of
// each ciphertext of 4 KiB or more is flipped, and decrypting flips it back. Only comparing digests shows it.
#include <vector>

#include "planted/wrapped_provider.h"

namespace ciphermark {
namespace {

constexpr std::size_t kFromBytes = 4096;
constexpr std::size_t kFlippedAt = 1000;

struct WrongByte {
  static Status encrypt(const Implementation& original, const void* context, Bytes nonce, Bytes ad, Bytes in,
                        MutableBytes out) {
    const Status status = original.encrypt(context, nonce, ad, in, out);
    if (status == Status::ok && in.size() >= kFromBytes) out[kFlippedAt] ^= 1;
    return status;
  }

  static Status decrypt(const Implementation& original, const void* context, Bytes nonce, Bytes ad, Bytes in,
                        MutableBytes out) {
    if (out.size() < kFromBytes) return original.decrypt(context, nonce, ad, in, out);
    std::vector<std::uint8_t> repaired(in.begin(), in.end());
    repaired[kFlippedAt] ^= 1;
    return original.decrypt(context, nonce, ad, repaired, out);
  }
};

}  // namespace

const Provider& provider() { return planted::wrapped_provider<WrongByte>(); }

}  // namespace ciphermark
