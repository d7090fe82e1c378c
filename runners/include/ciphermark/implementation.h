#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "ciphermark/status.h"

namespace ciphermark {

using Bytes = std::span<const std::uint8_t>;
using MutableBytes = std::span<std::uint8_t>;

/// For algorithms whose document sets no limit that a machine could reach.
inline constexpr std::uint64_t kNoMessageLimit = std::numeric_limits<std::uint64_t>::max();

enum class Kind : std::uint8_t {
  /// A block cipher in a mode of operation: no tag.
  block_mode,
  /// A stream cipher: no tag, any length.
  stream,
  /// Authenticated encryption with associated data: the output is ciphertext followed by the tag.
  aead,
};

/// Which part of a masked cipher works on shares (src/masked/word.h states the scope of each).
enum class MaskingDegree : std::uint8_t {
  full,        ///< everything
  init_final,  ///< initialization and finalization, which use the key
  init,        ///< initialization, after which nothing uses the key
};

/// A masked variant for one number of shares and one degree; its functions are those of Implementation.
struct MaskedForm {
  std::size_t shares;  ///< 2 to 6: as many probes as one less learn nothing
  MaskingDegree degree;
  std::size_t context_bytes;
  std::size_t context_align;
  Status (*key_setup)(void* context, Bytes key);
  Status (*encrypt)(const void* context, Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out);
  Status (*decrypt)(const void* context, Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out);
  void (*forget)(void* context);
};

/// Messages that are processed together: of equal lengths, under one key or each under its own. What belongs
/// to them is next to each other in memory, message after message. in and out do not overlap.
struct Batch {
  std::span<const void* const> contexts;  ///< one pointer for each message, all the same for one key
  Bytes nonces;
  Bytes associated_data;
  Bytes in;
  MutableBytes out;

  [[nodiscard]] std::size_t messages() const { return contexts.size(); }
  /// What belongs to message i, out of that of all messages.
  template <typename Byte>
  [[nodiscard]] std::span<Byte> part(std::span<Byte> all, std::size_t i) const {
    const std::size_t bytes = all.size() / messages();
    return all.subspan(i * bytes, bytes);
  }
};

inline constexpr std::size_t kMostMessages = 1024;

/// One algorithm of one provider in one variant: a row of `list`, and the subject of all other commands and
/// of the tests.
///
/// A context is storage of context_bytes at context_align that belongs to the caller. key_setup constructs it
/// and does all the work that depends on the key alone, for both directions; encrypt and decrypt may be
/// called on it any number of times, each call with one whole message; forget wipes and destroys it. Own
/// ciphers allocate nothing and throw nothing; libraries may allocate in key_setup, and their exceptions end
/// at the border of the baseline (Status::internal_error).
struct Implementation {
  std::string_view algorithm;  ///< "aes-192-cbc"
  std::string_view variant;  ///< "ref", "bitsliced64", "aesni"; for a library the name of the provider's own
                             ///< choice: "library"
  Kind kind;
  std::size_t key_bytes;
  std::size_t nonce_bytes;  ///< 0 where the mode takes none (ECB)
  std::size_t tag_bytes;    ///< 0 except for AEADs
  std::size_t block_bytes;  ///< of the block cipher, or of the keystream (64 for ChaCha20)
  bool whole_blocks_only;   ///< ECB and CBC: crypt refuses other lengths, process pads with zeros
  bool constant_time;       ///< no branch and no table index depends on a secret
  int preference;           ///< of the variants that the processor can execute, the highest is the default
  /// Space-separated names of microarchitectures (src/core/microarchitecture.h) on which every other
  /// variant comes before it.
  std::string_view last_on = {};
  std::string_view
      requires_features;    ///< space-separated names of src/provider/cpu_features.h; "" for portable code
  std::string_view source;  ///< the document: "FIPS 197; SP 800-38A section 6.2"

  std::size_t context_bytes;
  std::size_t context_align;

  /// key.size() must be key_bytes, else bad_length.
  Status (*key_setup)(void* context, Bytes key);
  /// in and out may be the same memory. out.size() must be in.size() + tag_bytes. associated_data is empty
  /// but for AEADs.
  Status (*encrypt)(const void* context, Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out);
  /// in is what encrypt gave. out.size() must be in.size() - tag_bytes. At authentication_failed out holds
  /// zeros.
  Status (*decrypt)(const void* context, Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out);
  void (*forget)(void* context);

  /// Cycles that encrypting or decrypting a message of these lengths takes at least on any machine, whatever
  /// its instructions: a timing below it is impossible. Null if the cipher has no such bound; otherwise a
  /// comment on the function derives it.
  std::uint64_t (*min_cycles)(std::size_t associated_data_bytes, std::size_t message_bytes) = nullptr;

  /// The longest message under one key and nonce; a longer one is bad_length.
  std::uint64_t max_message_bytes = kNoMessageLimit;

  /// A batch of 1 to kMostMessages messages whose lengths were checked (provider/batch.h, which is for
  /// callers, and processes a batch message by message where these are null). decrypt_batch gives each
  /// message what decrypt would have given it, and out of it zeros at authentication_failed.
  Status (*encrypt_batch)(const Batch& batch) = nullptr;
  Status (*decrypt_batch)(const Batch& batch, std::span<Status> of_messages) = nullptr;
  /// So many are processed side by side: other numbers of messages leave places empty.
  std::size_t messages_at_once = 1;

  /// Of a masked variant: its forms, of which the functions above are the first one's until a form is
  /// selected (provider/masking.h). Empty for all other variants.
  std::span<const MaskedForm> masked_forms = {};
};

/// An algorithm of the common catalog that this provider lacks, with the reason; `list` prints it as
/// unavailable.
struct Absence {
  std::string_view algorithm;
  std::string_view reason;
};

/// The implementations of a provider. Each program links exactly one provider: src/baselines/<library>.cpp,
/// or the registry that CMake generates from the paths of src/ciphers.
struct Provider {
  std::string_view name;     ///< "own", "cryptopp", "botan"
  std::string_view version;  ///< reported by the loaded library; for own the project's version
  std::span<const Implementation* const> implementations;
  std::span<const Absence> absences;
  std::string_view headers_version = {};  ///< of the library's headers that were compiled against; "" for own
};

/// The provider of this program.
[[nodiscard]] const Provider& provider();

}  // namespace ciphermark
