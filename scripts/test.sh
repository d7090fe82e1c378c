#!/usr/bin/env bash
# Everything that CI executes: native tests, then the Python levels; whole runs through every part come last.
set -euo pipefail
mkdir -p build

quietly() { # log command…: its output is printed only if it fails
  local log=$1
  shift
  "$@" >"$log" 2>&1 || { tail -n 40 "$log"; exit 1; }
}

native_tests() { # preset folder [target…]: builds and executes them; the log is next to the folder
  local preset=$1 folder=$2
  quietly "$folder.log" cmake --preset "$preset" -S runners -B "$folder"
  quietly "$folder.log" cmake --build "$folder" --target all native_tests
  (cd "$folder" && quietly "../$(basename "$folder").log" ctest --output-on-failure --no-tests=error -j2)
  grep -h 'tests passed' "$folder.log"
}

# Nothing of a test run reaches the builds that a person measures with: their time to build is a figure, too.
export CIPHERMARK_CACHE_FOLDER=$PWD/build/test-cache
# The default build below takes the objects of the native tests' build: the same but for -Werror, which changes none.
# It only reads the store, so that no warning is hidden from the build that refuses warnings.
export CCACHE_DIR=$PWD/build/ccache CCACHE_BASEDIR=$PWD/build CCACHE_IGNOREOPTIONS=-Werror

echo "== native tests"
CXX=g++ CMAKE_CXX_COMPILER_LAUNCHER=ccache native_tests release build/tests
echo "== native tests under AddressSanitizer and UndefinedBehaviorSanitizer"
native_tests sanitizers build/runners-sanitizers
for machine in aarch64 armhf; do
  [ "$(uname -m)" != "${machine/armhf/armv7l}" ] || continue
  echo "== native tests for $machine, emulated"
  native_tests "rpi-$machine" "build/runners-rpi-$machine"
done

echo "== Python tests"
CCACHE_READONLY=1 CMAKE_CXX_COMPILER_LAUNCHER=ccache .venv/bin/ciphermark runners build --into build/runners
# What takes longest first, or one worker would build alone at the end.
.venv/bin/pytest -q -n 2 --dist loadfile tests/integration tests/migration tests/unit
.venv/bin/pytest -q -n 2 --dist loadfile tests/acceptance tests/browser
