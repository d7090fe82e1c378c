#!/usr/bin/env bash
# What continuous integration executes after the checks:  scripts/test.sh [PART [FILE]]
# Without arguments all parts and the gate of their coverage; with a part that part; with a file (path or path::test)
# that file. What takes longer is in test_all.sh.
set -euo pipefail
readonly parts=(native unit integration system browser)
readonly chosen=${1:-} file=${2:-}
source scripts/native_tests.sh

python=(.venv/bin/python) # with all parts: under coverage
# A module stays in one worker, because many have a service or a system of their own. The folders that take longest begin
# (tests/conftest.py); xdist would begin with the files that have the most tests.
pytest_in_workers() { # workers argument…
  "${python[@]}" -m pytest -q --durations=10 --durations-min=5 -n "$1" --dist loadfile --no-loadscope-reorder "${@:2}"
}

part_native() {
  host_programs
  native_tests release build/tests
}

readonly unit_tests=(tests/unit tests/migration tests/fuzz)

part_unit() { pytest_in_workers $((cores + 1)) "${unit_tests[@]}"; }

part_integration() {
  host_programs
  default_build
  # These wait for processes, Redis and the disk: more workers than cores.
  pytest_in_workers $((2 * cores)) tests/integration
}

part_system() {
  default_build
  # Each worker has one system that its modules share (tests/acceptance/conftest.py).
  pytest_in_workers "$cores" tests/acceptance
}

# Unit, integration and system in one session: workers start once, and no core waits for the last tests of a part.
part_service() {
  host_programs
  default_build
  pytest_in_workers $((2 * cores)) tests/acceptance tests/integration "${unit_tests[@]}"
}

part_browser() {
  # Without coverage, under which it takes 1.6 times as long: other parts execute the same code of the service. Apart,
  # because Playwright keeps an event loop in its worker.
  local python=(.venv/bin/python)
  pytest_in_workers "$cores" tests/browser
}

coverage_gate() {
  .venv/bin/coverage combine -q
  .venv/bin/coverage json -q -o build/coverage/report.json
  .venv/bin/python scripts/coverage_gate.py build/coverage/report.json
}

if [ -n "$file" ]; then
  case $file in
    tests/unit/* | tests/migration/* | tests/fuzz/* | tests/browser/*) ;;
    tests/integration/native/*) host_programs; default_build ;;
    *) default_build ;;
  esac
  "${python[@]}" -m pytest -q --durations=5 --durations-min=1 "$file"
elif [ -n "$chosen" ]; then
  require_part "$chosen" "${parts[@]}"
  execute_parts "$chosen"
else
  rm -rf build/coverage
  mkdir -p build/coverage
  # `ctrace` of pyproject.toml: sys.monitoring exists from Python 3.12 on, and measures branches from 3.14 on.
  python=(.venv/bin/coverage run)
  execute_parts native service browser
  coverage_gate
fi
