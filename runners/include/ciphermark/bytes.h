#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

/// Loads, stores, comparison and wiping: the helpers that every cipher file shares and none repeats.
namespace ciphermark {

/// With -Os: what takes more code for speed is left out.
#if defined(__OPTIMIZE_SIZE__)
inline constexpr bool kForSize = true;
#else
inline constexpr bool kForSize = false;
#endif

template <std::unsigned_integral Word>
[[nodiscard]] constexpr Word byte_swap(Word value) noexcept {
  // Named for the compiler: GCC does not see through a loop of shifts.
  if constexpr (sizeof(Word) == 8) return __builtin_bswap64(value);
  if constexpr (sizeof(Word) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(Word) == 2) return __builtin_bswap16(value);
  static_assert(sizeof(Word) == 2 || sizeof(Word) == 4 || sizeof(Word) == 8);
}

/// Reads a little-endian word from sizeof(Word) bytes at any alignment.
template <std::unsigned_integral Word>
[[nodiscard]] inline Word load_le(const std::uint8_t* from) noexcept {
  Word value;
  std::memcpy(&value, from, sizeof(Word));
  return std::endian::native == std::endian::little ? value : byte_swap(value);
}

/// Reads a big-endian word from sizeof(Word) bytes at any alignment.
template <std::unsigned_integral Word>
[[nodiscard]] inline Word load_be(const std::uint8_t* from) noexcept {
  Word value;
  std::memcpy(&value, from, sizeof(Word));
  return std::endian::native == std::endian::big ? value : byte_swap(value);
}

template <std::unsigned_integral Word>
inline void store_le(std::uint8_t* to, Word value) noexcept {
  if constexpr (std::endian::native != std::endian::little) value = byte_swap(value);
  std::memcpy(to, &value, sizeof(Word));
}

template <std::unsigned_integral Word>
inline void store_be(std::uint8_t* to, Word value) noexcept {
  if constexpr (std::endian::native != std::endian::big) value = byte_swap(value);
  std::memcpy(to, &value, sizeof(Word));
}

/// out[i] = a[i] ^ b[i] for n bytes; out may be a or b. Eight bytes at a time, because GCC at -O2 does not
/// vectorize the byte loop (3 cycles per byte in counter mode).
inline void xor_bytes(std::uint8_t* out, const std::uint8_t* a, const std::uint8_t* b,
                      std::size_t n) noexcept {
  for (; !kForSize && n >= 8; n -= 8, out += 8, a += 8, b += 8) {
    store_le(out, load_le<std::uint64_t>(a) ^ load_le<std::uint64_t>(b));
  }
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(a[i] ^ b[i]);
}

/// Compares n secret bytes in a time that depends on n alone.
[[nodiscard]] bool constant_time_equal(const std::uint8_t* a, const std::uint8_t* b, std::size_t n) noexcept;

/// Overwrites secrets with zeros in a way that the compiler cannot remove. Inline, because a call takes
/// longer than the few stores that an object of a short message needs.
inline void wipe(void* secret, std::size_t n) noexcept {
  std::memset(secret, 0, n);
  // The empty statement claims to read the memory: without it the compiler may drop a store that nothing
  // reads.
  asm volatile("" : : "r"(secret) : "memory");
}

/// Wipes an object when its scope ends, on every path.
template <typename Object>
class Wiped {
 public:
  explicit Wiped(Object& object) noexcept : object_(object) {}
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;
  ~Wiped() { wipe(&object_, sizeof(Object)); }

 private:
  Object& object_;
};

}  // namespace ciphermark
