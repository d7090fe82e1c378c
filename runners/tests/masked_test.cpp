// Every form of every masked variant of the linked provider with every generator, the border around them, and
// the options that select them.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/failure.h"
#include "known_answers/genkat.h"
#include "known_answers/known_answers.h"
#include "masked/randomness.h"
#include "provider/keyed.h"
#include "provider/masking.h"
#include "provider_cases.h"

namespace ciphermark::testing {
namespace {

/// Where each byte takes long, under sanitizers and emulators, published files of 1089 vectors are left to
/// one form of each variant, and generators other than the first to one length.
#if defined(CIPHERMARK_FEWER_TESTS)
constexpr bool kEverything = false;
#else
constexpr bool kEverything = true;
#endif

std::vector<Case> masked_cases() {
  std::vector<Case> cases = available_cases();
  std::erase_if(cases, [](const Case& tested) { return tested->masked_forms.empty(); });
  return cases;
}

std::string place(const Implementation& form) {
  return std::to_string(form.masked_forms.front().shares) + " shares, " +
         std::string(degree_name(form.masked_forms.front().degree));
}

/// The forms of one variant, each as an implementation.
std::vector<Implementation> forms_of(const Implementation& implementation) {
  std::vector<Implementation> forms;
  for (const MaskedForm& form : implementation.masked_forms) forms.push_back(with_form(implementation, form));
  return forms;
}

void use_first_generator() { masked::use_generator(masked::generator_kinds().front().make()); }

struct Sealed {
  Buffer key;
  Buffer nonce;
  Buffer data;
  Buffer plaintext;
  Buffer ciphertext;
};

/// Key and nonce differ, because published vectors of some ciphers have the same bytes in both.
Sealed message_of(const Implementation& unmasked, std::size_t bytes) {
  Sealed made{pattern(unmasked.key_bytes, 2 * bytes + 1), pattern(unmasked.nonce_bytes, 2 * bytes + 2),
              pattern(bytes % 19, bytes + 3), pattern(bytes, bytes + 4), Buffer(bytes + unmasked.tag_bytes)};
  Keyed keyed(unmasked);
  EXPECT_EQ(keyed.key_setup(made.key), Status::ok);
  EXPECT_EQ(keyed.encrypt(made.nonce, made.data, made.plaintext, made.ciphertext), Status::ok);
  return made;
}

/// Encrypts, decrypts, and refuses a message of which a bit was changed.
void expect_same(const Implementation& form, const Sealed& expected) {
  Keyed keyed(form);
  ASSERT_EQ(keyed.key_setup(expected.key), Status::ok);
  Buffer out(expected.ciphertext.size(), 0xa5);
  ASSERT_EQ(keyed.encrypt(expected.nonce, expected.data, expected.plaintext, out), Status::ok);
  ASSERT_TRUE(out == expected.ciphertext);
  Buffer back(expected.plaintext.size(), 0x5a);
  ASSERT_EQ(keyed.decrypt(expected.nonce, expected.data, out, back), Status::ok);
  ASSERT_TRUE(back == expected.plaintext);
  for (const std::size_t byte : {std::size_t{0}, out.size() - 1}) {
    out[byte] ^= 0x10;
    std::ranges::fill(back, std::uint8_t{0xff});
    ASSERT_EQ(keyed.decrypt(expected.nonce, expected.data, out, back), Status::authentication_failed);
    ASSERT_TRUE(back == Buffer(back.size(), 0)) << "plaintext was released";
    out[byte] ^= 0x10;
  }
}

class Masked : public ::testing::TestWithParam<Case> {
 protected:
  void TearDown() override { use_first_generator(); }
};

TEST_P(Masked, IsNeverTheDefault) {
  EXPECT_TRUE(default_implementation(GetParam()->algorithm)->masked_forms.empty());
}

TEST_P(Masked, EveryFormPassesTheKnownAnswers) {
  const std::string_view text = known_answer_text(GetParam()->algorithm);
  const std::vector<KnownAnswer> answers = parse_known_answers(text);
  const std::optional<Genkat> genkat = parse_genkat(text);
  bool first = true;
  for (const Implementation& form : forms_of(*GetParam())) {
    SCOPED_TRACE(place(form));
    for (const KnownAnswer& answer : answers) EXPECT_EQ(check_known_answer(form, answer).complaint, "");
    if (genkat && (first || kEverything)) {
      EXPECT_EQ(check_genkat(*genkat, genkat_text(form, genkat->rule)), "");
    }
    first = false;
  }
}

TEST_P(Masked, EveryFormAgreesWithTheUnmaskedCipherAtEveryLength) {
  const Implementation& unmasked = *default_implementation(GetParam()->algorithm);
  for (std::size_t bytes = 0; bytes <= 4 * unmasked.block_bytes + 1; ++bytes) {
    const Sealed expected = message_of(unmasked, bytes);
    for (const Implementation& form : forms_of(*GetParam())) {
      SCOPED_TRACE(place(form) + ", " + std::to_string(bytes) + " bytes");
      expect_same(form, expected);
    }
  }
}

TEST_P(Masked, EveryGeneratorGivesTheSameMessages) {
  const Implementation& unmasked = *default_implementation(GetParam()->algorithm);
  for (const masked::GeneratorKind& kind : masked::generator_kinds()) {
    if (!kind.unavailable_reason().empty()) continue;
    SCOPED_TRACE(kind.name);
    masked::use_generator(kind.make());
    // Real time passes with the generator of the Arduino Due: a second for 4 MB.
    const std::size_t blocks = kEverything && kind.name != "trng84" ? 4 : 1;
    for (std::size_t bytes = 1; bytes <= blocks * unmasked.block_bytes + 1; bytes += unmasked.block_bytes) {
      const Sealed expected = message_of(unmasked, bytes);
      for (const Implementation& form : forms_of(*GetParam())) {
        if (kind.name == "trng84" && form.masked_forms.front().shares > 2) continue;
        SCOPED_TRACE(place(form) + ", " + std::to_string(bytes) + " bytes");
        expect_same(form, expected);
      }
    }
  }
}

// ---- What is drawn ----

/// Counts what it delivers; fails when it has delivered as many batches as it may.
class CountingGenerator : public masked::Generator {
 public:
  explicit CountingGenerator(std::size_t batches) : left_(batches) {}
  bool begin_packet() override { return left_ > 0; }
  bool fill(MutableBytes out) override {
    if (left_ == 0) return false;
    --left_;
    for (std::uint8_t& byte : out) byte = static_cast<std::uint8_t>(delivered_++ * 151);
    return true;
  }
  [[nodiscard]] std::size_t batch_bytes() const override { return 64; }

 private:
  std::size_t left_;
  std::size_t delivered_ = 0;
};

std::uint64_t bytes_of_a_message(const Implementation& form, std::size_t bytes) {
  Keyed keyed(form);
  EXPECT_EQ(keyed.key_setup(pattern(form.key_bytes, 1)), Status::ok);
  Buffer out(bytes + form.tag_bytes);
  const std::uint64_t before = masked::taken_bytes();
  EXPECT_EQ(keyed.encrypt(pattern(form.nonce_bytes, 2), {}, pattern(bytes, 3), out), Status::ok);
  return masked::taken_bytes() - before;
}

TEST_P(Masked, TakesRandomBytesForEveryPairOfShares) {
  for (const Implementation& form : forms_of(*GetParam())) {
    SCOPED_TRACE(place(form));
    const std::size_t shares = form.masked_forms.front().shares;
    const std::uint64_t with_two = bytes_of_a_message(forms_of(*GetParam()).front(), 16);
    const std::uint64_t taken = bytes_of_a_message(form, 16);
    EXPECT_GT(taken, 0U);
    // Multiplications take one word for each pair, and the key takes one for each share but the first.
    if (form.masked_forms.front().degree == GetParam()->masked_forms.front().degree) {
      EXPECT_LE(taken, with_two * shares * (shares - 1) / 2);
      EXPECT_GE(2 * taken, with_two * shares * (shares - 1) / 2);
    }
  }
}

// A generator that fails while a message is processed, at each of its batches in turn.
TEST_P(Masked, FailingGeneratorEndsTheMessageWithoutOutput) {
  for (const Implementation& form : forms_of(*GetParam())) {
    if (form.masked_forms.front().shares > 3) continue;
    SCOPED_TRACE(place(form));
    const std::size_t bytes = form.block_bytes + 3;
    use_first_generator();
    const Sealed expected = message_of(*default_implementation(form.algorithm), bytes);
    const std::size_t needed = static_cast<std::size_t>(bytes_of_a_message(form, bytes)) / 64 + 2;
    std::size_t refused = 0;
    for (std::size_t batches = 1; batches <= needed; batches += kEverything ? 1 : 7) {
      Keyed keyed(form);
      use_first_generator();
      ASSERT_EQ(keyed.key_setup(expected.key), Status::ok);
      for (const bool encrypts : {true, false}) {
        masked::use_generator(std::make_unique<CountingGenerator>(batches));
        Buffer out(encrypts ? expected.ciphertext.size() : bytes, 0xff);
        const Status status = encrypts
                                  ? keyed.encrypt(expected.nonce, expected.data, expected.plaintext, out)
                                  : keyed.decrypt(expected.nonce, expected.data, expected.ciphertext, out);
        if (status == Status::ok) continue;
        ++refused;
        ASSERT_EQ(status, Status::internal_error);
        ASSERT_TRUE(out == Buffer(out.size(), 0)) << "something was released after " << batches << " batches";
      }
    }
    // One batch is never enough, neither to encrypt nor to decrypt; forms that draw little have enough with
    // two.
    EXPECT_GE(refused, 2U);
  }
}

TEST_P(Masked, FailingGeneratorLeavesNoKey) {
  Keyed keyed(*GetParam());
  masked::use_generator(std::make_unique<CountingGenerator>(0));
  EXPECT_EQ(keyed.key_setup(pattern(GetParam()->key_bytes, 1)), Status::internal_error);
}

// The same message twice: the context has new shares after each.
TEST_P(Masked, SharesOfTheKeyChangeWithEveryMessage) {
  const Implementation& tested = *GetParam();
  const auto context = static_cast<std::uint8_t*>(
      ::operator new (tested.context_bytes, std::align_val_t{tested.context_align}));
  const auto copy = [&] { return Buffer(context, context + tested.context_bytes); };
  ASSERT_EQ(tested.key_setup(context, pattern(tested.key_bytes, 1)), Status::ok);
  Buffer before = copy();
  Buffer out(16 + tested.tag_bytes);
  for (int message = 0; message < 3; ++message) {
    ASSERT_EQ(tested.encrypt(context, pattern(tested.nonce_bytes, 2), {}, pattern(16, 3), out), Status::ok);
    const Buffer after = copy();
    EXPECT_FALSE(after == before) << message;
    before = after;
  }
  tested.forget(context);
  ::operator delete (context, std::align_val_t{tested.context_align});
}

INSTANTIATE_TEST_SUITE_P(Provider, Masked, ::testing::ValuesIn(masked_cases()),
                         case_name<::testing::TestParamInfo<Case>>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Masked);

// ---- Options ----

class Options : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::vector<Case> cases = masked_cases();
    if (cases.empty()) GTEST_SKIP() << "this provider masks nothing";
    tested_ = cases.front().implementation;
  }
  void TearDown() override { use_first_generator(); }

  void expect_usage(const MaskingOptions& options, std::string_view part) {
    try {
      static_cast<void>(select_masking(*tested_, options));
      ADD_FAILURE() << "accepted";
    } catch (const Failure& failure) {
      EXPECT_EQ(exit_code(failure.kind()), 2);
      EXPECT_NE(std::string_view(failure.what()).find(part), std::string_view::npos) << failure.what();
    }
  }

  const Implementation* tested_ = nullptr;
};

TEST_F(Options, WrongValuesAreRefusedWithTheList) {
  // Builds for tests may have fewer forms than up to 6 shares.
  const std::size_t most = tested_->masked_forms.back().shares;
  std::string all = "2";
  for (std::size_t shares = 3; shares <= most; ++shares) all += ", " + std::to_string(shares);
  for (const char* wrong : {"7", "1", "02", "-3"}) expect_usage({wrong, "full", "free"}, all);
  expect_usage({"3", "most", "free"}, "full");
  expect_usage({"3", "full", "dice"}, "chacha20, free, system, trng84, aes-ctr");
  expect_usage({{}, "full", "free"}, "--shares is absent");
  expect_usage({"3", {}, "free"}, "--masking is absent");
  expect_usage({"3", "full", {}}, "--generator is absent");
}

TEST_F(Options, SelectTheFormAndTheGenerator) {
  const Implementation selected = select_masking(*tested_, {"3", "full", "free"});
  ASSERT_EQ(selected.masked_forms.size(), 1U);
  EXPECT_EQ(selected.masked_forms.front().shares, 3U);
  EXPECT_EQ(selected.masked_forms.front().degree, MaskingDegree::full);
  EXPECT_EQ(selected.encrypt, selected.masked_forms.front().encrypt);
  EXPECT_EQ(generator_name(), "free");
}

TEST_F(Options, AreRefusedForAVariantThatIsNotMasked) {
  const Implementation& unmasked = *default_implementation(tested_->algorithm);
  EXPECT_TRUE(select_masking(unmasked, {}).masked_forms.empty());
  tested_ = &unmasked;
  expect_usage({"3", "full", "free"}, "is not masked; masked variants of it: masked");
  expect_usage({{}, {}, "free"}, "is not masked");
}

// ---- Generators ----

TEST(Generators, DoNotRepeatThemselves) {
  for (const masked::GeneratorKind& kind : masked::generator_kinds()) {
    if (!kind.unavailable_reason().empty()) continue;
    const std::unique_ptr<masked::Generator> generator = kind.make();
    std::vector<Buffer> batches;
    for (int packet = 0; packet < 80; ++packet) {
      ASSERT_TRUE(generator->begin_packet()) << kind.name;
      for (int batch = 0; batch < 2; ++batch) {
        ASSERT_TRUE(generator->fill(batches.emplace_back(generator->batch_bytes()))) << kind.name;
      }
    }
    std::ranges::sort(batches);
    EXPECT_EQ(std::ranges::adjacent_find(batches), batches.end()) << kind.name;
    EXPECT_NE(batches.front(), Buffer(generator->batch_bytes(), 0)) << kind.name;
  }
}

TEST(Generators, TwoOfAKindDiffer) {
  for (const masked::GeneratorKind& kind : masked::generator_kinds()) {
    if (!kind.unavailable_reason().empty() || kind.name == "free") continue;
    std::array<Buffer, 2> first;
    for (Buffer& batch : first) {
      const std::unique_ptr<masked::Generator> generator = kind.make();
      batch.resize(generator->batch_bytes());
      ASSERT_TRUE(generator->begin_packet() && generator->fill(batch));
    }
    EXPECT_NE(first[0], first[1]) << kind.name;
  }
}

TEST(Generators, DrawingTakesTimeAndLeavesTheCount) {
  use_first_generator();
  const std::uint64_t before = masked::taken_bytes();
  EXPECT_GT(masked::drawing_wall_ns(100000, 3), 0);
  EXPECT_EQ(masked::taken_bytes(), before);
}

}  // namespace
}  // namespace ciphermark::testing
