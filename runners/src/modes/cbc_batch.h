#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ciphermark/bytes.h"
#include "ciphermark/implementation.h"
#include "simd/target.h"
#include "words/batch_group.h"

/// CBC encryption of several messages side by side: a block waits for the one before it in its message, but
/// not for those of other messages. Compiled again for each unit (simd/target.h).
///
/// Lanes are kMessages blocks of kBlockBytes in registers, one of each message: made from the bytes of blocks
/// that are next to each other, with add(bytes), store(bytes) and encrypt(keys).
namespace ciphermark::modes {
inline namespace CIPHERMARK_UNIT {

/// A block of each message.
template <std::size_t kMessages, std::size_t kBlockBytes>
class Blocks {
  template <typename Byte>
  using Messages = words::MessageBytes<Byte, kMessages>;

 public:
  Blocks() noexcept = default;
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() { wipe(bytes_.data(), bytes_.size()); }

  void gather(Messages<const std::uint8_t> from) noexcept {
    for (std::size_t i = 0; i < kMessages; ++i) {
      std::memcpy(bytes_.data() + i * kBlockBytes, from.of(i), kBlockBytes);
    }
  }
  void scatter(Messages<std::uint8_t> to) const noexcept {
    for (std::size_t i = 0; i < kMessages; ++i) {
      std::memcpy(to.of(i), bytes_.data() + i * kBlockBytes, kBlockBytes);
    }
  }
  [[nodiscard]] std::uint8_t* data() noexcept { return bytes_.data(); }

 private:
  alignas(64) std::array<std::uint8_t, kMessages * kBlockBytes> bytes_;
};

/// The plaintext of the next block is copied before a block is encrypted: a register that reads what several
/// stores have just written waits for all of them.
template <typename Lanes, typename Keys>
[[gnu::noinline]] void encrypt_side_by_side(const Batch& batch, const batch::Group<Lanes::kMessages>& group,
                                            const Keys& keys) noexcept {
  constexpr std::size_t kBlockBytes = Lanes::kBlockBytes;
  const std::size_t bytes = group.in.bytes();
  if (bytes == 0) return;
  std::array<Blocks<Lanes::kMessages, kBlockBytes>, 3> blocks;
  blocks[2].gather(group.nonces.in(batch.nonces));
  auto in = group.in.in(batch.in);
  auto out = group.out.in(batch.out);
  blocks[0].gather(in);
  Lanes lanes(blocks[2].data());
  for (std::size_t at = 0; at < bytes; at += kBlockBytes, out += kBlockBytes) {
    const std::size_t now = at / kBlockBytes % 2;
    if (at + kBlockBytes < bytes) blocks[1 - now].gather(in += kBlockBytes);
    lanes.add(blocks[now].data());
    lanes.encrypt(keys);
    lanes.store(blocks[2].data());
    blocks[2].scatter(out);
  }
}

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::modes
