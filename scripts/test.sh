#!/usr/bin/env bash
# Everything that CI executes: native tests, then the Python levels, the slow ones last.
set -euo pipefail
readonly build=build/tests

echo "== native tests"
cmake --preset test -S runners -B "$build" >build/configure.log 2>&1 || { tail -n 30 build/configure.log; exit 1; }
cmake --build "$build" >build/compile.log 2>&1 || { tail -n 40 build/compile.log; exit 1; }
ctest --test-dir "$build" --output-on-failure --no-tests=error -j2

echo "== Python tests"
.venv/bin/ciphermark runners build --into build/runners
.venv/bin/pytest -q -n 2 --dist loadgroup tests/unit tests/migration tests/integration
.venv/bin/pytest -q tests/acceptance tests/browser
