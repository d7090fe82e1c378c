#!/usr/bin/env bash
# The quick gate before a commit: format, lint, types, import rules; C++ format, repeated logic, and clang-tidy on
# changed files.
set -uo pipefail
readonly bin=.venv/bin
failed=0
step() { # name command…: prints only what failed
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then echo "ok      $name"; else echo "FAILED  $name"; echo "$output" | tail -n 60; failed=1; fi
}
changed_cpp() { { git diff --name-only --diff-filter=d HEAD; git diff --name-only --diff-filter=d HEAD~1 2>/dev/null; } \
  | grep -E '^runners/src/.*\.cpp$' | sort -u; }
tidy_changed() {
  local files
  files=$(changed_cpp)
  [ -n "$files" ] || return 0
  # The commands are known, and the generated files made, once the tests were built.
  [ -e build/tests/compile_commands.json ] || cmake --preset release -S runners -B build/tests >/dev/null || return 1
  # shellcheck disable=SC2086 (one word a file)
  clang-tidy-14 -p build/tests --quiet $files
}

step "ruff format"   $bin/ruff format --check .
step "ruff"          $bin/ruff check .
step "types"         $bin/mypy
step "import rules"  $bin/lint-imports
step "our own rules" $bin/python scripts/lint_rules.py
step "words"         $bin/python scripts/lint_words.py
step "clang-format"  bash -c "git ls-files 'runners/**.cpp' 'runners/**.h' | xargs -r clang-format-14 --dry-run --Werror"
step "clang-tidy"    tidy_changed
step "repetition"    $bin/python scripts/repetition.py
exit $failed
