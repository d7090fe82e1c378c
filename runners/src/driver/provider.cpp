// The implementations that the program lists, as a provider: every command of a runner works on it.
#include <array>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/failure.h"
#include "driver/driven.h"
#include "provider/build_info.h"
#include "provider/linked_provider.h"

namespace ciphermark {
namespace {

/// The functions of an implementation do not know it, so each place in the list has its own; there are at
/// most so many.
constexpr std::size_t kMostImplementations = 512;

/// The context of an implementation: each call sets the key in the program again.
using Key = std::vector<std::uint8_t>;

const Implementation& implementation_at(std::size_t place) { return *provider().implementations[place]; }

Status execute(const Prepared& prepared, std::string_view operations) {
  Language& language = driven().language();
  const Status status = language.prepare(prepared).status;
  return status == Status::ok ? language.time(operations, 1, 1).status : status;
}

template <std::size_t kPlace>
Status key_setup(void* context, Bytes key) {
  const Status status = execute(prepared_for(implementation_at(kPlace), key, {}), "key-setup");
  if (status == Status::ok) new (context) Key(key.begin(), key.end());
  return status;
}

template <std::size_t kPlace>
Status encrypt(const void* context, Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out) {
  Prepared message = prepared_for(implementation_at(kPlace), *static_cast<const Key*>(context), nonce);
  message.associated_data = associated_data;
  message.bytes = in.size();
  message.content = in;
  const Status status = execute(message, "key-setup+encrypt");
  if (status == Status::ok) driven().language().output("ciphertext", out);
  return status;
}

template <std::size_t kPlace>
Status decrypt(const void* context, Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out) {
  Prepared message = prepared_for(implementation_at(kPlace), *static_cast<const Key*>(context), nonce);
  message.associated_data = associated_data;
  message.buffer = "ciphertext";
  message.bytes = in.size();
  message.content = in;
  const Status status = execute(message, "key-setup+decrypt");
  if (status == Status::ok) {
    driven().language().output("plaintext", out);
  } else {
    std::ranges::fill(out, std::uint8_t{0});
  }
  return status;
}

void forget(void* context) { std::destroy_at(static_cast<Key*>(context)); }

struct Functions {
  Status (*key_setup)(void*, Bytes);
  Status (*encrypt)(const void*, Bytes, Bytes, Bytes, MutableBytes);
  Status (*decrypt)(const void*, Bytes, Bytes, Bytes, MutableBytes);
};

template <std::size_t... kPlaces>
constexpr auto functions_of(std::index_sequence<kPlaces...> /*places*/) {
  return std::array<Functions, sizeof...(kPlaces)>{
      {{key_setup<kPlaces>, encrypt<kPlaces>, decrypt<kPlaces>}...}};
}

Implementation described(const ListedImplementation& row, const Functions& functions) {
  return {.algorithm = row.algorithm,
          .variant = row.variant,
          .kind = row.kind,
          .key_bytes = row.key_bytes,
          .nonce_bytes = row.nonce_bytes,
          .tag_bytes = row.tag_bytes,
          .block_bytes = row.block_bytes,
          .whole_blocks_only = row.whole_blocks_only,
          .constant_time = row.constant_time,
          .preference = row.is_default ? 1 : 0,
          .requires_features = "",
          .source = row.source,
          .context_bytes = sizeof(Key),
          .context_align = alignof(Key),
          .key_setup = functions.key_setup,
          .encrypt = functions.encrypt,
          .decrypt = functions.decrypt,
          .forget = forget,
          .max_message_bytes = row.max_message_bytes};
}

std::vector<Implementation> implementations_of(const Listing& listing) {
  static constexpr auto kFunctions = functions_of(std::make_index_sequence<kMostImplementations>());
  if (listing.implementations.size() > kFunctions.size()) {
    throw Failure(FailureKind::internal,
                  "the program of the language has " + std::to_string(listing.implementations.size()) +
                      " implementations, expected at most " + std::to_string(kFunctions.size()));
  }
  std::vector<Implementation> implementations;
  for (std::size_t place = 0; place < listing.implementations.size(); ++place) {
    implementations.push_back(described(listing.implementations[place], kFunctions[place]));
  }
  return implementations;
}

std::vector<const Implementation*> pointers_to(const std::vector<Implementation>& implementations) {
  std::vector<const Implementation*> pointers;
  pointers.reserve(implementations.size());
  for (const Implementation& one : implementations) pointers.push_back(&one);
  return pointers;
}

}  // namespace

Prepared prepared_for(const Implementation& implementation, Bytes key, Bytes nonce) {
  return {
      .algorithm = implementation.algorithm, .variant = implementation.variant, .key = key, .nonce = nonce};
}

const Provider& linked_provider() {
  static const std::vector<Implementation> kImplementations = implementations_of(driven().listing());
  static const std::vector<const Implementation*> kPointers = pointers_to(kImplementations);
  static const Provider kProvider{.name = driven().listing().provider,
                                  .version = CIPHERMARK_VERSION,
                                  .implementations = kPointers,
                                  .absences = {}};
  return kProvider;
}

const BuildInfo& build_info() {
  static const BuildInfo kInfo{.compiler = driven().listing().compiler,
                               .compiler_version = driven().listing().compiler_version,
                               .flags = driven().listing().flags,
                               .optimization = driven().listing().optimization,
                               .link = driven().listing().link,
                               .target = driven().listing().target,
                               .planted = "",
                               .language = driven().listing().language,
                               .language_version = driven().listing().language_version};
  return kInfo;
}

}  // namespace ciphermark
