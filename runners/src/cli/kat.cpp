// Every known answer of one algorithm on one implementation, printed in the style of the NIST generator.
#include <cstdio>
#include <stdexcept>
#include <string>

#include "cli/command.h"
#include "core/failure.h"
#include "core/hex.h"
#include "core/known_answers.h"
#include "core/selection.h"

namespace ciphermark {
namespace {

void print_field(const char* name, Bytes value) {
  std::printf("%s = %s\n", name, to_hex(value, HexCase::upper).c_str());
}

void print_record(std::size_t count, const KnownAnswer& answer, Bytes ciphertext) {
  std::printf("Count = %zu\n", count);
  print_field("Key", answer.key);
  print_field("Nonce", answer.nonce);
  print_field("PT", answer.plaintext);
  print_field("AD", answer.associated_data);
  print_field("CT", ciphertext);
  if (answer.offset != 0) std::printf("Offset = %zu\n", answer.offset);
  if (answer.expectation == Expectation::invalid) std::puts("Result = invalid");
  if (answer.expectation == Expectation::bad_length) std::puts("Result = bad-length");
  std::puts("");
}

void execute(const Arguments& arguments, Phases& /*phases*/) {
  const Implementation& implementation = select_implementation(arguments.algorithm, arguments.variant);
  const std::string algorithm(implementation.algorithm);
  const auto answers = parse_known_answers(known_answer_text(algorithm));
  if (answers.empty()) throw std::logic_error("this build has no known answers for " + algorithm);
  std::size_t count = 0;
  for (const KnownAnswer& answer : answers) {
    const KnownAnswerOutcome outcome = check_known_answer(implementation, answer);
    print_record(++count, answer, outcome.ciphertext);
    if (outcome.complaint.empty()) continue;
    throw Failure(FailureKind::not_verified, "vector " + std::to_string(count) + " (" + algorithm +
                                                 ".vec line " + std::to_string(answer.line) +
                                                 "): " + outcome.complaint);
  }
}

}  // namespace

const Command kKatCommand{.name = "kat",
                          .summary = "Check every known answer of an algorithm and print what was computed",
                          .required = {Option::algorithm},
                          .optional = {Option::variant},
                          .execute = &execute};

}  // namespace ciphermark
