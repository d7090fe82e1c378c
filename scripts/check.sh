#!/usr/bin/env bash
# The quick gate before a commit: format, lint, types, import rules, words; C++ format, repeated logic, and clang-tidy on
# changed files. The steps run at the same time; the output of a step is printed when it failed.
set -uo pipefail
readonly bin=.venv/bin
readonly began_at=$SECONDS
logs=$(mktemp -d)
readonly logs
trap 'rm -rf "$logs"' EXIT
names=() processes=()

microseconds() { echo "${EPOCHREALTIME/[.,]/}"; }
step() { # name command…: starts it in the background
  local log=$logs/${#names[@]}
  names+=("$1")
  shift
  { began=$(microseconds); "$@" >"$log" 2>&1; code=$?; echo $((($(microseconds) - began) / 100000)) >"$log.tenths"; exit $code; } &
  processes+=($!)
}
report() { # prints a line per step in the order of their start; returns whether all passed
  local number result tenths failed=()
  for number in "${!names[@]}"; do
    if wait "${processes[number]}"; then result="ok    "; else result=FAILED; failed+=("${names[number]}"); fi
    tenths=$(cat "$logs/$number.tenths")
    printf '%s  %3d.%d s  %s\n' "$result" $((tenths / 10)) $((tenths % 10)) "${names[number]}"
    [ "$result" != FAILED ] || tail -n 60 "$logs/$number" | sed 's/^/          /'
  done
  echo "check: ${#names[@]} steps in $((SECONDS - began_at)) s, ${#failed[@]} failed${failed[*]:+: }$(IFS=,; echo "${failed[*]}")"
  [ ${#failed[@]} -eq 0 ]
}

changed_cpp() { # sources that the work tree or the last commit changed; a file that was only moved is none
  { git diff --name-status -M --diff-filter=d HEAD; git diff --name-status -M --diff-filter=d HEAD~1 2>/dev/null; } \
    | awk '$1 != "R100" { print $NF }' | grep -E '^runners/src/.*\.cpp$' | sort -u
}
tidy_changed() {
  local files
  files=$(changed_cpp)
  [ -n "$files" ] || return 0
  # In a folder of its own: clang cannot read the headers that GCC has precompiled in the folder of the tests.
  cmake --preset release -S runners -B build/tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null || return 1
  echo "$files" | xargs -P 2 -n 4 clang-tidy-14 -p build/tidy --quiet
}
clang_format() { git ls-files 'runners/**.cpp' 'runners/**.h' | xargs -r clang-format-14 --dry-run --Werror; }

# Programs of their own, whose modules are named without a package of the repository.
python_provider_types() { MYPYPATH=runners/python $bin/mypy --config-file= --cache-dir=.mypy_cache/provider --strict \
  --explicit-package-bases runners/python/main.py runners/python/ciphers/*.py runners/python/program/*.py; }

# A binding is the program of its language with other ciphers (runners/README.md): the same files, laid over those.
python_binding_types() {
  mkdir -p "$logs/python/ciphers" && cp -r runners/python/main.py runners/python/program "$logs/python" || return 1
  cp runners/python/ciphers/{__init__,errors}.py runners/bindings/python/ciphers/* "$logs/python/ciphers" || return 1
  MYPYPATH=$logs/python $bin/mypy --config-file= --cache-dir=.mypy_cache/binding --strict --explicit-package-bases \
    "$logs"/python/main.py "$logs"/python/ciphers/*.py* "$logs"/python/program/*.py
}

javascript_syntax() { # where Node is installed, as for the tests of its provider
  command -v node >/dev/null || return 0
  git ls-files 'runners/javascript/*.js' 'runners/bindings/javascript/*.js' | xargs -r -n 1 node --check
}

# The formatter and linter of each language that is installed; clippy needs a build and is left to `cargo clippy`.
go_provider() {
  command -v go >/dev/null || return 0
  local changed
  changed=$(gofmt -l runners/go runners/bindings/go)
  [ -z "$changed" ] || { echo "gofmt would change:"; echo "$changed"; return 1; }
  (cd runners/go && go vet ./...) || return 1
  command -v gcc >/dev/null || return 0
  cp -r runners/go "$logs" && cp -r runners/bindings/go "$logs" || return 1
  (cd "$logs/go" && CGO_ENABLED=1 CGO_CFLAGS="-I$OLDPWD/runners/include" go vet ./internal/program ./internal/provider)
}
rust_provider() {
  command -v rustfmt >/dev/null || return 0
  (cd runners/rust && rustfmt --check --edition 2021 src/main.rs) || return 1
  git ls-files 'runners/bindings/rust/*.rs' | xargs -r rustfmt --check --edition 2021 --config-path runners/rust
}
java_provider() {
  command -v javac >/dev/null || return 0
  javac -encoding UTF-8 -Xlint:all -Werror -d "$logs/classes" -sourcepath runners/java/src runners/java/src/ciphermark/Main.java
}

# What an edit of a document or of a table in the code can break, without Redis and without a build.
documents() { $bin/python -m pytest -q -x -p no:cacheprovider \
  tests/unit/test_{contributing,docs,glossary,layers,runner_sources,settings,threats}.py; }

# Names that tests import and nothing has any more; mypy does not read tests/.
imports_of_tests() { $bin/python -m pytest -q --collect-only -p no:cacheprovider; }

step "clang-tidy"    tidy_changed
step "imports of tests" imports_of_tests
step "documents"     documents
step "types"         $bin/mypy
step "types of runners/python" python_provider_types
step "types of runners/bindings/python" python_binding_types
step "syntax of runners/javascript" javascript_syntax
step "runners/go"    go_provider
step "runners/rust"  rust_provider
step "runners/java"  java_provider
step "words"         $bin/python scripts/lint_words.py
step "import rules"  $bin/lint-imports
step "repetition"    $bin/python scripts/repetition.py
step "our own rules" $bin/python scripts/lint_rules.py
step "budgets"       $bin/python scripts/structure.py
step "clang-format"  clang_format
step "Dockerfile"    $bin/hadolint deploy/Dockerfile
step "ruff format"   $bin/ruff format --check .
step "ruff"          $bin/ruff check .
report
