// Functions that take a known amount of stack must be found to take it.
#include "measure/painted_stack.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>

namespace ciphermark::testing {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

/// Writes an array of this size on its stack.
template <std::size_t kBytes>
[[gnu::noinline]] void take(std::uint8_t value) {
  std::array<std::uint8_t, kBytes> bytes;
  for (volatile std::uint8_t& byte : bytes) byte = value;
}

class PaintedStackTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "a sanitizer moves arrays away from the stack";
  }

  /// Above what changing stacks takes.
  std::size_t taken(const std::function<void()>& call) {
    return stack_.high_water_bytes(call) - stack_.high_water_bytes([] {});
  }

  PaintedStack stack_;
};

TEST_F(PaintedStackTest, FindsAnArrayWithinItsFrame) {
  constexpr std::size_t kFrame = 256;
  const std::size_t bytes = taken([] { take<10240>(1); });
  EXPECT_GE(bytes, 10240U);
  EXPECT_LE(bytes, 10240U + kFrame);
  EXPECT_LE(taken([] { take<100>(1); }), 100U + kFrame);
}

TEST_F(PaintedStackTest, IsNotDeceivedByACallThatWritesThePaint) {
  for (unsigned value = 0; value < 256; ++value) {
    EXPECT_GE(taken([value] { take<4096>(static_cast<std::uint8_t>(value)); }), 4096U) << value;
  }
}

TEST_F(PaintedStackTest, RemembersNothingOfADeeperCallBefore) {
  const std::size_t shallow = stack_.high_water_bytes([] { take<64>(1); });
  EXPECT_GT(stack_.high_water_bytes([] { take<65536>(1); }), 65536U);
  EXPECT_EQ(stack_.high_water_bytes([] { take<64>(1); }), shallow);
}

TEST_F(PaintedStackTest, CountsNotWhatTheDynamicLinkerTakesOnce) {
  // Resolving a function stores all vector registers: more than 512 bytes on x86-64. Nothing else here calls
  // this one.
  volatile long sink = 0;
  const auto call = [&sink] { sink = a64l("ciphermark"); };
  const std::size_t first = stack_.high_water_bytes(call);
  EXPECT_EQ(stack_.high_water_bytes(call), first);
}

}  // namespace
}  // namespace ciphermark::testing
