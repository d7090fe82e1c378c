# Sourced by test.sh and test_all.sh: parts of the suite with their times, and native tests built and executed.

mkdir -p build

# Objects are kept outside of the work tree, so that another clone, or one after `make clean`, compiles only what differs.
# Paths are stored relative to the folder of the build, whose own name has the hash of all sources. -Werror is compared: no build
# takes an object with hidden warnings.
export CCACHE_DIR=${XDG_CACHE_HOME:-$HOME/.cache}/ciphermark-tests/ccache
export CCACHE_BASEDIR=/ CCACHE_NOHASHDIR=1 CCACHE_COMPRESSLEVEL=1

# No build of a test run reaches the builds that a user measures with: their time to build is a figure, too. A build is
# found by the hash of its sources, with its footprints and known answers; the newest are kept.
export CIPHERMARK_CACHE_FOLDER=${CCACHE_DIR%/*}/builds
{ ls -td "$CIPHERMARK_CACHE_FOLDER"/builds/*/ 2>/dev/null || true; } | tail -n +9 | xargs -r rm -rf

readonly cores=$(nproc)

quietly() { # log command…: of its output only the failures and the end are printed, and only if it fails
  local log=$1
  shift
  "$@" >"$log" 2>&1 || {
    grep --max-count=20 --after-context=4 --extended-regexp ': (Failure|error:|fatal error:)|ERROR: ' "$log" || true
    tail -n 40 "$log"
    exit 1
  }
}

times=()
execute_parts() { # part…: each is a function part_<name>; prints the time of each, and of all at the end
  local part began
  for part in "$@"; do
    printf '== %s\n' "$part"
    began=$SECONDS
    "part_${part//-/_}"
    times+=("$part $((SECONDS - began)) s")
    printf '== %s took %s s\n' "$part" $((SECONDS - began))
  done
  if [ $# -gt 1 ]; then printf '%s, ' "${times[@]}" && printf 'in all %d s\n' $SECONDS; fi
}

require_part() { # part known…: ends with 2 and the list of parts if the part is unknown
  local part=$1 known
  shift
  for known in "$@"; do [ "$part" != "$known" ] || return 0; done
  echo "unknown part '$part'; expected one of: $*" >&2
  exit 2
}

native_programs() { # preset folder [option…]: builds them; an interrupted build continues where it ended
  local preset=$1 folder=$2
  CMAKE_CXX_COMPILER_LAUNCHER=ccache quietly "$folder.log" cmake --preset "$preset" -S runners -B "$folder" "${@:3}"
  quietly "$folder.log" cmake --build "$folder" --parallel "$cores" --target ${native_targets:-all native_tests}
}

native_tests() { # preset folder [option…]: builds and executes them; the log is next to the folder
  local preset=$1 folder=$2
  native_programs "$@"
  (cd "$folder" && quietly "../$(basename "$folder").log" ctest --output-on-failure --no-tests=error "-j$cores")
  printf '%s: ' "$preset" && grep -h 'tests passed' "$folder.log"
}

host_programs() { # programs of this machine; forms of masked variants with more shares are the same templates
  # The variable of the environment, not a preset: CMake's choice of the compiler must not depend on /usr/bin/c++.
  CXX=g++ native_programs release build/tests -DCIPHERMARK_MOST_SHARES=3
}

default_build() { # what the daemon of each test would build first, and what it would execute after that
  CMAKE_CXX_COMPILER_LAUNCHER=ccache quietly build/default_build.log \
    .venv/bin/ciphermark runners build --into build/runners
  quietly build/footprints.log .venv/bin/ciphermark runners sizes
}
