#!/usr/bin/env bash
# Everything that CI executes: native tests, then the Python levels; whole runs through every part come last.
set -euo pipefail
mkdir -p build
readonly build=$PWD/build/tests

quietly() { # log command…: the output is read only when something failed
  local log=$1
  shift
  "$@" >"$log" 2>&1 || { tail -n 40 "$log"; exit 1; }
}

echo "== native tests"
quietly build/configure.log cmake --preset release -S runners -B "$build"
quietly build/compile.log cmake --build "$build"
(cd "$build" && ctest --output-on-failure --no-tests=error -j2)

echo "== Python tests"
.venv/bin/ciphermark runners build --into build/runners
.venv/bin/pytest -q -n 2 --dist loadfile tests/unit tests/migration tests/integration
.venv/bin/pytest -q tests/acceptance tests/browser
