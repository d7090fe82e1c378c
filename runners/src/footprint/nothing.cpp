// An implementation that does nothing: what the program of another one has above its program is that one's
// own.
#include <array>

#include "ciphermark/implementation.h"

namespace ciphermark {
namespace {

Status no_key_setup(void* /*context*/, Bytes /*key*/) { return Status::ok; }
Status no_message(const void* /*context*/, Bytes /*nonce*/, Bytes /*associated_data*/, Bytes /*in*/,
                  MutableBytes /*out*/) {
  return Status::ok;
}
void no_forget(void* /*context*/) {}

constexpr Implementation kNothing{.algorithm = "nothing",
                                  .variant = "empty",
                                  .kind = Kind::stream,
                                  .key_bytes = 0,
                                  .nonce_bytes = 0,
                                  .tag_bytes = 0,
                                  .block_bytes = 1,
                                  .whole_blocks_only = false,
                                  .constant_time = true,
                                  .preference = 0,
                                  .requires_features = "",
                                  .source = "",
                                  .context_bytes = 1,
                                  .context_align = 1,
                                  .key_setup = no_key_setup,
                                  .encrypt = no_message,
                                  .decrypt = no_message,
                                  .forget = no_forget};
constexpr std::array kImplementations = {&kNothing};

}  // namespace
}  // namespace ciphermark
