// Known answers: every vector of vectors/*.vec on every implementation of the linked provider.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "known_answers/genkat.h"
#include "known_answers/known_answers.h"
#include "provider/keyed.h"
#include "provider_cases.h"

namespace ciphermark::testing {
namespace {

std::vector<KnownAnswer> answers_of(const Implementation& implementation) {
  return parse_known_answers(known_answer_text(implementation.algorithm));
}

std::string place(const Implementation& implementation, const KnownAnswer& answer) {
  return std::string(implementation.algorithm) + ".vec line " + std::to_string(answer.line);
}

class KnownAnswers : public ::testing::TestWithParam<Case> {};

TEST_P(KnownAnswers, VectorsMatch) {
  for (const KnownAnswer& answer : answers_of(*GetParam())) {
    EXPECT_EQ(check_known_answer(*GetParam(), answer).complaint, "") << place(*GetParam(), answer);
  }
}

TEST_P(KnownAnswers, VectorsMatchAtUnalignedAddresses) {
  const Implementation& implementation = *GetParam();
  Keyed keyed(implementation);
  for (const KnownAnswer& answer : answers_of(implementation)) {
    if (answer.expectation != Expectation::match || answer.offset != 0) continue;
    for (std::size_t padding = 1; padding < 8; padding += 2) {
      Unaligned key(answer.key, padding), nonce(answer.nonce, padding), data(answer.associated_data, padding);
      Unaligned in(answer.plaintext, padding), sealed(answer.ciphertext.size(), 8 - padding);
      Unaligned opened(answer.plaintext.size(), padding);
      ASSERT_EQ(keyed.key_setup(key.bytes()), Status::ok);
      ASSERT_EQ(keyed.encrypt(nonce.bytes(), data.bytes(), in.bytes(), sealed.bytes()), Status::ok);
      EXPECT_TRUE(std::ranges::equal(sealed.bytes(), answer.ciphertext)) << place(implementation, answer);
      ASSERT_EQ(keyed.decrypt(nonce.bytes(), data.bytes(), sealed.bytes(), opened.bytes()), Status::ok);
      EXPECT_TRUE(std::ranges::equal(opened.bytes(), answer.plaintext)) << place(implementation, answer);
    }
  }
}

TEST_P(KnownAnswers, HaveThreeAnswersAndThreeRejections) {
  const std::vector<KnownAnswer> answers = answers_of(*GetParam());
  const auto matches = std::ranges::count(answers, Expectation::match, &KnownAnswer::expectation);
  EXPECT_GE(matches, 3);
  EXPECT_GE(std::ssize(answers) - matches, 3);
}

// The gate itself must be able to refuse: a vector with one wrong bit is reported, whichever field it is in.
TEST_P(KnownAnswers, ChangedVectorIsReported) {
  for (KnownAnswer answer : answers_of(*GetParam())) {
    if (answer.expectation != Expectation::match || answer.plaintext.empty()) continue;
    for (Buffer* field : {&answer.plaintext, &answer.ciphertext}) {
      field->back() ^= 0x80;
      EXPECT_NE(check_known_answer(*GetParam(), answer).complaint, "") << place(*GetParam(), answer);
      field->back() ^= 0x80;
    }
  }
}

TEST_P(KnownAnswers, GeneratedFileMatchesAndWrongDigestIsReported) {
  std::optional<Genkat> genkat = parse_genkat(known_answer_text(GetParam()->algorithm));
  if (!genkat) GTEST_SKIP() << "no published file of genkat_aead";
  const std::string text = genkat_text(*GetParam(), genkat->rule);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1089 * 7);
  EXPECT_EQ(check_genkat(*genkat, text), "");
  genkat->sha256.back() = genkat->sha256.back() == '0' ? '1' : '0';
  EXPECT_NE(check_genkat(*genkat, text), "");
}

TEST(GenkatLine, IsParsedNextToVectorsAndIsNoVector) {
  const std::string digest(64, 'A');
  const std::string text = "# origin\nGenkat = sp800-232 " + digest + "\n\nKey = 00\nCT = 01\n";
  const std::optional<Genkat> genkat = parse_genkat(text);
  ASSERT_TRUE(genkat.has_value());
  EXPECT_EQ(genkat->rule, GenkatRule::sp800_232);
  EXPECT_EQ(genkat->sha256, std::string(64, 'a'));
  const auto answers = parse_known_answers(text);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].line, 4U);
  EXPECT_FALSE(parse_genkat("Key = 00\n").has_value());
}

TEST(GenkatLine, MalformedLineIsRejected) {
  const std::string digest(64, 'a');
  EXPECT_THROW((void)parse_genkat("Genkat = newest " + digest), std::invalid_argument);
  EXPECT_THROW((void)parse_genkat("Genkat = classic"), std::invalid_argument);
  EXPECT_THROW((void)parse_genkat("Genkat = classic " + digest.substr(2)), std::invalid_argument);
  EXPECT_THROW((void)parse_known_answers("Genkat = classic " + digest + "\nKey = 00\n"),
               std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Provider, KnownAnswers, ::testing::ValuesIn(available_cases()),
                         case_name<::testing::TestParamInfo<Case>>);

}  // namespace
}  // namespace ciphermark::testing
