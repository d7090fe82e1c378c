#!/usr/bin/env bash
# What `make test` leaves out because it takes longer:  scripts/test_all.sh [PART [FILE]]
# Without arguments all parts; with a file (path or path::test) its tests, those marked `long` included.
set -euo pipefail
readonly parts=(postgresql aarch64 armhf sanitizers sanitizers-aarch64 secrets fuzzing shares clang crashes guide languages examples documentation others)
readonly chosen=${1:-} file=${2:-}
source scripts/native_tests.sh

readonly clang_tests=tests/integration/daemon/test_clang_build.py
readonly crash_tests=(tests/acceptance/test_crashes.py tests/acceptance/test_restore.py)
readonly language_tests=tests/integration/languages
readonly documentation_tests=tests/acceptance/test_documentation_blocks.py
readonly guide_tests=tests/integration/native/test_adding_a_cipher.py
readonly emulated_tests=tests/integration/native/test_other_processors.py

long_tests() { # argument…: tests marked `long`, a module in one worker
  .venv/bin/python -m pytest -q --durations=10 --durations-min=5 -m long -n "$cores" --dist loadfile --no-loadscope-reorder "$@"
}

# Without tests that end before the database, or are about Redis alone.
part_postgresql() {
  default_build
  CIPHERMARK_TEST_DATABASE=postgresql .venv/bin/python -m pytest -q -n "$cores" --dist loadfile --no-loadscope-reorder \
    tests/integration/{agents,builds,chunks,events,preflight,results,runs,scheduler} tests/integration/watches/test_looks.py \
    tests/integration/web/test_{latency_pages,one_read_path}.py \
    --ignore=tests/integration/scheduler/test_queue_guard.py \
    --deselect=tests/integration/runs/test_toolchains.py::TestBadInput
}

emulated() { # machine: native tests for a machine of that kind, and the comparison of its programs with this machine's
  if [ "$(uname -m)" = "${1/armhf/armv7l}" ]; then echo "this machine is one: make test executes them"; return; fi
  native_tests "rpi-$1" "build/runners-rpi-$1" -DCIPHERMARK_MOST_SHARES=3
  host_programs
  .venv/bin/python -m pytest -q -m long -k "${1/armhf/armhf or armv7l}" "$emulated_tests"
}
part_aarch64() { emulated aarch64; }
part_armhf() { emulated armhf; }

part_sanitizers() { native_tests sanitizers build/runners-sanitizers; } # AddressSanitizer and UndefinedBehaviorSanitizer

part_sanitizers_aarch64() { # both for the variants of the processor of a Raspberry Pi
  if [ "$(uname -m)" = aarch64 ]; then echo "this machine is one: the part sanitizers executes them"; return; fi
  # Finding leaks needs ptrace, which the emulator lacks. The sanitizers cannot be linked statically.
  ASAN_OPTIONS=detect_leaks=0 QEMU_LD_PREFIX=/usr/aarch64-linux-gnu \
    native_tests rpi-aarch64 build/runners-sanitizers-aarch64 -DCIPHERMARK_SANITIZE=address,undefined \
    -DCIPHERMARK_LINK=dynamic -DCIPHERMARK_OPTIMIZATION=O1 -DCIPHERMARK_MOST_SHARES=3
}

# No branch and no address of any own variant depends on a secret, in code that Clang makes; memcheck, in the native tests,
# follows secrets through GCC's code, but not through AVX-512, and not on another processor.
part_secrets() {
  followed secrets build/runners-secrets
  [ "$(uname -m)" != aarch64 ] || return 0
  arm64_runtime build/arm64-runtime
  QEMU_LD_PREFIX=/usr/aarch64-linux-gnu followed rpi-aarch64 build/runners-secrets-aarch64 \
    -DCIPHERMARK_SANITIZE=memory -DCIPHERMARK_LINK=dynamic -DCIPHERMARK_MOST_SHARES=2 -DCIPHERMARK_WERROR=OFF \
    -DCMAKE_EXE_LINKER_FLAGS="-resource-dir=$PWD/build/arm64-runtime$(clang -print-resource-dir)"
}

followed() { # preset folder [option…]: the tests of secrets under MemorySanitizer
  local native_targets=constant_time_test_own
  native_programs "$@"
  local emulator=()
  [ "$1" != rpi-aarch64 ] || emulator=(qemu-aarch64-static -cpu max)
  quietly "$2.log" "${emulator[@]}" "$2/constant_time_test_own" --gtest_filter='Secrets.*'
  printf '%s: ' "$1" && grep -h 'PASSED' "$2.log"
}

arm64_runtime() { # folder: the runtime of this machine's Clang for AArch64; apt works in folders of its own
  local folder=$PWD/$1 version
  version=$(clang -dumpversion | cut -d. -f1)
  [ ! -e "$folder$(clang -print-resource-dir)" ] || return 0
  mkdir -p "$folder/apt/state/lists/partial" "$folder/apt/cache/archives/partial"
  touch "$folder/apt/status"
  cat >"$folder/apt/apt.conf" <<CONFIGURATION
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "";
Dir::State "$folder/apt/state";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt/cache";
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
CONFIGURATION
  APT_CONFIG=$folder/apt/apt.conf quietly "$1.log" apt-get update
  (cd "$folder/apt" && APT_CONFIG=$folder/apt/apt.conf quietly apt.log apt-get download "libclang-rt-$version-dev")
  dpkg-deb -x "$folder/apt/"*.deb "$folder"
}

part_fuzzing() { # each target for FUZZ_SECONDS
  CMAKE_CXX_COMPILER_LAUNCHER=ccache quietly build/fuzz_targets.log \
    cmake --preset sanitizers -S runners -B build/runners-sanitizers
  quietly build/fuzz_targets.log cmake --build build/runners-sanitizers --target fuzz_targets
  scripts/fuzz.sh "${FUZZ_SECONDS:-5}" native
}

part_shares() { CXX=g++ native_tests release build/tests-all-shares -DCIPHERMARK_MOST_SHARES=6; } # masked variants with up to 6 shares

part_clang() { long_tests "$clang_tests"; }

part_crashes() {
  default_build
  long_tests "${crash_tests[@]}"
}

part_guide() { long_tests "$guide_tests"; }

part_languages() { # tools of the other languages, and long messages in all of them
  default_build
  long_tests "$language_tests"
}

part_examples() { # property tests with four times the examples of `make test`
  CIPHERMARK_TEST_EXAMPLES=100 .venv/bin/python -m pytest -q -m hypothesis -n "$cores" --dist loadfile \
    --no-loadscope-reorder tests/unit tests/fuzz
}

part_documentation() {
  default_build
  long_tests "$documentation_tests"
  make docs
}

part_others() { # every other test marked `long`
  host_programs
  default_build
  local omitted=("$clang_tests" "${crash_tests[@]}" "$documentation_tests" "$guide_tests" "$language_tests" "$emulated_tests")
  long_tests tests "${omitted[@]/#/--ignore=}"
}

if [ -n "$file" ]; then
  host_programs
  default_build
  .venv/bin/python -m pytest -q -m '' --durations=5 --durations-min=1 "$file"
elif [ -n "$chosen" ]; then
  require_part "$chosen" "${parts[@]}"
  execute_parts "$chosen"
else
  execute_parts "${parts[@]}"
fi
