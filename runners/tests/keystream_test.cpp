// The block counters of ChaCha20 and Salsa20, far behind what a vector can reach.

#include "modes/keystream.h"

#include <gtest/gtest.h>

#include <utility>

#include "ciphers/stream/chacha20/cipher.h"
#include "ciphers/stream/salsa20/cipher.h"
#include "provider_cases.h"

namespace ciphermark::testing {
namespace {

using keystream::State;

/// Four lanes in portable code, so that the ways of batches and rows are executed on every processor.
template <std::size_t kSets, bool kTwoBatches = false>
struct FourLanes {
  static constexpr std::size_t kLanes = 4;
  static constexpr std::size_t kRowSets = kSets;
  static constexpr bool kFitsTwoBatches = kTwoBatches;
  std::array<std::uint32_t, kLanes> lanes;

  static FourLanes broadcast(std::uint32_t word) { return {{word, word, word, word}}; }
  static FourLanes lane_numbers() { return {{0, 1, 2, 3}}; }
  friend FourLanes operator+(FourLanes a, const FourLanes& b) {
    for (std::size_t i = 0; i < kLanes; ++i) a.lanes[i] += b.lanes[i];
    return a;
  }
  friend FourLanes operator^(FourLanes a, const FourLanes& b) {
    for (std::size_t i = 0; i < kLanes; ++i) a.lanes[i] ^= b.lanes[i];
    return a;
  }
  template <int kBits>
  friend FourLanes rotate_left(FourLanes a) {
    for (std::uint32_t& word : a.lanes) word = std::rotl(word, kBits);
    return a;
  }
  static void transpose_quarters(FourLanes* rows) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      for (std::size_t j = 0; j < i; ++j) std::swap(rows[i].lanes[j], rows[j].lanes[i]);
    }
  }
  /// The four rows are one block already.
  static void gather_quarters(FourLanes*) {}
  static FourLanes load(const std::uint8_t* from) {
    FourLanes words;
    for (std::size_t i = 0; i < kLanes; ++i) words.lanes[i] = load_le<std::uint32_t>(from + 4 * i);
    return words;
  }
  void store(std::uint8_t* to) const {
    for (std::size_t i = 0; i < kLanes; ++i) store_le(to + 4 * i, lanes[i]);
  }

  static FourLanes row(const std::uint32_t* words) { return row(words[0], words[1], words[2], words[3]); }
  static FourLanes row(std::uint32_t w0, std::uint32_t w1, std::uint32_t w2, std::uint32_t w3) {
    return {{w0, w1, w2, w3}};
  }
  /// The register has one quarter, which is also the first.
  static FourLanes front_row(std::uint32_t w0, std::uint32_t w1, std::uint32_t w2, std::uint32_t w3) {
    return row(w0, w1, w2, w3);
  }
  static FourLanes load_front(const std::uint8_t* from) { return load(from); }
  void store_front(std::uint8_t* to) const { store(to); }
  static FourLanes quarter_numbers() { return broadcast(0); }
  static FourLanes diagonal(const FourLanes& x0, const FourLanes& x1, const FourLanes& x2,
                            const FourLanes& x3) {
    return {{x0.lanes[0], x1.lanes[1], x2.lanes[2], x3.lanes[3]}};
  }
  template <int kPlaces>
  friend FourLanes turned(FourLanes a) {
    std::rotate(a.lanes.begin(), a.lanes.end() - kPlaces, a.lanes.end());
    return a;
  }
};

/// The state with the 64-bit or 32-bit counter set to where it must be after `blocks` blocks.
template <typename Core>
State moved(State state, std::uint64_t blocks) {
  std::uint64_t counter = state[Core::kCounterWord];
  if (Core::kCounterWords == 2) counter += std::uint64_t{state[Core::kCounterWord + 1]} << 32;
  counter += blocks;
  state[Core::kCounterWord] = static_cast<std::uint32_t>(counter);
  if (Core::kCounterWords == 2) state[Core::kCounterWord + 1] = static_cast<std::uint32_t>(counter >> 32);
  return state;
}

template <typename Core>
class Keystream : public ::testing::Test {
 protected:
  static constexpr std::size_t kBlocks = 11;

  /// So many blocks before the low word of the counter wraps.
  static State near_the_wrap(std::uint32_t blocks) {
    State state;
    for (std::size_t i = 0; i < state.size(); ++i) state[i] = static_cast<std::uint32_t>(0x01010101 * i);
    state[Core::kCounterWord] = 0 - blocks;
    return state;
  }

  static Buffer expected(const State& first, std::size_t bytes) {
    Buffer stream;
    for (std::uint64_t i = 0; i < kBlocks + 1; ++i) {
      const State input = moved<Core>(first, i);
      State block;
      keystream::block<Core>([&input](std::size_t word) { return input[word]; }, block);
      for (const std::uint32_t word : block) {
        for (int shift = 0; shift < 32; shift += 8)
          stream.push_back(static_cast<std::uint8_t>(word >> shift));
      }
    }
    stream.resize(bytes);
    return stream;
  }

  template <typename Words>
  static void check() {
    // Inside the second batch of four, and behind it.
    for (const std::uint32_t blocks : {6U, 10U}) {
      const State first = near_the_wrap(blocks);
      for (const std::size_t bytes :
           {1U, 64U, 65U, 128U, 192U, 256U, 320U, 384U, 400U, 511U, 512U, 513U, 576U, 704U}) {
        Buffer stream(bytes);
        State state = first;
        keystream::xor_keystream<Core, Words>(state, stream.data(), stream.data(), bytes);
        EXPECT_EQ(stream, expected(first, bytes)) << bytes;
        EXPECT_EQ(state, moved<Core>(first, (bytes + 63) / 64)) << bytes;
      }
    }
  }
};

using Cores = ::testing::Types<chacha20::Original, chacha20::Ietf, salsa20::Core>;
TYPED_TEST_SUITE(Keystream, Cores);

// RFC 8439's counter of 32 bits may not run into the nonce; the others' counter of 64 bits must carry.
TYPED_TEST(Keystream, CounterWrapsOrCarriesBlockByBlock) {
  TestFixture::template check<keystream::OneBlock>();
}

TYPED_TEST(Keystream, CounterWrapsOrCarriesInBatches) { TestFixture::template check<FourLanes<0>>(); }

TYPED_TEST(Keystream, CounterWrapsOrCarriesInRows) { TestFixture::template check<FourLanes<2>>(); }

TYPED_TEST(Keystream, CounterWrapsOrCarriesInTwoBatches) {
  TestFixture::template check<FourLanes<2, true>>();
}

}  // namespace
}  // namespace ciphermark::testing
