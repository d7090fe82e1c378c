// The corners of Poly1305's reduction modulo 2^130 - 5, which messages of an AEAD practically never reach.

#include "ciphers/aead/chacha20_poly1305/poly1305.h"

#include <gtest/gtest.h>

#include <array>

#include "ciphers/aead/chacha20_poly1305/poly1305_lanes.h"
#if CIPHERMARK_HAS_INT128
#include "ciphers/aead/chacha20_poly1305/poly1305_lanes44.h"
#endif
#include "core/hex.h"
#include "provider_cases.h"

namespace ciphermark::testing {
namespace {

using Tag = std::array<std::uint8_t, poly1305::kTagBytes>;

template <typename Limbs>
Tag tag_of(const Buffer& key, const Buffer& message) {
  Tag tag;
  poly1305::Poly1305<Limbs> authenticator(key.data());
  authenticator.absorb_padded(message.data(), message.size());
  authenticator.finish(tag.data());
  return tag;
}

/// r is a small number or one bit; s is one byte repeated.
struct Corner {
  const char* what;
  std::uint8_t r;
  std::uint8_t s;
  const char* message;
  const char* tag;
};

/// RFC 8439 appendix A.3, test vectors 7 to 11, whose headings are the questions here, and one of our own:
/// twice 2^129 - 1 is left as 2^130 - 2; with 2^129 - 1 more and doubled, 3 * 2^130 - 6 is 9 modulo the
/// prime, and the limbs hold the sum 2^130 + 4 when the last reduction begins.
constexpr std::array kCorners{
    Corner{"the partially reduced result is not below the prime", 2, 0x00, "ffffffffffffffffffffffffffffffff",
           "03000000000000000000000000000000"},
    Corner{"adding s overflows 2^128", 2, 0xff, "02000000000000000000000000000000",
           "03000000000000000000000000000000"},
    Corner{"a limb is all ones and there is a carry from below", 1, 0x00,
           "fffffffffffffffffffffffffffffffff0ffffffffffffffffffffffffffffff11000000000000000000000000000000",
           "05000000000000000000000000000000"},
    Corner{"the result is exactly 2^130 - 5", 1, 0x00,
           "fffffffffffffffffffffffffffffffffbfefefefefefefefefefefefefefefe01010101010101010101010101010101",
           "00000000000000000000000000000000"},
    Corner{"the result is exactly 2^130 - 6", 2, 0x00, "fdffffffffffffffffffffffffffffff",
           "faffffffffffffffffffffffffffffff"},
    Corner{"the last reduction carries out of the top", 2, 0x00,
           "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
           "09000000000000000000000000000000"},
};

template <typename Limbs>
class Poly1305 : public ::testing::Test {};

#if CIPHERMARK_HAS_INT128
using LimbKinds = ::testing::Types<poly1305::Limbs26, poly1305::Limbs64>;
#else
using LimbKinds = ::testing::Types<poly1305::Limbs26>;
#endif
TYPED_TEST_SUITE(Poly1305, LimbKinds);

TYPED_TEST(Poly1305, ReducesAsTheCornersOfRfc8439Demand) {
  for (const Corner& corner : kCorners) {
    Buffer key(poly1305::kKeyBytes, corner.s);
    std::fill_n(key.begin(), 16, std::uint8_t{0});
    key[0] = corner.r;
    EXPECT_EQ(to_hex(tag_of<TypeParam>(key, from_hex(corner.message).value())), corner.tag) << corner.what;
  }
}

/// Two lanes in portable code, so that the way of batches is executed on every processor.
struct TwoColumns {
  static constexpr std::size_t kLanes = 2;
  static constexpr std::array<std::size_t, kLanes> kLaneOfBlock{0, 1};
  std::array<std::uint64_t, kLanes> lanes;

  static TwoColumns broadcast(std::uint64_t value) { return {{value, value}}; }
  static TwoColumns load(const std::uint64_t* values) { return {{values[0], values[1]}}; }
  static TwoColumns broadcast_lane(TwoColumns from, std::size_t lane) { return broadcast(from.lanes[lane]); }
  static TwoColumns chosen(unsigned of_a, TwoColumns a, TwoColumns b) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      if ((of_a >> i & 1) == 0) a.lanes[i] = b.lanes[i];
    }
    return a;
  }
  static TwoColumns in_first_lane(std::uint64_t value) { return {{value, 0}}; }
  void store(std::uint64_t* values) const { std::copy(lanes.begin(), lanes.end(), values); }
  std::uint64_t sum_of_lanes() const { return lanes[0] + lanes[1]; }
  static void load_blocks(const std::uint8_t* blocks, TwoColumns& low, TwoColumns& high) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      low.lanes[i] = load_le<std::uint64_t>(blocks + 16 * i);
      high.lanes[i] = load_le<std::uint64_t>(blocks + 16 * i + 8);
    }
  }
};

TwoColumns operator+(TwoColumns a, TwoColumns b) {
  return {{a.lanes[0] + b.lanes[0], a.lanes[1] + b.lanes[1]}};
}
TwoColumns operator&(TwoColumns a, TwoColumns b) {
  return {{a.lanes[0] & b.lanes[0], a.lanes[1] & b.lanes[1]}};
}
TwoColumns operator|(TwoColumns a, TwoColumns b) {
  return {{a.lanes[0] | b.lanes[0], a.lanes[1] | b.lanes[1]}};
}
TwoColumns operator*(TwoColumns a, TwoColumns b) {
  // Like the instructions that it models, it reads the low halves only: a limb beyond them would be lost.
  constexpr std::uint64_t kLow = 0xffffffff;
  return {{(a.lanes[0] & kLow) * (b.lanes[0] & kLow), (a.lanes[1] & kLow) * (b.lanes[1] & kLow)}};
}
#if CIPHERMARK_HAS_INT128
// So do these, of 52 bits.
__extension__ using Wide = unsigned __int128;
constexpr std::uint64_t kLow52 = (std::uint64_t{1} << 52) - 1;
TwoColumns add_low_product(TwoColumns sum, TwoColumns a, TwoColumns b) {
  for (std::size_t i = 0; i < 2; ++i) sum.lanes[i] += (a.lanes[i] & kLow52) * (b.lanes[i] & kLow52) & kLow52;
  return sum;
}
TwoColumns add_high_product(TwoColumns sum, TwoColumns a, TwoColumns b) {
  for (std::size_t i = 0; i < 2; ++i) {
    const Wide product = Wide{a.lanes[i] & kLow52} * (b.lanes[i] & kLow52);
    sum.lanes[i] += static_cast<std::uint64_t>(product >> 52);
  }
  return sum;
}
#endif
template <int kBits>
TwoColumns shift_right(TwoColumns a) {
  return {{a.lanes[0] >> kBits, a.lanes[1] >> kBits}};
}
template <int kBits>
TwoColumns shift_left(TwoColumns a) {
  return {{a.lanes[0] << kBits, a.lanes[1] << kBits}};
}

// Bytes of nothing but zeros and ones make the longest carries.
TEST(Poly1305Limbs, AgreeOnLongCarries) {
  for (std::size_t seed = 0; seed < 3000; ++seed) {
    Buffer bytes = pattern(poly1305::kKeyBytes + 16 * (seed % 60), seed);
    for (std::uint8_t& byte : bytes) {
      if (byte < 0xc0) byte = byte < 0x50 ? 0x00 : 0xff;
    }
    const Buffer key(bytes.begin(), bytes.begin() + poly1305::kKeyBytes);
    const Buffer message(bytes.begin() + poly1305::kKeyBytes, bytes.end());
    const Tag tag = tag_of<poly1305::Limbs26>(key, message);
    ASSERT_EQ(tag, tag_of<poly1305::LanedLimbs<TwoColumns>>(key, message)) << seed;
#if CIPHERMARK_HAS_INT128
    ASSERT_EQ(tag, tag_of<poly1305::Limbs64>(key, message)) << seed;
    ASSERT_EQ(tag, tag_of<poly1305::LanedLimbs44<TwoColumns>>(key, message)) << seed;
#endif
  }
}

}  // namespace
}  // namespace ciphermark::testing
