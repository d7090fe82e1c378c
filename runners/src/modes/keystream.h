#pragma once

#include "ciphermark/describe.h"
#include "core/microarchitecture.h"
#include "simd/target.h"

/// The keystream of Salsa20 ("Salsa20 specification", sections 8 to 10) and ChaCha20 (RFC 8439 section 2.4):
/// sixteen 32-bit words go through rounds, the input is added, and the block counter in it is incremented.
///
/// A Core defines what differs: the place of the constants, of the key (load_key), of the counter and of the
/// nonce, and double_round, which is a template over the type of a word. With std::uint32_t it makes one
/// block; with a type of src/simd/ it makes as many blocks as the type has lanes, and with a Pair of that
/// type twice as many. Fewer blocks are made by double_round_of_rows, where each quarter of a register is a
/// row of four words of one block. No step depends on a secret in its time: additions, exclusive ors and
/// rotations by constants alone.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

template <int kBits>
[[nodiscard]] constexpr std::uint32_t rotate_left(std::uint32_t word) noexcept {
  return std::rotl(word, kBits);
}

namespace keystream {

inline constexpr std::size_t kBlockBytes = 64;
inline constexpr int kDoubleRounds = 10;

/// Sixteen little-endian words.
using State = std::array<std::uint32_t, 16>;
static_assert(sizeof(State) == kBlockBytes);

/// In place of Words: one block at a time.
struct OneBlock {
  static constexpr std::size_t kLanes = 1;
  static constexpr std::size_t kRowSets = 0;
  static constexpr bool kFitsTwoBatches = false;
};

using Row [[gnu::vector_size(16)]] = std::uint32_t;

/// In one piece, for loads of whole rows that follow immediately.
inline void store_row(State& state, std::size_t row, Row words) noexcept {
  std::memcpy(&state[4 * row], &words, sizeof words);
}

/// All rounds, then the input state is added; input(i) is its word i, by value so that what it needs is in
/// registers.
template <typename Core, typename Input>
inline void block(Input input, State& output) noexcept {
  State x;
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = input(i);
  for (int i = 0; i < kDoubleRounds; ++i) Core::double_round(x);
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < x.size(); ++i) output[i] = x[i] + input(i);
}

/// The state of a message at block `counter`; keyed holds constants and key.
template <typename Core>
inline State start(const State& keyed, const std::uint8_t* nonce, std::uint32_t counter) noexcept {
  State state;
  // In the rows in which the key may have been written just before: a wider load would wait for them, and
  // without the empty statement compilers make wider loads.
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 16; i += 4) {
    std::memcpy(&state[i], &keyed[i], 16);
    asm("" : : : "memory");
  }
  state[Core::kCounterWord] = counter;
  for (std::size_t i = 0; i < Core::kNonceWords; ++i) {
    state[Core::kNonceWord + i] = load_le<std::uint32_t>(nonce + 4 * i);
  }
  return state;
}

template <typename Core>
inline void advance(State& state, std::uint32_t blocks) noexcept {
  state[Core::kCounterWord] += blocks;
  if constexpr (Core::kCounterWords == 2) {
    if (state[Core::kCounterWord] < blocks) ++state[Core::kCounterWord + 1];
  }
}

/// Where keystream goes: onto a text, or to memory of our own.
struct Onto {
  const std::uint8_t* in;
  std::uint8_t* out;

  template <typename Words>
  void put(std::size_t at, Words words) const noexcept {
    (Words::load(in + at) ^ words).store(out + at);
  }
};
struct Into {
  std::uint8_t* stream;

  template <typename Words>
  void put(std::size_t at, Words words) const noexcept {
    words.store(stream + at);
  }
};

/// Quarter q of the four rows, 64 bytes, goes kApart q bytes behind `at`.
template <std::size_t kApart, typename Words, typename Sink>
inline void put_blocks(Words* rows, Sink sink, std::size_t at) noexcept {
  Words::gather_quarters(rows);
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 4; ++i) {
    constexpr std::size_t kBytes = 4 * Words::kLanes;
    sink.put(at + i * kBytes / kBlockBytes * kApart + i * kBytes % kBlockBytes, rows[i]);
  }
}

/// The states of Words::kLanes blocks. The counters of all lanes must have the same high word.
template <typename Core, typename Words>
[[gnu::always_inline]] inline std::array<Words, 16> batch_of(const State& state) noexcept {
  std::array<Words, 16> input;
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 16; ++i) input[i] = Words::broadcast(state[i]);
  input[Core::kCounterWord] = input[Core::kCounterWord] + Words::lane_numbers();
  return input;
}

/// x is what the rounds made of the input. The batch goes to `at`.
template <typename Words, typename Sink>
[[gnu::always_inline]] inline void put_batch(std::array<Words, 16>& x, const std::array<Words, 16>& input,
                                             Sink sink, std::size_t at = 0) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 16; ++i) x[i] = x[i] + input[i];
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 16; i += 4) Words::transpose_quarters(&x[i]);
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 4; ++i) {
    std::array<Words, 4> blocks{x[i], x[4 + i], x[8 + i], x[12 + i]};
    put_blocks<4 * kBlockBytes>(blocks.data(), sink, at + kBlockBytes * i);
  }
}

template <typename Core, typename Words, typename Sink>
inline void batch(const State& state, Sink sink) noexcept {
  const std::array<Words, 16> input = batch_of<Core, Words>(state);
  std::array<Words, 16> x = input;
  for (int i = 0; i < kDoubleRounds; ++i) Core::double_round(x);
  put_batch(x, input, sink);
}

/// The same word of two batches.
template <typename Words>
struct Pair {
  Words first;
  Words second;
};

template <typename Words>
[[gnu::always_inline]] inline Pair<Words> operator+(Pair<Words> a, Pair<Words> b) noexcept {
  return {a.first + b.first, a.second + b.second};
}

template <typename Words>
[[gnu::always_inline]] inline Pair<Words> operator^(Pair<Words> a, Pair<Words> b) noexcept {
  return {a.first ^ b.first, a.second ^ b.second};
}

template <int kBits, typename Words>
[[gnu::always_inline]] inline Pair<Words> rotate_left(Pair<Words> words) noexcept {
  return {rotate_left<kBits>(words.first), rotate_left<kBits>(words.second)};
}

/// Two batches, instruction by instruction: one is executed while the other waits for its own. The rounds of
/// one batch are four chains of instructions that take two cycles each on Zen 5, which could begin eight in
/// that time.
template <typename Core, typename Words, typename Sink>
[[gnu::noinline]] void two_batches(const State& state, Sink sink) noexcept {
  const Words ahead = Words::broadcast(Words::kLanes);
  std::array<Words, 16> input = batch_of<Core, Words>(state);
  std::array<Pair<Words>, 16> x;
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 16; ++i) x[i] = {input[i], input[i]};
  x[Core::kCounterWord].second = input[Core::kCounterWord] + ahead;
  for (int i = 0; i < kDoubleRounds; ++i) Core::double_round(x);
  std::array<Words, 16> first;
  std::array<Words, 16> second;
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 16; ++i) {
    first[i] = x[i].first;
    second[i] = x[i].second;
  }
  put_batch(first, input, sink);
  input[Core::kCounterWord] = input[Core::kCounterWord] + ahead;
  put_batch(second, input, sink, Words::kLanes * kBlockBytes);
}

/// How many blocks a register of rows holds.
template <typename Words>
inline constexpr std::size_t kQuarters = Words::kLanes / 4;

/// By how much the counters of set `set` are ahead of those of the first.
template <typename Words>
inline Words ahead(std::size_t set) noexcept {
  return Words::row(static_cast<std::uint32_t>(set * kQuarters<Words>), 0, 0, 0);
}

/// The four rows of a state, in the first quarters alone or in all.
template <typename Core, typename Words, bool kFront>
[[gnu::always_inline]] inline std::array<Words, 4> rows_of(const State& state) noexcept {
  std::array<Words, 4> input;
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 4; ++i) {
    input[i] = Words::row(&state[4 * i]);
    if (i != Core::kCounterWord / 4 && i != Core::kNonceWord / 4) continue;
    // Words that were just written go singly: a load of all four would wait for the stores. Without the empty
    // statement compilers make one load of them.
    std::array<std::uint32_t, 4> w{state[4 * i], state[4 * i + 1], state[4 * i + 2], state[4 * i + 3]};
    asm("" : "+r"(w[0]), "+r"(w[1]), "+r"(w[2]), "+r"(w[3]));
    if constexpr (kFront) {
      input[i] = Words::front_row(w[0], w[1], w[2], w[3]);
    } else {
      input[i] = Words::row(w[0], w[1], w[2], w[3]);
    }
  }
  return input;
}

/// Whether one block is made by words and not by rows. Both wait for one instruction after the other, of
/// which those of vectors take two cycles on Zen 5: there rows take 1.25 (ChaCha20) and 1.4 times as long
/// (Salsa20, 64 bytes, AVX-512). On Zen 4 the fastest public code for one block works by rows.
template <typename Words>
inline bool makes_block_by_words() noexcept {
  return Words::kRowSets == 0 || microarchitecture() == Microarchitecture::zen5;
}

/// One block or a part of one onto in, in the first quarters. A function of its own, so that its memory is no
/// part of what longer messages and AEADs use.
template <typename Core, typename Words>
[[gnu::noinline]] void xor_front(const State& state, const std::uint8_t* in, std::uint8_t* out,
                                 std::size_t bytes) noexcept {
  const std::array<Words, 4> input = rows_of<Core, Words, true>(state);
  std::array<Words, 4> x = input;
  Core::into_rounds(x);
  for (int i = 0; i < kDoubleRounds; ++i) Core::double_round_of_rows(x);
  Core::out_of_rounds(x);
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 4; ++i) x[i] = x[i] + input[i];
  if (bytes == kBlockBytes) {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < 4; ++i) {
      (Words::load_front(in + 16 * i) ^ x[i]).store_front(out + 16 * i);
    }
    return;
  }
  std::array<std::uint8_t, kBlockBytes> stream;
  const Wiped guard(stream);
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 4; ++i) x[i].store_front(stream.data() + 16 * i);
  xor_bytes(out, in, stream.data(), bytes);
}

/// kSets kQuarters blocks by their rows, the first of them `first` blocks ahead. The counters must have the
/// same high word.
template <typename Core, typename Words, std::size_t kSets>
class Rows {
  using Set = std::array<Words, 4>;

 public:
  [[gnu::always_inline]] Rows(const State& state, std::uint32_t first) noexcept
      : input_(rows_of<Core, Words, false>(state)) {
    Words& counters = input_[Core::kCounterWord / 4];
    counters = counters + Words::quarter_numbers() + Words::row(first, 0, 0, 0);
    CIPHERMARK_UNROLL
    for (std::size_t set = 0; set < kSets; ++set) {
      x_[set] = input_;
      x_[set][Core::kCounterWord / 4] = counters + ahead<Words>(set);
      Core::into_rounds(x_[set]);
    }
  }

  [[gnu::always_inline]] void double_round() noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t set = 0; set < kSets; ++set) Core::double_round_of_rows(x_[set]);
  }

  [[gnu::always_inline]] void put(Into sink) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t set = 0; set < kSets; ++set) {
      Core::out_of_rounds(x_[set]);
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < 4; ++i) x_[set][i] = x_[set][i] + input_[i];
      x_[set][Core::kCounterWord / 4] = x_[set][Core::kCounterWord / 4] + ahead<Words>(set);
      put_blocks<kBlockBytes>(x_[set].data(), sink, kQuarters<Words> * kBlockBytes * set);
    }
  }

 private:
  Set input_;
  std::array<Set, kSets> x_;
};

template <typename Core, typename Words, std::size_t kSets>
inline void rows(const State& state, Into sink) noexcept {
  Rows<Core, Words, kSets> blocks(state, 0);
  for (int i = 0; i < kDoubleRounds; ++i) blocks.double_round();
  blocks.put(sink);
}

/// A batch, and sets of rows behind it: their instructions are executed while the batch waits for its own.
template <typename Core, typename Words, std::size_t kSets>
inline void batch_and_rows(const State& state, Into sink) noexcept {
  const std::array<Words, 16> input = batch_of<Core, Words>(state);
  std::array<Words, 16> x = input;
  Rows<Core, Words, kSets> behind(state, Words::kLanes);
  for (int i = 0; i < kDoubleRounds; ++i) {
    Core::double_round(x);
    behind.double_round();
  }
  put_batch(x, input, sink);
  behind.put({sink.stream + Words::kLanes * kBlockBytes});
}

/// How many blocks can be made at a time.
template <typename Words>
inline constexpr std::size_t kMostBlocks = (Words::kFitsTwoBatches ? 2 : 1) * Words::kLanes;

/// More sets of rows behind a batch take as long as a second batch.
inline constexpr std::size_t kMostSetsBehind = 2;

/// At least `blocks` blocks out of 1 to Words::kLanes, by as many sets of rows as pay or a whole batch.
/// Returns how many.
template <typename Core, typename Words, std::size_t kSets = 1>
inline std::size_t rows_or_batch(const State& state, Into sink, std::size_t blocks) noexcept {
  if constexpr (kSets > Words::kRowSets) {
    batch<Core, Words>(state, sink);
    return Words::kLanes;
  } else if (blocks <= kSets * kQuarters<Words>) {
    rows<Core, Words, kSets>(state, sink);
    return kSets * kQuarters<Words>;
  } else {
    return rows_or_batch<Core, Words, kSets + 1>(state, sink, blocks);
  }
}

/// The same for more blocks, up to kMostBlocks: as many sets of rows behind a batch as pay, or two batches.
template <typename Core, typename Words, std::size_t kBehind = 1>
inline std::size_t batch_and_more(const State& state, Into sink, std::size_t blocks) noexcept {
  if constexpr (kBehind > kMostSetsBehind) {
    two_batches<Core, Words>(state, sink);
    return 2 * Words::kLanes;
  } else {
    constexpr std::size_t kMade = Words::kLanes + kBehind * kQuarters<Words>;
    if (blocks > kMade) return batch_and_more<Core, Words, kBehind + 1>(state, sink, blocks);
    batch_and_rows<Core, Words, kBehind>(state, sink);
    return kMade;
  }
}

/// Whether the low word of the counter stays below 2^32 through so many blocks more.
template <typename Core>
inline bool fit(const State& state, std::size_t blocks) noexcept {
  return state[Core::kCounterWord] <= 0xffffffff - static_cast<std::uint32_t>(blocks - 1);
}

/// One block or a part of one onto in.
template <typename Core, typename Input>
[[gnu::always_inline]] inline void xor_block(const Input& input, const std::uint8_t* in, std::uint8_t* out,
                                             std::size_t bytes) noexcept {
  State stream;
  const Wiped guard(stream);
  block<Core>(input, stream);
  if (bytes == kBlockBytes) {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < stream.size(); ++i) {
      store_le(out + 4 * i, load_le<std::uint32_t>(in + 4 * i) ^ stream[i]);
    }
    return;
  }
  auto* const stream_bytes = reinterpret_cast<std::uint8_t*>(stream.data());
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < stream.size(); ++i) store_le(stream_bytes + 4 * i, stream[i]);
  xor_bytes(out, in, stream_bytes, bytes);
}

template <typename Core>
inline void xor_single_blocks(State& state, const std::uint8_t* in, std::uint8_t* out,
                              std::size_t bytes) noexcept {
  const auto input = [&state](std::size_t i) { return state[i]; };
  for (std::size_t at = 0; at < bytes; at += kBlockBytes) {
    xor_block<Core>(input, in + at, out + at, std::min(kBlockBytes, bytes - at));
    advance<Core>(state, 1);
  }
}

/// Up to so many bytes are worth single blocks: where rows do not pay, two take about as long as a batch.
template <typename Words>
inline constexpr std::size_t kWorthSingleBlocks = Words::kRowSets > 0 ? 0 : 2 * kBlockBytes;

/// The next blocks of the keystream in memory of their own. The low word of the counter stays below 2^32.
template <typename Core, typename Words>
class Front {
 public:
  static constexpr std::size_t kMostBlocks = keystream::kMostBlocks<Words>;

  /// 1 <= blocks <= kMostBlocks. The counter is left behind them.
  Front(State& state, std::size_t blocks) noexcept {
    if constexpr (Words::kLanes > 1) {
      if (blocks * kBlockBytes > kWorthSingleBlocks<Words>) {
        made_ = make(state, blocks) * kBlockBytes;
        advance<Core>(state, static_cast<std::uint32_t>(blocks));
        return;
      }
    }
    made_ = blocks * kBlockBytes;
    std::fill_n(stream_.data(), made_, std::uint8_t{0});
    xor_single_blocks<Core>(state, stream_.data(), stream_.data(), made_);
  }
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;
  ~Front() { wipe(stream_.data(), made_); }

  const std::uint8_t* data() const noexcept { return stream_.data(); }

  /// XORs the keystream from byte `from` onto in.
  void xor_onto(std::size_t from, const std::uint8_t* in, std::uint8_t* out,
                std::size_t bytes) const noexcept {
    const std::uint8_t* stream = stream_.data() + from;
    if constexpr (Words::kLanes > 1) {
      constexpr std::size_t kBytes = 4 * Words::kLanes;
      for (; bytes >= kBytes; bytes -= kBytes, in += kBytes, out += kBytes, stream += kBytes) {
        Onto{in, out}.put(0, Words::load(stream));
      }
    }
    xor_bytes(out, in, stream, bytes);
  }

 private:
  std::size_t make(const State& state, std::size_t blocks) noexcept {
    const Into sink{stream_.data()};
    if constexpr (Words::kFitsTwoBatches) {
      if (blocks > Words::kLanes) return batch_and_more<Core, Words>(state, sink, blocks);
    }
    return rows_or_batch<Core, Words>(state, sink, blocks);
  }

  std::size_t made_;
  // Not set before: all that is read has been written.
  std::array<std::uint8_t, kMostBlocks * kBlockBytes> stream_;
};

/// XORs the keystream that begins at the block counter of `state` onto in; the counter is left behind the
/// last block, whether that was whole or not.
template <typename Core, typename Words>
inline void xor_keystream(State& state, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t bytes) noexcept {
  if constexpr (Words::kLanes > 1) {
    constexpr auto kMost = static_cast<std::uint32_t>(kMostBlocks<Words>);
    constexpr std::size_t kMostBytes = kMost * kBlockBytes;
    for (; bytes >= kMostBytes; in += kMostBytes, out += kMostBytes, bytes -= kMostBytes) {
      if (!fit<Core>(state, kMost)) {
        xor_single_blocks<Core>(state, in, out, kMostBytes);
        continue;
      }
      if constexpr (Words::kFitsTwoBatches) {
        two_batches<Core, Words>(state, Onto{in, out});
      } else {
        batch<Core, Words>(state, Onto{in, out});
      }
      advance<Core>(state, kMost);
    }
    if constexpr (Words::kFitsTwoBatches) {
      if (bytes == Words::kLanes * kBlockBytes && fit<Core>(state, Words::kLanes)) {
        batch<Core, Words>(state, Onto{in, out});
        return advance<Core>(state, Words::kLanes);
      }
    }
    if constexpr (Words::kRowSets > 0) {
      if (bytes <= kBlockBytes) {
        if (bytes == 0 || makes_block_by_words<Words>())
          return xor_single_blocks<Core>(state, in, out, bytes);
        xor_front<Core, Words>(state, in, out, bytes);
        return advance<Core>(state, 1);
      }
    }
    if (bytes > kWorthSingleBlocks<Words> && fit<Core>(state, kMostBlocks<Words>)) {
      const Front<Core, Words> front(state, (bytes + kBlockBytes - 1) / kBlockBytes);
      front.xor_onto(0, in, out, bytes);
      return;
    }
  }
  xor_single_blocks<Core>(state, in, out, bytes);
}

/// A message of one block or less, without a copy of the state (Zen 5, Salsa20, 64 bytes: 71 nanoseconds in
/// place of 76; 30 November 2026).
template <typename Core>
[[gnu::noinline]] void xor_short_message(const State& keyed, const std::uint8_t* nonce,
                                         const std::uint8_t* in, std::uint8_t* out,
                                         std::size_t bytes) noexcept {
  const auto input = [&keyed, nonce](std::size_t i) {
    const std::size_t place = i - Core::kNonceWord;
    return place < Core::kNonceWords ? load_le<std::uint32_t>(nonce + 4 * place) : keyed[i];
  };
  xor_block<Core>(input, in, out, bytes);
}

/// A whole stream cipher, one message at a time from block 0.
template <typename Core, std::size_t kKeyBits, typename Words>
class Cipher {
 public:
  static constexpr std::size_t kKeyBytes = kKeyBits / 8;
  static constexpr std::size_t kNonceBytes = 4 * Core::kNonceWords;
  static constexpr std::size_t kBlockBytes = keystream::kBlockBytes;
  static constexpr bool kWholeBlocksOnly = false;
  /// The counter must not repeat: 2^32 blocks are 256 GiB; 2^64 blocks are out of reach.
  static constexpr std::uint64_t kMaxMessageBytes =
      Core::kCounterWords == 1 ? std::uint64_t{kBlockBytes} << 32 : kNoMessageLimit;

  Status set_key(Bytes key) noexcept {
    Core::template load_key<kKeyBytes>(key.data(), keyed_);
    return Status::ok;
  }

  void encrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    if constexpr (!kForSize) {
      if (bytes > 0 && bytes <= kBlockBytes && makes_block_by_words<Words>()) {
        return xor_short_message<Core>(keyed_, nonce, in, out, bytes);
      }
    }
    State state = start<Core>(keyed_, nonce, 0);
    const Wiped guard(state);
    xor_keystream<Core, Words>(state, in, out, bytes);
  }

  void decrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    encrypt(nonce, in, out, bytes);
  }

 private:
  State keyed_;
};

/// "expand 32-byte k" or "expand 16-byte k" as words: the constants by which both ciphers separate the two
/// key lengths.
template <std::size_t kKeyBytes>
inline constexpr std::array<std::uint32_t, 4> kConstants{
    0x61707865, kKeyBytes == 32 ? 0x3320646eU : 0x3120646eU, kKeyBytes == 32 ? 0x79622d32U : 0x79622d36U,
    0x6b206574};

/// Word i of eight; a key of 16 bytes is taken twice.
template <std::size_t kKeyBytes>
inline std::uint32_t key_word(const std::uint8_t* key, std::size_t i) noexcept {
  static_assert(kKeyBytes == 16 || kKeyBytes == 32);
  return load_le<std::uint32_t>(key + 4 * i % kKeyBytes);
}

}  // namespace keystream
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
