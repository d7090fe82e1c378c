/// TinyJAMBU, variant `scalar`: the register in four 32-bit words, portable and in constant time. See
/// cipher.h.
#include "ciphers/aead/tinyjambu/cipher.h"

namespace ciphermark {
namespace {

/// Four words instead of a register that moves: step k overwrites word k, so that nothing is copied.
class Words {
 public:
  using Word = std::uint32_t;

  explicit Words(const std::array<std::uint32_t, 4>& state) noexcept : s_(state), lowest_(state[3]) {}
  void store(std::array<std::uint32_t, 4>& state) const noexcept { state = s_; }

  template <std::size_t kWord>
  void add(std::uint32_t value) noexcept {
    s_[kWord] ^= value;
    if constexpr (kWord == 3) lowest_ ^= value;
  }
  template <std::size_t kWord>
  [[nodiscard]] std::uint32_t word() const noexcept {
    return s_[kWord];
  }

  /// Section 3.2, 32 rounds in one step: bit i of the new word is s[i] ^ s[i + 47] ^ ~(s[i + 70] & s[i + 85])
  /// ^ s[i + 91] ^ key bit.
  template <std::size_t kTurn>
  void step(std::uint32_t inverted_key) noexcept {
    const std::uint32_t b = s_[(kTurn + 1) % 4], c = s_[(kTurn + 2) % 4], d = s_[(kTurn + 3) % 4];
    const std::uint32_t early = s_[kTurn] ^ inverted_key ^ from<15>(b, c);
    s_[kTurn] = kSplits ? split(early, c, d) : early ^ from<27>(c, d) ^ (from<6>(c, d) & from<21>(c, d));
  }

 private:
#if defined(__x86_64__)
  /// Here shifting a pair of words takes three cycles (shrd), where other processors take one.
  static constexpr bool kSplits = true;
#else
  static constexpr bool kSplits = false;
#endif

  /// The 32 bits from bit kBit of low and high, one behind the other.
  template <int kBit>
  static std::uint32_t from(std::uint32_t low, std::uint32_t high) noexcept {
    return low >> kBit | high << (32 - kBit);
  }

  /// The new word in three operations behind the youngest, d, whose part is kept apart from that of c. Bits
  /// 70 on read six bits of d, the lowest, which the NAND of d with anything does not reach: they are taken
  /// from lowest_, which is d without that NAND and is ready a cycle before.
  [[gnu::always_inline]] std::uint32_t split(std::uint32_t early, std::uint32_t c, std::uint32_t d) noexcept {
    early ^= (c >> 6) & (c >> 21);
    early ^= c >> 27;
    CIPHERMARK_FIXED_ORDER_WORD(early);
    std::uint32_t from_70 = c >> 6 | lowest_ << 26;
    CIPHERMARK_FIXED_ORDER_WORD(from_70);
    lowest_ = early ^ (d << 5);
    CIPHERMARK_FIXED_ORDER_WORD(lowest_);
    return lowest_ ^ (from_70 & (d << 11));
  }

  std::array<std::uint32_t, 4> s_;
  std::uint32_t lowest_;  ///< The six lowest bits are those of the youngest word; the others mean nothing.
};

constexpr std::array kDescribed = tinyjambu::describe<Words>(
    {.name = "scalar", .constant_time = true, .preference = 10, .requires_features = ""});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark
