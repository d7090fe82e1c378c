#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/block/aes/arm_block.h"
#include "ciphers/block/aes/jobs.h"
#include "ciphers/block/aes/nibble_tables.h"
#include "ciphers/block/aes/sliced.h"
#include "simd/neon_lookup.h"
#include "simd/unroll.h"

/// AES on NEON without the cryptographic extension, in constant time: look-ups in registers (nibble_tables.h)
/// for any number of blocks, and bits (sliced.h) for eight at a time that are encrypted.
///
/// ShiftRows is never executed: after r rounds a block has it undone r times, MixColumns looks as many
/// columns further for each row further, and round keys are stored with it undone as often. They are stored
/// split for the inversion, too, and with the constant of SubBytes added, which the other steps leave as it
/// is.

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

struct Permuted : NeonBlock {
  using Single = Permuted;
  template <std::size_t kRounds>
  using Keys = KeysInMemory<Permuted>;

  /// Round keys of FIPS 197, as KeySchedule writes them, become those that encrypt takes.
  template <std::size_t kRounds>
  static void prepare_encryption(std::uint8_t* keys) noexcept {
    prepare<kRounds>(keys, aes::nibbles::kTables.split, 1, 0);
  }

  /// The same for those of the equivalent inverse cipher (section 5.3.5) and decrypt.
  template <std::size_t kRounds>
  static void prepare_decryption(std::uint8_t* keys) noexcept {
    prepare<kRounds>(keys, aes::nibbles::kTables.inverse_split, 3, kConstant);
  }

  /// InvMixColumns of a round key: MixColumns of the key plus x^2 times what it and the next but one row
  /// have.
  static Type inv_mix_columns(Type s) noexcept {
    s = veorq_u8(s, doubled(doubled(veorq_u8(s, row_down(row_down(s))))));
    const Type sum = veorq_u8(s, row_down(s));
    return veorq_u8(veorq_u8(doubled(sum), row_down(s)), row_down(row_down(sum)));
  }

  template <int kWord, bool kRotate>
  static Type substituted(Type s, Type constant) noexcept {
    const Tables& all = tables();
    const Type words = looked_up(all.substituted, inverted(all, by_byte(all.split, spread<kWord>(s))));
    const Type bytes = kRotate ? row_down(words) : words;
    return veorq_u8(veorq_u8(bytes, vdupq_n_u8(kConstant)), constant);
  }

  template <std::size_t kRounds, typename States, typename AnyKeys, typename Work>
  [[gnu::always_inline]] static void encrypt(States&& s, const AnyKeys& keys, Work&& work) noexcept {
    in_groups<true>(std::begin(s), static_cast<std::size_t>(std::end(s) - std::begin(s)), keys.keys, kRounds);
    CIPHERMARK_UNROLL
    for (std::size_t r = 1; r < kRounds; ++r) work.after_round(r);
  }

  template <std::size_t kRounds, std::size_t kRegisters>
  [[gnu::always_inline]] static void decrypt(Type (&s)[kRegisters], const Keys<kRounds>& keys) noexcept {
    in_groups<false>(s, kRegisters, keys.keys, kRounds);
  }

 private:
  using Tables = aes::nibbles::Tables;
  using Table = aes::nibbles::Table;
  using Pair = aes::nibbles::Pair;
  /// 0x63 of FIPS 197 equation (5.2).
  static constexpr std::uint8_t kConstant = 0x63;

  /// By one address: compilers would make one for each table.
  [[gnu::always_inline]] static const Tables& tables() noexcept {
    const Tables* tables = &aes::nibbles::kTables;
    asm("" : "+r"(tables));
    return *tables;
  }

  /// io and jo of nibble_tables.h.
  struct Inverted {
    Type io;
    Type jo;
  };

  /// Registers that a call takes and gives back in registers.
  template <std::size_t kCount>
  struct Group {
    Type s[kCount];
  };

  static Type looked_up(Type table, Type indices) noexcept { return simd::looked_up(table, indices); }
  static Type looked_up(const Table& table, Type indices) noexcept {
    return looked_up(load(table.data()), indices);
  }
  static Type looked_up(const Pair& tables, Inverted inverted) noexcept {
    return veorq_u8(looked_up(tables.first, inverted.io), looked_up(tables.second, inverted.jo));
  }
  static Type at_places(const Table& places, Type s) noexcept { return looked_up(s, load(places.data())); }
  static Type by_byte(const Pair& map, Type s) noexcept {
    return veorq_u8(looked_up(map.first, vandq_u8(s, vdupq_n_u8(15))),
                    looked_up(map.second, vshrq_n_u8(s, 4)));
  }

  static Inverted inverted(const Tables& tables, Type s) noexcept {
    const Type i = vshrq_n_u8(s, 4);
    const Type k = vandq_u8(s, vdupq_n_u8(15));
    const Type j = veorq_u8(i, k);
    const Type a_over_k = looked_up(tables.a_over, k);
    const Type by_i = veorq_u8(looked_up(tables.inverse, i), a_over_k);
    const Type by_j = veorq_u8(looked_up(tables.inverse, j), a_over_k);
    return {.io = veorq_u8(looked_up(tables.inverse, by_i), j),
            .jo = veorq_u8(looked_up(tables.inverse, by_j), i)};
  }

  static Type row_down(Type s) noexcept { return at_places(tables().row[0].down, s); }

  /// Times x modulo x^8 + x^4 + x^3 + x + 1.
  static Type doubled(Type s) noexcept {
    const Type leaves = vreinterpretq_u8_s8(vshrq_n_s8(vreinterpretq_s8_u8(s), 7));
    return veorq_u8(vshlq_n_u8(s, 1), vandq_u8(leaves, vdupq_n_u8(0x1b)));
  }

  /// ShiftRows of key r is undone r * kTimes times.
  template <std::size_t kRounds>
  static void prepare(std::uint8_t* keys, const Pair& map, std::size_t times,
                      std::uint8_t first_constant) noexcept {
    store(keys, by_byte(map, veorq_u8(load(keys), vdupq_n_u8(first_constant))));
    for (std::size_t r = 1; r < kRounds; ++r) {
      std::uint8_t* key = keys + r * kBytes;
      const Type mapped = by_byte(map, veorq_u8(load(key), vdupq_n_u8(kConstant)));
      store(key, at_places(aes::nibbles::kTables.shifted[r * times % 4], mapped));
    }
    if (first_constant != 0) return;
    std::uint8_t* last = keys + kRounds * kBytes;
    store(last, veorq_u8(load(last), vdupq_n_u8(kConstant)));
  }

  template <bool kEncrypt>
  [[gnu::always_inline]] static void in_groups(Type* s, std::size_t count, const std::uint8_t* keys,
                                               std::size_t rounds) noexcept {
    if constexpr (kEncrypt) {
      for (; count >= aes::sliced::kBlocks; count -= aes::sliced::kBlocks, s += aes::sliced::kBlocks) {
        encrypt_sliced(s, keys, rounds);
      }
    }
    // A 32-bit program has half as many registers.
    if constexpr (sizeof(void*) == 8) {
      for (; count >= 4; count -= 4, s += 4) in_group<kEncrypt, 4>(s, keys, rounds);
    }
    for (; count >= 2; count -= 2, s += 2) in_group<kEncrypt, 2>(s, keys, rounds);
    if (count != 0) in_group<kEncrypt, 1>(s, keys, rounds);
  }

  template <bool kEncrypt, std::size_t kCount>
  [[gnu::always_inline]] static void in_group(Type* s, const std::uint8_t* keys,
                                              std::size_t rounds) noexcept {
    Group<kCount> group;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) group.s[i] = s[i];
    if constexpr (kEncrypt) {
      group = encrypted(group, keys, rounds);
    } else {
      group = decrypted(group, keys, rounds);
    }
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) s[i] = group.s[i];
  }

  // One function for all modes and key sizes: written out in each, they would be as large as a cache.
  template <std::size_t kCount>
  [[gnu::noinline]] static Group<kCount> encrypted(Group<kCount> group, const std::uint8_t* keys,
                                                   std::size_t rounds) noexcept {
    const Tables& all = tables();
    const Type first = load(keys);
    CIPHERMARK_UNROLL
    for (Type& s : group.s) s = veorq_u8(by_byte(all.split, s), first);
    for (std::size_t r = 1; r < rounds; ++r) {
      keys += kBytes;
      const Type key = load(keys);
      const Type down = load(all.row[r % 4].down.data());
      const Type up = load(all.row[r % 4].up.data());
      CIPHERMARK_UNROLL
      for (Type& s : group.s) {
        const Inverted inverse = inverted(all, s);
        const Type once = looked_up(all.once, inverse);
        const Type sum = veorq_u8(looked_up(all.twice, inverse), looked_up(once, down));
        s = veorq_u8(veorq_u8(veorq_u8(looked_up(once, up), key), sum), looked_up(sum, down));
      }
    }
    const Type last = load(keys + kBytes);
    const Type shifted = load(all.shifted[rounds % 4].data());
    CIPHERMARK_UNROLL
    for (Type& s : group.s) {
      s = veorq_u8(looked_up(looked_up(all.substituted, inverted(all, s)), shifted), last);
    }
    return group;
  }

  /// Blocks that fill the registers as bits (sliced.h): fewer look-ups for each.
  [[gnu::noinline]] static void encrypt_sliced(Type* s, const std::uint8_t* keys,
                                               std::size_t rounds) noexcept {
    const Tables& all = tables();
    aes::sliced::Planes planes;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < planes.size(); ++i) planes[i] = s[i];
    aes::sliced::transpose(planes);
    aes::sliced::add_round_key(planes, by_byte(all.joined, load(keys)));
    for (std::size_t r = 1; r < rounds; ++r) {
      keys += kBytes;
      aes::sbox_circuit(planes);
      const Type down = load(all.row[r % 4].down.data());
      aes::sliced::mix_columns(planes, down, looked_up(down, down));
      aes::sliced::add_round_key(planes, by_byte(all.joined, load(keys)));
    }
    aes::sbox_circuit(planes);
    aes::sliced::transpose(planes);
    const Type last = load(keys + kBytes);
    const Type shifted = load(all.shifted[rounds % 4].data());
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < planes.size(); ++i) s[i] = veorq_u8(looked_up(planes[i], shifted), last);
  }

  template <std::size_t kCount>
  [[gnu::noinline]] static Group<kCount> decrypted(Group<kCount> group, const std::uint8_t* keys,
                                                   std::size_t rounds) noexcept {
    const Tables& all = tables();
    const Type first = load(keys);
    CIPHERMARK_UNROLL
    for (Type& s : group.s) s = veorq_u8(by_byte(all.inverse_split, s), first);
    for (std::size_t r = 1; r < rounds; ++r) {
      keys += kBytes;
      const Type key = load(keys);
      const Type down = load(all.row[(4 - r % 4) % 4].down.data());
      CIPHERMARK_UNROLL
      for (Type& s : group.s) {
        const Inverted inverse = inverted(all, s);
        Type sum = looked_up(all.times_9, inverse);
        sum = veorq_u8(looked_up(all.times_d, inverse), looked_up(sum, down));
        sum = veorq_u8(looked_up(all.times_b, inverse), looked_up(sum, down));
        s = veorq_u8(veorq_u8(looked_up(all.times_e, inverse), key), looked_up(sum, down));
      }
    }
    const Type last = load(keys + kBytes);
    const Type shifted = load(all.shifted[rounds % 4].data());
    CIPHERMARK_UNROLL
    for (Type& s : group.s) {
      s = veorq_u8(looked_up(looked_up(all.inverted, inverted(all, s)), shifted), last);
    }
    return group;
  }
};

inline constexpr std::size_t kPermutedSideBySide = aes::sliced::kBlocks;

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
