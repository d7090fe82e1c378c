// Every known answer of one algorithm on one implementation, printed in the style of the NIST generator; of
// an algorithm with a file of that generator, exactly that file.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

#include "cli/command.h"
#include "core/failure.h"
#include "known_answers/genkat.h"
#include "known_answers/known_answers.h"
#include "provider/masking.h"
#include "provider/selection.h"

namespace ciphermark {
namespace {

void print_record(std::size_t count, KnownAnswer answer, std::vector<std::uint8_t> computed) {
  answer.ciphertext = std::move(computed);
  static_cast<void>(std::fputs(known_answer_record(count, answer).c_str(), stdout));
  if (answer.offset != 0) std::printf("Offset = %zu\n", answer.offset);
  if (answer.expectation == Expectation::invalid) std::puts("Result = invalid");
  if (answer.expectation == Expectation::bad_length) std::puts("Result = bad-length");
  std::puts("");
}

/// Checks the explicit vectors of the file; prints them unless a generated file is printed in their place.
void check_answers(const Implementation& implementation, std::string_view text, bool print) {
  const std::string algorithm(implementation.algorithm);
  const auto answers = parse_known_answers(text);
  if (answers.empty()) throw std::logic_error("this build has no known answers for " + algorithm);
  std::size_t count = 0;
  for (const KnownAnswer& answer : answers) {
    KnownAnswerOutcome outcome = check_known_answer(implementation, answer);
    ++count;
    if (print) print_record(count, answer, std::move(outcome.ciphertext));
    if (outcome.complaint.empty()) continue;
    throw Failure(FailureKind::not_verified, "vector " + std::to_string(count) + " (" + algorithm +
                                                 ".vec line " + std::to_string(answer.line) +
                                                 "): " + outcome.complaint);
  }
}

/// Checks the published file as this implementation computes it; prints it, and nothing else, so that the
/// SHA-256 of the output can be compared with the publisher's.
void check_genkat_file(const Implementation& implementation, const Genkat& genkat, bool print) {
  std::string text;
  try {
    text = genkat_text(implementation, genkat.rule);
  } catch (const std::runtime_error& error) {
    throw Failure(FailureKind::not_verified, error.what());
  }
  if (print) static_cast<void>(std::fputs(text.c_str(), stdout));
  const std::string complaint = check_genkat(genkat, text);
  if (!complaint.empty()) throw Failure(FailureKind::not_verified, complaint);
}

/// Prints what was computed if `print`; another form prints the same.
void check(const Implementation& implementation, bool print, bool with_genkat = true) {
  const std::string_view text = known_answer_text(implementation.algorithm);
  const std::optional<Genkat> genkat = parse_genkat(text);
  if (genkat && with_genkat) check_genkat_file(implementation, *genkat, print);
  check_answers(implementation, text, print && !genkat);
}

/// Every form of a masked variant with the first generator, which is in use when none was chosen.
///
/// The published file of 1089 vectors is left to the forms with the fewest shares: those with 6 take 15 times
/// as long, and all forms of all variants took a quarter of an hour in a build without optimization. A form
/// that is named by the options has all of its vectors checked.
void check_forms(const Implementation& implementation) {
  const std::size_t fewest = implementation.masked_forms.front().shares;
  bool first = true;
  for (const MaskedForm& form : implementation.masked_forms) {
    try {
      check(with_form(implementation, form), first, form.shares == fewest);
    } catch (const Failure& failure) {
      throw Failure(failure.kind(), std::to_string(form.shares) + " shares, " +
                                        std::string(degree_name(form.degree)) + ": " + failure.what());
    }
    first = false;
  }
}

void execute_kat(const Arguments& arguments, Phases& /*phases*/) {
  const Implementation& implementation = select_implementation(arguments.algorithm, arguments.variant);
  const MaskingOptions& masking = arguments.masking;
  if (!implementation.masked_forms.empty() && !masking.shares && !masking.degree && !masking.generator) {
    check_forms(implementation);
  } else {
    check(select_masking(implementation, masking), true);
  }
}

}  // namespace

const Command kKatCommand{.name = "kat",
                          .summary = "Check every known answer of an algorithm and print what was computed",
                          .required = {Option::algorithm},
                          .optional = {Option::variant, Option::shares, Option::masking, Option::generator},
                          .execute = &execute_kat};

}  // namespace ciphermark
