#!/usr/bin/env bash
# Everything that CI executes after the checks: native tests, then the Python levels with their coverage.
set -euo pipefail
mkdir -p build
source scripts/native_tests.sh

aside() { # command…: executes it with the processor time that nothing else uses; `finish` waits for it
  # In a process group of its own, so that a failure elsewhere ends its compilers, too.
  set -m
  { renice --priority 19 --pid $BASHPID >/dev/null; "$@"; } &
  set +m
  started_aside=$!
}

finish() { # waits for what was started aside; ends with its failure
  local process=$started_aside
  wait "$process"
  started_aside=""
}

first_programs() { # what the first system would do in each worker: known answers and sizes of the default build
  quietly build/footprints.log .venv/bin/ciphermark runners footprint
}

programs_for_later() {
  first_programs
  emulated_native_tests aarch64
}

fuzz_targets() { # under AddressSanitizer and UndefinedBehaviorSanitizer; `make test-long` executes the native tests under them
  quietly build/fuzz_targets.log cmake --preset sanitizers -S runners -B build/runners-sanitizers
  quietly build/fuzz_targets.log cmake --build build/runners-sanitizers --target fuzz_targets
}

# The default build below takes the objects of the native tests' build: the same but for -Werror, which changes none.
# It only reads the store, so that no warning is hidden from the build that refuses warnings.
export CCACHE_DIR=$PWD/build/ccache CCACHE_BASEDIR=$PWD/build CCACHE_IGNOREOPTIONS=-Werror

started_aside=""
trap '[ -z "$started_aside" ] || kill -- "-$started_aside" 2>/dev/null || true' EXIT

CXX=g++ CMAKE_CXX_COMPILER_LAUNCHER=ccache native_tests "native tests" release build/tests

section "Python tests"
CCACHE_READONLY=1 CMAKE_CXX_COMPILER_LAUNCHER=ccache .venv/bin/ciphermark runners build --into build/runners
rm -rf build/coverage
mkdir -p build/coverage
# tests/conftest.py puts the longest files first; xdist would start with the files that have the most tests.
in_workers=(-m pytest -q --dist loadfile --no-loadscope-reorder --durations=20 --durations-min=5)
measured_pytest() { .venv/bin/coverage run "${in_workers[@]}" "$@"; }
# Python tests wait for processes, Redis and the disk: other native tests use that time. The tests of the emulated runners
# follow when these are built.
emulated_tests=tests/integration/native/test_other_processors.py
aside programs_for_later
measured_pytest -n 2 tests/fuzz tests/integration tests/migration tests/unit --ignore=$emulated_tests
finish
aside fuzz_targets
section "Python tests of the complete system and of the emulated runners"
# Browsers and services wait for each other most of the time.
measured_pytest -n 3 tests/acceptance tests/browser $emulated_tests
# Without coverage, which the same tests on SQLite have; without those that end before the database, or are about Redis alone.
section "Python tests of the database, on PostgreSQL"
CIPHERMARK_TEST_DATABASE=postgresql .venv/bin/python "${in_workers[@]}" -n 2 \
  tests/integration/{agents,builds,chunks,events,preflight,results,runs,scheduler} tests/integration/watches/test_looks.py \
  tests/integration/web/test_{latency_pages,one_read_path}.py \
  --ignore=tests/integration/scheduler/test_queue_guard.py \
  --deselect=tests/integration/runs/test_toolchains.py::TestBadInput
finish

section "fuzzing, each target for ${FUZZ_SECONDS:=5} s"
scripts/fuzz.sh "$FUZZ_SECONDS" native

section "coverage"
.venv/bin/coverage combine -q
.venv/bin/coverage json -q -o build/coverage/report.json
.venv/bin/python scripts/coverage_gate.py build/coverage/report.json
