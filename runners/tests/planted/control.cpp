// No fault: our own ciphers under another provider's name, to be compared with themselves.
#include "planted/renamed_provider.h"
#include "provider/linked_provider.h"

namespace ciphermark {

const Provider& provider() {
  static const Provider kTwin = planted::under_other_name(linked_provider(), "cryptopp");
  return kTwin;
}

}  // namespace ciphermark
