#include "evidence/report/program.h"

#include "cli/commands/leakage.h"
#include "cli/program.h"

namespace ciphermark::evidence {

int run_leakage(int argument_count, char** arguments, std::string_view summary,
                void (*execute)(const Arguments& arguments, Phases& phases)) {
  const Command command{
      .name = "leakage", .summary = summary, .required = {}, .optional = kLeakageOptions, .execute = execute};
  const Command* const commands[] = {&command};
  Phases phases;
  return run_program(argument_count, arguments, phases, commands);
}

}  // namespace ciphermark::evidence
