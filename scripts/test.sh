#!/usr/bin/env bash
# Everything that CI executes after the checks: native tests, then the Python levels with their coverage.
set -euo pipefail
mkdir -p build

quietly() { # log command…: of its output only the failures and the end are printed, and only if it fails
  local log=$1
  shift
  "$@" >"$log" 2>&1 || {
    grep --max-count=20 --after-context=4 --extended-regexp ': (Failure|error:|fatal error:)|ERROR: ' "$log" || true
    tail -n 40 "$log"
    exit 1
  }
}

section() { # title: prints it with the seconds since the start
  printf '== %s (at %d s)\n' "$1" $SECONDS
}

native_tests() { # title preset folder [option…]: builds and executes them; the log is next to the folder
  section "$1"
  shift
  local preset=$1 folder=$2
  quietly "$folder.log" cmake --preset "$preset" -S runners -B "$folder" "${@:3}"
  quietly "$folder.log" cmake --build "$folder" --target all native_tests
  (cd "$folder" && quietly "../$(basename "$folder").log" ctest --output-on-failure --no-tests=error -j2)
  printf '%s: ' "$preset" && grep -h 'tests passed' "$folder.log"
}

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

emulated_native_tests() {
  local machine
  for machine in aarch64 armhf; do
    [ "$(uname -m)" != "${machine/armhf/armv7l}" ] || continue
    # Forms with more shares are the same templates; `make cross` builds them all, and executes their known answers.
    native_tests "native tests for $machine, emulated" \
      "rpi-$machine" "build/runners-rpi-$machine" -DCIPHERMARK_MOST_SHARES=3
  done
}

sanitized_native_tests() {
  native_tests "native tests under AddressSanitizer and UndefinedBehaviorSanitizer" sanitizers build/runners-sanitizers
  quietly build/runners-sanitizers.log cmake --build build/runners-sanitizers --target fuzz_targets
}

# Nothing of a test run reaches the builds that a user measures with: their time to build is a figure, too.
export CIPHERMARK_CACHE_FOLDER=$PWD/build/test-cache
# The default build below takes the objects of the native tests' build: the same but for -Werror, which changes none.
# It only reads the store, so that no warning is hidden from the build that refuses warnings.
export CCACHE_DIR=$PWD/build/ccache CCACHE_BASEDIR=$PWD/build CCACHE_IGNOREOPTIONS=-Werror
# Hundreds of short Python programs are started; each would compile all that it imports where container images forbid
# bytecode files: 5 s instead of 2 s of processor time for each service, scheduler and daemon (2-core VM, 2026-11).
unset PYTHONDONTWRITEBYTECODE

started_aside=""
trap '[ -z "$started_aside" ] || kill -- "-$started_aside" 2>/dev/null || true' EXIT

CXX=g++ CMAKE_CXX_COMPILER_LAUNCHER=ccache native_tests "native tests" release build/tests

section "Python tests"
CCACHE_READONLY=1 CMAKE_CXX_COMPILER_LAUNCHER=ccache .venv/bin/ciphermark runners build --into build/runners
rm -rf build/coverage
mkdir -p build/coverage
# tests/conftest.py puts the longest files first; xdist would start with the files that have the most tests.
in_two_workers=(-m pytest -q -n 2 --dist loadfile --no-loadscope-reorder)
measured_pytest() { .venv/bin/coverage run "${in_two_workers[@]}" "$@"; }
# Python tests wait for processes, Redis and the disk: other native tests use that time. The tests of the emulated runners
# follow when these are built.
emulated_tests=tests/integration/native/test_other_processors.py
aside emulated_native_tests
measured_pytest tests/fuzz tests/integration tests/migration tests/unit --ignore=$emulated_tests
finish
aside sanitized_native_tests
section "Python tests of the complete system and of the emulated runners"
measured_pytest tests/acceptance tests/browser $emulated_tests
# Without coverage, which the same tests on SQLite have; without those that end before the database, or are about Redis alone.
section "Python tests of the database, on PostgreSQL"
CIPHERMARK_TEST_DATABASE=postgresql .venv/bin/python "${in_two_workers[@]}" \
  tests/integration/{agents,builds,chunks,events,preflight,results,runs,scheduler} \
  --ignore=tests/integration/scheduler/test_queue_guard.py \
  --deselect=tests/integration/runs/test_toolchains.py::TestBadInput
finish

section "fuzzing, each target for ${FUZZ_SECONDS:=10} s"
scripts/fuzz.sh "$FUZZ_SECONDS" native

section "coverage"
.venv/bin/coverage combine -q
.venv/bin/coverage json -q -o build/coverage/report.json
.venv/bin/python scripts/coverage_gate.py build/coverage/report.json
