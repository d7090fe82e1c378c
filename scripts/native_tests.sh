# Sourced by test.sh and test_long.sh: how a part of the suite is announced, and native tests built and executed.

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

emulated_native_tests() { # machine: nothing on a machine of that kind, whose native tests these are
  [ "$(uname -m)" != "${1/armhf/armv7l}" ] || return 0
  # Forms with more shares are the same templates; `make cross` builds them all, and executes their known answers.
  native_tests "native tests for $1, emulated" "rpi-$1" "build/runners-rpi-$1" -DCIPHERMARK_MOST_SHARES=3
}

# Nothing of a test run reaches the builds that a user measures with: their time to build is a figure, too.
export CIPHERMARK_CACHE_FOLDER=$PWD/build/test-cache
# Hundreds of short Python programs are started; each would compile all that it imports where container images forbid
# bytecode files: 5 s instead of 2 s of processor time for each service, scheduler and daemon (2-core VM, 2026-11).
unset PYTHONDONTWRITEBYTECODE
