// Every implementation of the linked provider with messages, associated data
// and lengths of the fuzzer's choice.
//
// What encryption gives, decryption takes back, apart and in place; all
// variants agree; a forged message gives no plaintext; a wrong length is
// refused. Each buffer is an allocation of its exact length, so that
// AddressSanitizer sees every access behind it.
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "ciphermark/implementation.h"
#include "fuzzing.h"
#include "provider/keyed.h"
#include "provider/selection.h"

namespace {

using ciphermark::Bytes;
using ciphermark::Implementation;
using ciphermark::Keyed;
using ciphermark::Kind;
using ciphermark::MutableBytes;
using ciphermark::Status;
using ciphermark::fuzzing::require;

/// Longer than the widest batch of every variant (32 blocks of 128 bytes), and
/// short enough for many inputs.
constexpr std::size_t kMaxMessageBytes = 5000;
constexpr std::size_t kMaxDataBytes = 300;
constexpr std::size_t kMaxWrongBytes = 400;

/// Memory of exactly this length on the heap; a vector may have more.
class Exact {
 public:
  explicit Exact(std::size_t bytes, std::uint8_t value = 0)
      : bytes_(bytes), memory_(std::make_unique<std::uint8_t[]>(bytes)) {
    std::fill_n(memory_.get(), bytes, value);
  }
  explicit Exact(Bytes content) : Exact(content.size()) {
    std::copy(content.begin(), content.end(), memory_.get());
  }
  [[nodiscard]] MutableBytes bytes() const { return {memory_.get(), bytes_}; }

 private:
  std::size_t bytes_;
  std::unique_ptr<std::uint8_t[]> memory_;
};

/// The content of a length that the input chose; a short input repeats itself.
Exact content(std::span<const std::uint8_t> material, std::size_t bytes, std::size_t shift) {
  Exact made(bytes, static_cast<std::uint8_t>(shift));
  for (std::size_t place = 0; place < bytes && !material.empty(); ++place) {
    const std::size_t round = (place + shift) / material.size();
    made.bytes()[place] = static_cast<std::uint8_t>(material[(place + shift) % material.size()] + 37 * round);
  }
  return made;
}

bool all_zero(Bytes bytes) {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

const std::vector<const Implementation*>& available() {
  static const std::vector<const Implementation*> kAvailable = [] {
    std::vector<const Implementation*> found;
    for (const Implementation* one : ciphermark::provider().implementations) {
      if (ciphermark::unavailable_reason(*one).empty()) found.push_back(one);
    }
    return found;
  }();
  return kAvailable;
}

/// One message with everything that it is encrypted under, and how it is
/// tampered with.
struct Message {
  Exact key;
  Exact nonce;
  Exact data;
  Exact plaintext;
  std::size_t tampered_place;
  std::uint8_t tampered_mask;
  std::size_t wrong_bytes;
};

Message draw_message(const Implementation& implementation, FuzzedDataProvider& input) {
  auto bytes = input.ConsumeIntegralInRange<std::size_t>(0, kMaxMessageBytes);
  if (implementation.whole_blocks_only) bytes -= bytes % implementation.block_bytes;
  auto data_bytes = input.ConsumeIntegralInRange<std::size_t>(0, kMaxDataBytes);
  if (implementation.kind != Kind::aead) data_bytes = 0;
  const auto tampered_place = input.ConsumeIntegral<std::uint16_t>();
  const auto tampered_mask = input.ConsumeIntegralInRange<std::uint8_t>(1, 255);
  const auto wrong_bytes = input.ConsumeIntegralInRange<std::size_t>(0, kMaxWrongBytes);
  const std::vector<std::uint8_t> material = input.ConsumeRemainingBytes<std::uint8_t>();
  return {content(material, implementation.key_bytes, 0),
          content(material, implementation.nonce_bytes, 11),
          content(material, data_bytes, 23),
          content(material, bytes, 5),
          tampered_place,
          tampered_mask,
          wrong_bytes};
}

/// Describes the input on standard error, for the repetition of a finding.
void explain(const Implementation& implementation, const Message& message) {
  static_cast<void>(
      std::fprintf(stderr,
                   "%.*s %.*s: message %zu B, associated data %zu B, place %zu ^ 0x%02x, "
                   "wrong length %zu B\n",
                   static_cast<int>(implementation.algorithm.size()), implementation.algorithm.data(),
                   static_cast<int>(implementation.variant.size()), implementation.variant.data(),
                   message.plaintext.bytes().size(), message.data.bytes().size(), message.tampered_place,
                   unsigned{message.tampered_mask}, message.wrong_bytes));
}

Exact sealed(const Implementation& implementation, const Message& message) {
  Keyed keyed(implementation);
  require(keyed.key_setup(message.key.bytes()) == Status::ok, "a key of the right length is accepted");
  Exact out(message.plaintext.bytes().size() + implementation.tag_bytes, 0xa5);
  require(keyed.encrypt(message.nonce.bytes(), message.data.bytes(), message.plaintext.bytes(),
                        out.bytes()) == Status::ok,
          "a message is encrypted");
  return out;
}

void check_return(const Keyed& keyed, const Message& message, Bytes expected) {
  const MutableBytes plain = message.plaintext.bytes();
  Exact back(plain.size(), 0x5a);
  require(keyed.decrypt(message.nonce.bytes(), message.data.bytes(), expected, back.bytes()) == Status::ok &&
              std::ranges::equal(back.bytes(), plain),
          "decryption gives the message back");
  Exact memory(expected.size());
  const MutableBytes front = memory.bytes().first(plain.size());
  std::ranges::copy(plain, front.begin());
  require(keyed.encrypt(message.nonce.bytes(), message.data.bytes(), front, memory.bytes()) == Status::ok &&
              std::ranges::equal(memory.bytes(), expected),
          "encryption in place gives the same");
  require(keyed.decrypt(message.nonce.bytes(), message.data.bytes(), memory.bytes(), front) == Status::ok &&
              std::ranges::equal(front, plain),
          "decryption in place gives the message back");
}

/// Keys that the designers of DryGASCON exclude: where two words of x are
/// equal, two different inputs mix into the same state, and a forged message is
/// accepted (src/ciphers/aead/drygascon/cipher.h).
bool is_weak_key(const Implementation& implementation, Bytes key) {
  constexpr std::size_t kWordBytes = 4;
  constexpr std::size_t kWords = 4;
  if (implementation.algorithm != "drygascon128k32" && implementation.algorithm != "drygascon128k56")
    return false;
  const Bytes x = key.last(kWordBytes * kWords);
  for (std::size_t first = 0; first < kWords; ++first) {
    for (std::size_t second = first + 1; second < kWords; ++second) {
      if (std::ranges::equal(x.subspan(kWordBytes * first, kWordBytes),
                             x.subspan(kWordBytes * second, kWordBytes))) {
        return true;
      }
    }
  }
  return false;
}

void check_forgery(const Implementation& implementation, const Keyed& keyed, const Message& message,
                   Bytes expected) {
  if (implementation.kind != Kind::aead || is_weak_key(implementation, message.key.bytes())) return;
  // A byte of ciphertext, tag or associated data is changed.
  Exact forged(expected);
  Exact data(message.data.bytes());
  const std::size_t place = message.tampered_place % (expected.size() + data.bytes().size());
  std::uint8_t& tampered =
      place < expected.size() ? forged.bytes()[place] : data.bytes()[place - expected.size()];
  tampered ^= message.tampered_mask;
  Exact out(message.plaintext.bytes().size(), 0xff);
  require(keyed.decrypt(message.nonce.bytes(), data.bytes(), forged.bytes(), out.bytes()) ==
                  Status::authentication_failed &&
              all_zero(out.bytes()),
          "a forged message gives no plaintext");
  const MutableBytes front = forged.bytes().first(out.bytes().size());
  require(keyed.decrypt(message.nonce.bytes(), data.bytes(), forged.bytes(), front) ==
                  Status::authentication_failed &&
              all_zero(front),
          "a forged message gives no plaintext in place");
}

/// Each length is wrong in turn; the memory has the wrong length, too.
void check_wrong_lengths(const Implementation& implementation, Keyed& keyed, const Message& message,
                         Bytes expected) {
  const std::size_t bytes = message.wrong_bytes;
  const MutableBytes nonce = message.nonce.bytes(), data = message.data.bytes(),
                     plain = message.plaintext.bytes();
  const Exact other(bytes, 0x3c);
  Exact opened(plain.size());
  Exact out(expected.size());
  if (bytes != nonce.size()) {
    require(keyed.encrypt(other.bytes(), data, plain, out.bytes()) == Status::bad_length &&
                keyed.decrypt(other.bytes(), data, expected, opened.bytes()) == Status::bad_length,
            "a nonce of another length is refused");
  }
  if (bytes != out.bytes().size()) {
    require(keyed.encrypt(nonce, data, plain, other.bytes()) == Status::bad_length,
            "memory of another length than the ciphertext is refused");
  }
  if (bytes != opened.bytes().size()) {
    require(keyed.decrypt(nonce, data, expected, other.bytes()) == Status::bad_length,
            "memory of another length than the message is refused");
    require(keyed.encrypt(nonce, data, other.bytes(), out.bytes()) == Status::bad_length,
            "a message of another length than its memory is refused");
  }
  if (bytes < implementation.tag_bytes) {
    Exact nothing(0);
    require(keyed.decrypt(nonce, data, other.bytes(), nothing.bytes()) == Status::bad_length,
            "a ciphertext shorter than its tag is refused");
  }
  if (bytes != implementation.key_bytes) {
    require(keyed.key_setup(other.bytes()) == Status::bad_length, "a key of another length is refused");
    require(keyed.encrypt(nonce, data, plain, out.bytes()) == Status::internal_error,
            "nothing is encrypted without a key");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const Implementation& implementation =
      *available()[input.ConsumeIntegralInRange<std::size_t>(0, available().size() - 1)];
  const Message message = draw_message(implementation, input);
  if (std::getenv("CIPHERMARK_FUZZ_EXPLAIN") != nullptr) explain(implementation, message);
  const Exact expected = sealed(implementation, message);
  const Implementation& other = *ciphermark::default_implementation(implementation.algorithm);
  require(std::ranges::equal(sealed(other, message).bytes(), expected.bytes()), "all variants agree");
  Keyed keyed(implementation);
  require(keyed.key_setup(message.key.bytes()) == Status::ok, "a key of the right length is accepted");
  check_return(keyed, message, expected.bytes());
  check_forgery(implementation, keyed, message, expected.bytes());
  check_wrong_lengths(implementation, keyed, message, expected.bytes());
  return 0;
}
