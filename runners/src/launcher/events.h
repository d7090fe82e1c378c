#pragma once

namespace ciphermark::launcher {

/// Keeps the kernel's own events in use for as long as this process lives: one counter of each, of this
/// process, that never counts. The first counter of an event makes the kernel patch its own code (static
/// keys), on all cores: 60 us each on a 2-core Xeon (2026-11-20), 2 us while any process has one. Without
/// this every runner would pay the first cost, inside its work. Where the kernel refuses, runners get the
/// reason from their own counters.
void keep_kernel_events_in_use();

}  // namespace ciphermark::launcher
