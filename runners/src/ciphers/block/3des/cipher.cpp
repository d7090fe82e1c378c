/// Triple DES (TDEA) with three keys (192 bits, parity included) and with two (128 bits: the third is the
/// first): NIST SP 800-67 revision 2; the Data Encryption Standard itself is FIPS 46-3 (IBM, W. Tuchman and
/// others).
///
/// Variant `tables`: the S-boxes with the permutation P already done, eight tables of 64 words; two blocks
/// side by side in the modes that allow it. **Not in constant time**: the tables (2 KiB) are indexed by
/// secret bits; key setup is in constant time. Byte order: bit 1 of the document is the highest of the first
/// byte. Parity bits (the lowest of each key byte) are ignored. Deviations from the document: none in the
/// results; the initial permutation and its inverse between the three DES cancel and are left out.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "ciphermark/block_cipher.h"
#include "ciphermark/bytes.h"
#include "modes/modes.h"
#include "simd/unroll.h"
#include "words/bitwise.h"

namespace ciphermark {
namespace {

constexpr std::size_t kRounds = 16;

/// S1 to S8, FIPS 46-3 appendix 1: four rows of 16.
constexpr std::uint8_t kSBoxes[8][64] = {
    {14, 4,  13, 1, 2,  15, 11, 8, 3, 10, 6, 12, 5,  9,  0,  7,  0,  15, 7,  4,  14, 2,
     13, 1,  10, 6, 12, 11, 9,  5, 3, 8,  4, 1,  14, 8,  13, 6,  2,  11, 15, 12, 9,  7,
     3,  10, 5,  0, 15, 12, 8,  2, 4, 9,  1, 7,  5,  11, 3,  14, 10, 0,  6,  13},
    {15, 1,  8,  14, 6,  11, 3,  4, 9,  7,  2, 13, 12, 0,  5,  10, 3,  13, 4,  7, 15, 2,
     8,  14, 12, 0,  1,  10, 6,  9, 11, 5,  0, 14, 7,  11, 10, 4,  13, 1,  5,  8, 12, 6,
     9,  3,  2,  15, 13, 8,  10, 1, 3,  15, 4, 2,  11, 6,  7,  12, 0,  5,  14, 9},
    {10, 0,  9,  14, 6, 3,  15, 5,  1,  13, 12, 7, 11, 4,  2,  8,  13, 7, 0,  9, 3, 4,
     6,  10, 2,  8,  5, 14, 12, 11, 15, 1,  13, 6, 4,  9,  8,  15, 3,  0, 11, 1, 2, 12,
     5,  10, 14, 7,  1, 10, 13, 0,  6,  9,  8,  7, 4,  15, 14, 3,  11, 5, 2,  12},
    {7, 13, 14, 3, 0, 6,  9, 10, 1,  2, 8,  5, 11, 12, 4,  15, 13, 8,  11, 5, 6, 15,
     0, 3,  4,  7, 2, 12, 1, 10, 14, 9, 10, 6, 9,  0,  12, 11, 7,  13, 15, 1, 3, 14,
     5, 2,  8,  4, 3, 15, 0, 6,  10, 1, 13, 8, 9,  4,  5,  11, 12, 7,  2,  14},
    {2,  12, 4, 1,  7,  10, 11, 6, 8, 5,  3, 15, 13, 0,  14, 9,  14, 11, 2,  12, 4,  7,
     13, 1,  5, 0,  15, 10, 3,  9, 8, 6,  4, 2,  1,  11, 10, 13, 7,  8,  15, 9,  12, 5,
     6,  3,  0, 14, 11, 8,  12, 7, 1, 14, 2, 13, 6,  15, 0,  9,  10, 4,  5,  3},
    {12, 1,  10, 15, 9,  2,  6, 8,  0, 13, 3,  4,  14, 7,  5, 11, 10, 15, 4, 2, 7, 12,
     9,  5,  6,  1,  13, 14, 0, 11, 3, 8,  9,  14, 15, 5,  2, 8,  12, 3,  7, 0, 4, 10,
     1,  13, 11, 6,  4,  3,  2, 12, 9, 5,  15, 10, 11, 14, 1, 7,  6,  0,  8, 13},
    {4, 11, 2,  14, 15, 0,  8,  13, 3, 12, 9,  7, 5,  10, 6,  1,  13, 0,  11, 7,  4, 9,
     1, 10, 14, 3,  5,  12, 2,  15, 8, 6,  1,  4, 11, 13, 12, 3,  7,  14, 10, 15, 6, 8,
     0, 5,  9,  2,  6,  11, 13, 8,  1, 4,  10, 7, 9,  5,  0,  15, 14, 2,  3,  12},
    {13, 2, 8,  4, 6, 15, 11, 1,  10, 9,  3, 14, 5,  0,  12, 7,  1,  15, 13, 8, 10, 3,
     7,  4, 12, 5, 6, 11, 0,  14, 9,  2,  7, 11, 4,  1,  9,  12, 14, 2,  0,  6, 10, 13,
     15, 3, 5,  8, 2, 1,  14, 7,  4,  10, 8, 13, 15, 12, 9,  0,  3,  5,  6,  11},
};

/// The permutation P, appendix 1: which bit of the S-boxes' output comes here, counted from 1.
constexpr std::array<std::uint8_t, 32> kP{16, 7, 20, 21, 29, 12, 28, 17, 1,  15, 23, 26, 5,  18, 31, 10,
                                          2,  8, 24, 14, 32, 27, 3,  9,  19, 13, 30, 6,  22, 11, 4,  25};

/// Permuted choice 2: the 48 bits of a round key out of C and D.
constexpr std::array<std::uint8_t, 48> kPermutedChoice2{
    14, 17, 11, 24, 1,  5,  3,  28, 15, 6,  21, 10, 23, 19, 12, 4,  26, 8,  16, 7,  27, 20, 13, 2,
    41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32};

/// By how much C and D are rotated before each round key.
constexpr std::array<std::uint8_t, kRounds> kShifts{1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1};

/// What S-box `box` adds to the other half for six bits of input: P of its output, in the representation of
/// Half.
constexpr std::uint32_t permuted_output(std::size_t box, std::size_t input) {
  const std::size_t row = (input >> 4 & 2) | (input & 1);
  const std::size_t column = input >> 1 & 15;
  const std::uint32_t output = std::uint32_t{kSBoxes[box][16 * row + column]} << (28 - 4 * box);
  std::uint32_t permuted = 0;
  for (const std::uint8_t from : kP) permuted = permuted << 1 | (output >> (32 - from) & 1);
  return std::rotl(permuted, 1);
}

using Tables = std::array<std::array<std::uint32_t, 64>, 8>;

constexpr Tables permuted_s_boxes() {
  Tables tables{};
  for (std::size_t box = 0; box < 8; ++box) {
    for (std::size_t input = 0; input < 64; ++input) tables[box][input] = permuted_output(box, input);
  }
  return tables;
}
alignas(64) constexpr Tables kTables = permuted_s_boxes();

/// L or R of the document rotated by one to the left. The expansion E then needs no work: six bits each for
/// S8, S6, S4 and S2 are the low ones of the four bytes, and for S7, S5, S3 and S1 after a rotation by four.
using Half = std::uint32_t;

/// 48 bits in the places that E has in a Half.
struct RoundKey {
  Half even;  ///< for S2, S4, S6 and S8 from the highest byte to the lowest
  Half odd;   ///< for S1, S3, S5 and S7
};

struct Block {
  Half left;
  Half right;
};

/// Exchanges the bits of b under mask with the bits of a under mask << shift.
inline void swap_bits(Half& a, Half& b, Half mask, int shift) noexcept {
  const Half difference = ((a >> shift) ^ b) & mask;
  b ^= difference;
  a ^= difference << shift;
}

/// IP of FIPS 46-3 as a transposition of the matrix of 8 x 8 bits.
inline Block initial_permutation(const std::uint8_t* in) noexcept {
  Block b{load_be<std::uint32_t>(in), load_be<std::uint32_t>(in + 4)};
  swap_bits(b.left, b.right, 0x0f0f0f0f, 4);
  swap_bits(b.left, b.right, 0x0000ffff, 16);
  swap_bits(b.right, b.left, 0x33333333, 2);
  swap_bits(b.right, b.left, 0x00ff00ff, 8);
  b.right = std::rotl(b.right, 1);
  swap_bits(b.right, b.left, 0xaaaaaaaa, 0);
  b.left = std::rotl(b.left, 1);
  return b;
}

inline void inverse_initial_permutation(Block b, std::uint8_t* out) noexcept {
  b.left = std::rotr(b.left, 1);
  swap_bits(b.right, b.left, 0xaaaaaaaa, 0);
  b.right = std::rotr(b.right, 1);
  swap_bits(b.right, b.left, 0x00ff00ff, 8);
  swap_bits(b.right, b.left, 0x33333333, 2);
  swap_bits(b.left, b.right, 0x0000ffff, 16);
  swap_bits(b.left, b.right, 0x0f0f0f0f, 4);
  store_be(out, b.left);
  store_be(out + 4, b.right);
}

/// a ^ b, of which compilers do not make one long sum together with others: that would wait for its parts in
/// turn.
[[gnu::always_inline]] inline Half sum(Half a, Half b) noexcept {
  Half both = a ^ b;
  words::opaque(both);
  return both;
}

/// The cipher function f of FIPS 46-3.
[[gnu::always_inline]] inline Half f(Half right, const RoundKey& key) noexcept {
  const Half even = right ^ key.even;
  const Half odd = std::rotr(right, 4) ^ key.odd;
  return sum(sum(sum(kTables[1][even >> 24 & 63], kTables[3][even >> 16 & 63]),
                 sum(kTables[5][even >> 8 & 63], kTables[7][even & 63])),
             sum(sum(kTables[0][odd >> 24 & 63], kTables[2][odd >> 16 & 63]),
                 sum(kTables[4][odd >> 8 & 63], kTables[6][odd & 63])));
}

/// Exchanges rows and columns of 8 x 8 bits: bit j of byte i with bit i of byte j.
std::uint64_t transposed(std::uint64_t rows) noexcept {
  constexpr std::array<std::uint64_t, 3> kMasks{0x00aa00aa00aa00aa, 0x0000cccc0000cccc, 0x00000000f0f0f0f0};
  for (std::size_t i = 0; i < kMasks.size(); ++i) {
    const int distance = 7 << i;
    const std::uint64_t difference = (rows ^ (rows >> distance)) & kMasks[i];
    rows ^= difference ^ (difference << distance);
  }
  return rows;
}

/// How the key schedule makes 16 rounds together. In round r bit p of C, counted from 0 at its first, is bit
/// p + s of the key's C, where s, the sum of the shifts up to r, is even for one half of the rounds and odd
/// for the other: 2, 4, ..., 14, 28 and 1, 15, 17, ..., 27. With C repeated, and the odd ones moved down by
/// 14, these are the bits of a word of 16.
struct SixteenRounds {
  /// Three times C or D, the first bit lowest.
  std::uint64_t half;

  [[nodiscard]] std::uint64_t bits(std::size_t place) const noexcept {
    const std::uint64_t from_place = half >> place;
    return (from_place & 0x5555) | (from_place >> 14 & 0xaaaa);
  }

  static constexpr std::array<std::uint8_t, 16> round_of_bit() {
    std::array<std::uint8_t, 16> rounds{};
    std::size_t sum = 0;
    for (std::size_t round = 0; round < kRounds; ++round) {
      sum += kShifts[round];
      const std::size_t odd_bit = sum < 14 ? sum + 14 : sum - 14;
      rounds[sum % 2 == 0 ? sum % 28 : odd_bit] = static_cast<std::uint8_t>(round);
    }
    return rounds;
  }
};

/// One step of the transposition of four matrices of 16 x 16 bits, one in each quarter of the words.
template <std::size_t kDistance>
void transpose_quarters(std::array<std::uint64_t, kRounds>& words, std::uint64_t mask) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kRounds / 2; ++i) {
    const std::size_t a = i / kDistance * 2 * kDistance + i % kDistance;
    const std::uint64_t difference = ((words[a] >> kDistance) ^ words[a + kDistance]) & mask;
    words[a + kDistance] ^= difference;
    words[a] ^= difference << kDistance;
  }
}

/// Places in C (columns 1 and 3) and D (columns 0 and 2) that the bits of a round key come from, 16 bits of
/// it to a column: even in the lower two, odd in the upper. Rows 6, 7, 14 and 15 have none.
using Places = std::array<std::array<std::uint8_t, 4>, 16>;

constexpr Places places_of_key_bits() {
  Places places{};
  for (std::size_t i = 0; i < kPermutedChoice2.size(); ++i) {
    const std::size_t box = i / 6;
    const std::size_t bit = (box % 2 == 0 ? 32 : 0) + 8 * (3 - box / 2) + (5 - i % 6);
    places[bit % 16][bit / 16] = static_cast<std::uint8_t>((kPermutedChoice2[i] - 1) % 28);
  }
  return places;
}

/// The key schedule KS of one DES without a table that the key indexes; round r's key goes to
/// keys[r * kStep].
template <int kStep>
void expand(const std::uint8_t* key, RoundKey* keys) noexcept {
  static constexpr Places kPlaces = places_of_key_bits();
  static constexpr auto kRoundOfBit = SixteenRounds::round_of_bit();
  // Permuted choice 1: C is the columns 1, 2, 3 of the key's bits and the half of column 4 that belongs to
  // the last bytes, each from the last byte on; D is columns 7, 6, 5 and the other half.
  const std::uint64_t columns = transposed(load_be<std::uint64_t>(key));
  const std::uint64_t c = byte_swap(static_cast<std::uint32_t>(columns >> 32)) & 0x0fffffff;
  const std::uint64_t d = (columns >> 8 & 0x00ffffff) | (columns >> 12 & 0x0f000000);
  const SixteenRounds of_c{c | c << 28 | c << 56};
  const SixteenRounds of_d{d | d << 28 | d << 56};
  // First word i has bits i, 16 + i, 32 + i and 48 + i of all round keys; then it has all bits of one.
  std::array<std::uint64_t, kRounds> words{};
  const Wiped guard(words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i % 8 >= 6) continue;
    words[i] = of_d.bits(kPlaces[i][0]) | of_c.bits(kPlaces[i][1]) << 16 | of_d.bits(kPlaces[i][2]) << 32 |
               of_c.bits(kPlaces[i][3]) << 48;
  }
  transpose_quarters<8>(words, 0x00ff00ff00ff00ff);
  transpose_quarters<4>(words, 0x0f0f0f0f0f0f0f0f);
  transpose_quarters<2>(words, 0x3333333333333333);
  transpose_quarters<1>(words, 0x5555555555555555);
  for (std::size_t i = 0; i < words.size(); ++i) {
    keys[std::ptrdiff_t{kRoundOfBit[i]} * kStep] = {static_cast<Half>(words[i]),
                                                    static_cast<Half>(words[i] >> 32)};
  }
}

/// The expanded key; see BlockCipher. Deciphering takes the same round keys backwards.
template <std::size_t kKeyBits>
class TripleDes {
 public:
  static constexpr std::size_t kBlockBytes = 8;
  static constexpr std::size_t kKeyBytes = kKeyBits / 8;
  static constexpr std::size_t kParallelBlocks = 16;

  /// SP 800-67 section 3.1: encrypt with the first key, decrypt with the second, encrypt with the third.
  Status set_key(Bytes key) noexcept {
    expand<1>(key.data(), &round_keys_[0]);
    expand<-1>(key.data() + 8, &round_keys_[2 * kRounds - 1]);
    expand<1>(key.data() + (kKeyBits == 192 ? 16 : 0), &round_keys_[2 * kRounds]);
    return Status::ok;
  }

  void encrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    side_by_side<true>(in, out, blocks);
  }

  void decrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    side_by_side<false>(in, out, blocks);
  }

 private:
  static constexpr std::size_t kAllRounds = 3 * kRounds;

  template <bool kForward>
  [[nodiscard]] const RoundKey& key_of(std::size_t round) const noexcept {
    return round_keys_[kForward ? round : kAllRounds - 1 - round];
  }

  template <bool kForward, std::size_t kCount>
  void crypt(const std::uint8_t* in, std::uint8_t* out) const noexcept {
    Block b[kCount];
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) b[i] = initial_permutation(in + i * kBlockBytes);
    for (std::size_t des = 0; des < kAllRounds; des += kRounds) {
      for (std::size_t r = des; r < des + kRounds; r += 2) {
        CIPHERMARK_UNROLL
        for (std::size_t i = 0; i < kCount; ++i) b[i].left ^= f(b[i].right, key_of<kForward>(r));
        CIPHERMARK_UNROLL
        for (std::size_t i = 0; i < kCount; ++i) b[i].right ^= f(b[i].left, key_of<kForward>(r + 1));
      }
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kCount; ++i) std::swap(b[i].left, b[i].right);
    }
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) inverse_initial_permutation(b[i], out + i * kBlockBytes);
  }

  template <bool kForward>
  void side_by_side(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    constexpr std::size_t kCount = 2;
    for (; blocks >= kCount; blocks -= kCount) {
      crypt<kForward, kCount>(in, out);
      in += kCount * kBlockBytes;
      out += kCount * kBlockBytes;
    }
    if (blocks == 1) crypt<kForward, 1>(in, out);
  }

  std::array<RoundKey, kAllRounds> round_keys_;
};

constexpr Variant kVariant{
    .name = "tables", .constant_time = false, .preference = 10, .requires_features = ""};

constexpr auto kTwoKeys = modes::describe_modes<TripleDes<128>, "3des-128", "SP 800-67, FIPS 46-3">(kVariant);
constexpr auto kThreeKeys =
    modes::describe_modes<TripleDes<192>, "3des-192", "SP 800-67, FIPS 46-3">(kVariant);
constexpr auto kImplementations = pointers_to(kTwoKeys, kThreeKeys);

}  // namespace

}  // namespace ciphermark
