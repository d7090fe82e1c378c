#include "driver/driven.h"

namespace ciphermark {
namespace {

Driven* driven_program = nullptr;

}  // namespace

const Listing& Driven::listing() {
  if (!listing_) listing_ = language_.list();
  return *listing_;
}

void Driven::end_start(Phases& phases) {
  static_cast<void>(listing());
  PhaseRecord& start = phases.record(Phase::start);
  start.end_ns = monotonic_ns();
  start.resources = usage_.resources();
}

Driven& driven() { return *driven_program; }

void drive(Driven& program) { driven_program = &program; }

}  // namespace ciphermark
