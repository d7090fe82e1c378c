// The generators that --generator names.
#include <pthread.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "ciphermark/bytes.h"
#include "masked/free.h"
#include "masked/randomness.h"
#include "measure/clock/clock.h"
#include "provider/cpu_features.h"
#include "provider/keyed.h"
#include "provider/selection.h"

namespace ciphermark::masked {
namespace {

/// Bytes of the system's generator, which never waits for entropy here; false if there is none.
bool system_bytes(MutableBytes out) noexcept {
  while (!out.empty()) {
    const ssize_t got = getrandom(out.data(), out.size(), GRND_NONBLOCK);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

std::string system_reason() {
  std::array<std::uint8_t, 1> byte;
  return system_bytes(byte) ? "" : "the system has no entropy yet: getrandom failed";
}

class FreeGenerator : public Generator {
 public:
  bool begin_packet() override { return true; }
  bool fill(MutableBytes out) override {
    fill_free(out);
    return true;
  }
  [[nodiscard]] std::size_t batch_bytes() const override { return kMostBatchBytes; }
  [[nodiscard]] bool keeps_rest() const override { return true; }
};

class SystemGenerator : public Generator {
 public:
  bool begin_packet() override { return true; }
  bool fill(MutableBytes out) override { return system_bytes(out); }
  // What getrandom gives without an interruption.
  [[nodiscard]] std::size_t batch_bytes() const override { return 256; }
};

/// How often this process is a copy of another.
unsigned& forks() {
  static unsigned count = 0;
  return count;
}

/// The keystream of a cipher under a key for each packet.
///
/// Keys of packets are drawn in batches and erased when they are taken: keystream under a root key, of which
/// the first bytes are the next root (D. J. Bernstein, "Fast-key-erasure random-number generators", 2017). So
/// many bytes of the system's generator are added to each root. A copy of the process begins with a new root,
/// or it would repeat the masks of its parent.
class KeystreamGenerator : public Generator {
 public:
  explicit KeystreamGenerator(const Implementation& cipher) : cipher_(cipher), keyed_(cipher) {
    static const int kRegistered = pthread_atfork(nullptr, nullptr, [] { ++forks(); });
    static_cast<void>(kRegistered);
  }
  ~KeystreamGenerator() override {
    wipe(root_.data(), root_.size());
    wipe(keys_.data(), keys_.size());
  }

  bool begin_packet() override {
    if (next_key_ + cipher_.key_bytes > keys_.size() || forks_ != forks()) {
      if (!draw_keys()) return false;
    }
    const MutableBytes key = MutableBytes(keys_).subspan(next_key_, cipher_.key_bytes);
    const Status status = keyed_.key_setup(key);
    wipe(key.data(), key.size());
    next_key_ += cipher_.key_bytes;
    batches_ = 0;
    return status == Status::ok;
  }
  bool fill(MutableBytes out) override {
    std::array<std::uint8_t, kMostNonceBytes> nonce{};
    // The front of the nonce, because the block counter of CTR is at its end.
    store_le(nonce.data(), ++batches_);
    return keyed_.encrypt(Bytes(nonce).first(cipher_.nonce_bytes), {}, Bytes(kZeros).first(out.size()),
                          out) == Status::ok;
  }
  [[nodiscard]] std::size_t batch_bytes() const override { return kMostBatchBytes; }

 private:
  static constexpr std::size_t kMostKeyBytes = 32;
  static constexpr std::size_t kMostNonceBytes = 16;
  static constexpr std::array<std::uint8_t, kMostBatchBytes> kZeros{};

  bool draw_keys() {
    std::array<std::uint8_t, kMostKeyBytes> fresh;
    const Wiped guard(fresh);
    if (!system_bytes(fresh)) return false;
    xor_bytes(root_.data(), root_.data(), fresh.data(), root_.size());
    batches_ = 0;
    if (keyed_.key_setup(Bytes(root_).first(cipher_.key_bytes)) != Status::ok || !fill(keys_)) return false;
    std::memcpy(root_.data(), keys_.data(), root_.size());
    wipe(keys_.data(), root_.size());
    next_key_ = root_.size();
    forks_ = forks();
    return true;
  }

  const Implementation& cipher_;
  Keyed keyed_;
  std::array<std::uint8_t, kMostKeyBytes> root_{};
  std::array<std::uint8_t, kMostBatchBytes> keys_{};
  std::size_t next_key_ = kMostBatchBytes;
  unsigned forks_ = 0;
  std::uint64_t batches_ = 0;
};

/// chacha20 at the rate of the Arduino Due's generator, which takes 84 cycles of 84 MHz for 32 bits (Atmel
/// SAM3X/SAM3A data sheet, 2015, section 42). The generator works on while the cipher does, but holds one
/// word only.
class SlowGenerator : public KeystreamGenerator {
 public:
  using KeystreamGenerator::KeystreamGenerator;

  bool fill(MutableBytes out) override {
    if (!KeystreamGenerator::fill(out)) return false;
    constexpr std::int64_t kWordNs = 1000;
    const std::int64_t due_ns =
        std::max(ready_ns_, monotonic_ns() - kWordNs) + static_cast<std::int64_t>(out.size() / 4) * kWordNs;
    while (monotonic_ns() < due_ns) continue;
    ready_ns_ = due_ns;
    return true;
  }
  [[nodiscard]] std::size_t batch_bytes() const override { return 64; }

 private:
  std::int64_t ready_ns_ = 0;
};

const Implementation* chacha20() { return default_implementation("chacha20-ietf"); }

/// AES as an instruction of the processor; null without.
const Implementation* aes() {
  const Implementation* fastest = default_implementation("aes-128-ctr");
  if (fastest == nullptr || fastest->requires_features.find("aes") == std::string_view::npos) return nullptr;
  return fastest;
}

std::string no_reason() { return ""; }

std::string aes_reason() {
  if (aes() == nullptr) return "this processor has no instructions for AES";
  return system_reason();
}

template <typename Made>
std::unique_ptr<Generator> make() {
  return std::make_unique<Made>();
}

template <typename Made>
std::unique_ptr<Generator> make_of_chacha20() {
  return std::make_unique<Made>(*chacha20());
}

std::unique_ptr<Generator> make_of_aes() { return std::make_unique<KeystreamGenerator>(*aes()); }

constexpr std::array kKinds = {
    GeneratorKind{"chacha20", true, system_reason, make_of_chacha20<KeystreamGenerator>},
    GeneratorKind{"free", false, no_reason, make<FreeGenerator>},
    GeneratorKind{"system", true, system_reason, make<SystemGenerator>},
    GeneratorKind{"trng84", true, system_reason, make_of_chacha20<SlowGenerator>},
    GeneratorKind{"aes-ctr", true, aes_reason, make_of_aes},
};

}  // namespace

std::span<const GeneratorKind> generator_kinds() { return kKinds; }

}  // namespace ciphermark::masked
