#include "cli/program.h"

int main(int argument_count, char** arguments) {
  // First of all: here the phase "start" ends.
  ciphermark::Phases phases;
  return ciphermark::run_program(argument_count, arguments, phases);
}
