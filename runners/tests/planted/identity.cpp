// A cipher that does nothing: round trips pass, and only known answers show it. It would be the fastest of
// all.
#include <algorithm>

#include "planted/wrapped_provider.h"

namespace ciphermark {
namespace {

struct Identity {
  static Status encrypt(const Implementation& original, const void* /*context*/, Bytes nonce, Bytes /*ad*/,
                        Bytes in, MutableBytes out) {
    if (nonce.size() != original.nonce_bytes || out.size() != in.size() + original.tag_bytes) {
      return Status::bad_length;
    }
    std::copy(in.begin(), in.end(), out.begin());
    std::fill(out.end() - static_cast<std::ptrdiff_t>(original.tag_bytes), out.end(), std::uint8_t{0});
    return Status::ok;
  }

  static Status decrypt(const Implementation& original, const void* /*context*/, Bytes nonce, Bytes /*ad*/,
                        Bytes in, MutableBytes out) {
    if (nonce.size() != original.nonce_bytes || in.size() != out.size() + original.tag_bytes) {
      return Status::bad_length;
    }
    std::copy(in.begin(), in.end() - static_cast<std::ptrdiff_t>(original.tag_bytes), out.begin());
    return Status::ok;
  }
};

}  // namespace

const Provider& provider() { return planted::wrapped_provider<Identity>(); }

}  // namespace ciphermark
