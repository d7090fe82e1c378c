#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "simd/target.h"

/// The S-box of AES as look-ups of 16 bytes by 4-bit indices, for instructions that look up in registers.
///
/// Source of the idea: M. Hamburg, "Accelerating AES with Vector Permute Instructions" (CHES 2009). A byte is
/// i + k w, where i and k are elements of the field of 16 and w of that of 256 with w^2 + w = c. Let j = i +
/// k and a = 1/c; then
///
///     io = 1 / (1/i + a/k) + j    and    jo = 1 / (1/j + a/k) + i
///
/// give the inverse of the byte as (w + c) / io + (w + c + 1) / jo, which follows from its norm i j + c k^2.
/// 1/0 and a/0 are infinity here, a byte with its highest bit set, whose look-up gives 0: so both 1/infinity
/// and the inverse of 0 come out as 0. What follows the inversion is linear, so that it is part of the last
/// look-ups, and so is the change to the base of the next inversion.
///
/// The tables follow from these definitions at compile time.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace aes::nibbles {

using Table = std::array<std::uint8_t, 16>;

/// Multiplication modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197 section 4.2).
consteval unsigned product(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) sum ^= a;
    a = a << 1 ^ (a >> 7) * 0x11b;
  }
  return sum;
}

consteval unsigned power(unsigned a, unsigned exponent) {
  unsigned result = 1;
  for (; exponent > 0; --exponent) result = product(result, a);
  return result;
}

/// The linear part of the affine map of FIPS 197 section 5.1.1 (rotations by 0 to 4), or its inverse
/// (rotations by 1, 3 and 6).
consteval unsigned affine(unsigned byte, bool inverse) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 7; ++i) {
    const bool taken = inverse ? i == 1 || i == 3 || i == 6 : i < 5;
    if (taken) sum ^= byte << i | byte >> (8 - i);
  }
  return sum & 0xff;
}

/// The field of 256 over that of 16. g^4 = g + 1 generates the latter, and bit b of a nibble counts g^b.
struct Tower {
  std::array<unsigned, 16> element{};  ///< of AES, for a nibble
  std::array<unsigned, 256> nibble{};  ///< for such an element
  std::array<unsigned, 256> split{};   ///< i << 4 | k for an element of AES
  unsigned w = 0;
  unsigned c = 0;

  consteval Tower() {
    unsigned g = 2;
    while (power(g, 4) != (g ^ 1)) ++g;
    for (unsigned n = 0; n < 16; ++n) {
      for (unsigned b = 0; b < 4; ++b) element[n] ^= (n >> b & 1) * power(g, b);
      nibble[element[n]] = n;
    }
    // The other root of w^2 + w = c is w^16.
    w = 2;
    while ((power(w, 16) ^ w) != 1) ++w;
    c = product(w, w) ^ w;
    for (unsigned i = 0; i < 16; ++i) {
      for (unsigned k = 0; k < 16; ++k) split[element[i] ^ product(element[k], w)] = i << 4 | k;
    }
  }
};
inline constexpr Tower kTower;

inline constexpr std::uint8_t kInfinity = 0x80;

/// a / n for each nibble n.
consteval Table quotients(unsigned a) {
  Table table{kInfinity};
  for (unsigned n = 1; n < 16; ++n) {
    table[n] = static_cast<std::uint8_t>(kTower.nibble[product(a, power(kTower.element[n], 254))]);
  }
  return table;
}

/// What comes before an inversion, or between two of them: the linear part of SubBytes or its inverse, and
/// whether the result is split for the next inversion.
struct Linear {
  bool affine_map = false;
  bool inverse_map = false;
  bool splits = false;

  consteval std::uint8_t operator()(unsigned byte) const {
    if (affine_map) byte = affine(byte, false);
    if (inverse_map) byte = affine(byte, true);
    return static_cast<std::uint8_t>(splits ? kTower.split[byte] : byte);
  }
};

/// Two tables whose look-ups are added.
struct Pair {
  Table first;
  Table second;
};

/// A linear map of a byte by its lower and its upper nibble.
consteval Pair of_byte(Linear map) {
  Pair pair{};
  for (unsigned n = 0; n < 16; ++n) {
    pair.first[n] = map(n);
    pair.second[n] = map(n << 4);
  }
  return pair;
}

/// What Linear{.splits = true} splits, put together again.
consteval Pair of_split() {
  Pair pair{};
  for (unsigned n = 0; n < 16; ++n) {
    pair.first[n] = static_cast<std::uint8_t>(product(kTower.element[n], kTower.w));
    pair.second[n] = static_cast<std::uint8_t>(kTower.element[n]);
  }
  return pair;
}

/// A map of the inverse times `factor` by io and jo.
consteval Pair of_inverse(Linear map, unsigned factor, Linear before = {}) {
  Pair pair{};
  for (unsigned n = 1; n < 16; ++n) {
    const unsigned inverse = power(kTower.element[n], 254);
    const unsigned by_io = before(product(inverse, kTower.w ^ kTower.c));
    const unsigned by_jo = before(product(inverse, kTower.w ^ kTower.c ^ 1));
    pair.first[n] = map(product(factor, by_io));
    pair.second[n] = map(product(factor, by_jo));
  }
  return pair;
}

/// Look-ups of places in a block. Byte i is row i mod 4, column i div 4.
using Places = std::array<Table, 4>;

/// The place one row and n columns further, and the place from which that is further.
struct Neighbors {
  Table down;
  Table up;
};

/// [n]: for n columns.
consteval std::array<Neighbors, 4> neighbors() {
  std::array<Neighbors, 4> all{};
  for (unsigned n = 0; n < 4; ++n) {
    for (unsigned i = 0; i < 16; ++i) {
      const unsigned further = (i + 1) % 4 + 4 * ((i / 4 + n) % 4);
      all[n].down[i] = static_cast<std::uint8_t>(further);
      all[n].up[further] = static_cast<std::uint8_t>(i);
    }
  }
  return all;
}

/// [n]: ShiftRows (FIPS 197 section 5.1.2) undone n times.
consteval Places shifted_rows() {
  Places places{};
  for (unsigned n = 0; n < 4; ++n) {
    for (unsigned i = 0; i < 16; ++i) {
      places[n][i] = static_cast<std::uint8_t>(i % 4 + 4 * ((i / 4 + 3 * n * (i % 4)) % 4));
    }
  }
  return places;
}

struct alignas(16) Tables {
  Table inverse = quotients(1);
  Table a_over = quotients(power(kTower.c, 254));

  static constexpr Linear kSplit{.splits = true};
  static constexpr Linear kSubBytes{.affine_map = true};
  static constexpr Linear kInvSubBytes{.inverse_map = true, .splits = true};

  Pair split = of_byte(kSplit);
  Pair joined = of_split();
  Pair once = of_inverse(kSplit, 1, kSubBytes);
  Pair twice = of_inverse(kSplit, 2, kSubBytes);
  Pair substituted = of_inverse(kSubBytes, 1);

  Pair inverse_split = of_byte(kInvSubBytes);
  Pair times_9 = of_inverse(kInvSubBytes, 0x9);
  Pair times_d = of_inverse(kInvSubBytes, 0xd);
  Pair times_b = of_inverse(kInvSubBytes, 0xb);
  Pair times_e = of_inverse(kInvSubBytes, 0xe);
  Pair inverted = of_inverse({}, 1);

  std::array<Neighbors, 4> row = neighbors();
  Places shifted = shifted_rows();
};
inline constexpr Tables kTables;

}  // namespace aes::nibbles
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
