#!/usr/bin/env bash
# Installs from the distribution what one target needs and nothing more:  scripts/setup.sh demo|libraries|test|bench|check|cross|roots|docs
# As root directly, else with sudo, else it prints the exact line and ends with 3. A second call does nothing.
set -euo pipefail

readonly target=${1:?usage: scripts/setup.sh demo|libraries|test|bench|check|cross|roots|docs}
readonly libraries=${BASH_SOURCE%/*}/../runners/src/baselines/libraries.txt
readonly installed_format='${db:Status-Abbrev} ${Package}\n'

library_packages() { # kind: packages of the table's libraries; of alternatives (Botan 3 or 2) the first that the archive has
  local alternatives package
  for alternatives in $(awk -v kind="$1" '/^[a-z]/ && $7 == kind { print $4 }' "$libraries"); do
    for package in ${alternatives//,/ }; do
      if [ "$package" = "${alternatives##*,}" ] || apt-cache show "$package" >/dev/null 2>&1; then echo "$package"; break; fi
    done
  done
}

cross_packages() { # Both kinds of Raspberry Pi, but for what this machine is; their programs run under qemu-user.
  local machine; machine=$(dpkg --print-architecture)
  [ "$machine" = arm64 ] || echo g++-aarch64-linux-gnu
  [ "$machine" = armhf ] || echo g++-arm-linux-gnueabihf
  echo qemu-user-static
}

fuzzing_package() { # libFuzzer and the sanitizers of the clang that this distribution has
  local version
  version=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9][0-9]*\)$/\1/p' | head -n 1)
  [ -z "$version" ] || echo "libclang-rt-$version-dev"
}

npm_package() { command -v npm >/dev/null || echo npm; } # other packages than this one contain it, too

packages() {
  [ "$target" != docs ] || { echo python3 python3-venv chromium; return; }
  # Python, the compiler and what the runners link.
  echo python3 python3-venv g++ cmake ninja-build pkg-config
  library_packages demo
  # The private queue, and what the corpus is made of where its sources cannot be reached.
  echo redis-server ffmpeg asterisk-core-sounds-es-wav bible-kjv fortunes-es
  case $target in
    demo) ;;
    libraries) library_packages libraries ;;
    # GoogleTest's sources are compiled for the other architectures; Clang is the second compiler of the plans,
    # PyPy the second Python; a binding needs Python.h.
    test) library_packages libraries
          echo python3-dev pypy3 postgresql curl libnss3-tools systemd libgtest-dev googletest ccache clang "$(fuzzing_package)" valgrind chromium hyperfine espeak-ng openssh-client; npm_package; cross_packages ;;
    cross) cross_packages ;;
    bench) library_packages libraries; echo hyperfine time ;;
    check) echo clang-format-14 clang-tidy-14 ;;
    # Debian roots for trials: made, booted, and entered for other processors.
    roots) echo debootstrap systemd-container qemu-user-static git ;;
    *) echo "setup: unknown target '$target': expected demo, libraries, test, bench, check, cross, roots or docs" >&2; exit 2 ;;
  esac
}

missing_packages() {
  local package
  for package in $(packages); do
    # A virtual or replaced package (Ubuntu's chromium) counts as installed when dpkg knows any state but removed.
    dpkg-query -W -f "$installed_format" "$package" 2>/dev/null | grep -q '^ii' || echo "$package"
  done
}

stop_system_server() { # service: its package starts a server; Ciphermark and its tests use private ones.
  if [ -d /run/systemd/system ]; then $as_root systemctl disable --now "$1" >/dev/null 2>&1 || true
  else $as_root service "$1" stop >/dev/null 2>&1 || true; fi
}

if ! command -v apt-get >/dev/null; then
  echo "setup: this needs apt (Debian 12 or 13, Ubuntu 24.04, Raspberry Pi OS); install by hand: $(packages | xargs)" >&2
  exit 3
fi
if [ ! -e /var/lib/apt/lists ] || [ -z "$(ls -A /var/lib/apt/lists 2>/dev/null | grep -v -e lock -e partial -e auxfiles)" ]; then
  needs_update=yes
fi
missing=$(missing_packages | xargs)
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null; then as_root=sudo; else
    printf 'setup: packages are missing, and this user is neither root nor has sudo. As root, type:\n\n  apt-get install -y --no-install-recommends %s\n\n' "$missing" >&2
    exit 3
  fi
fi
echo "setup: installing $missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run_apt() { # apt-get arguments…: prints a line every 4 s
  local apt waited=0
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1 &
  apt=$!
  while kill -0 $apt 2>/dev/null; do
    sleep 1
    waited=$((waited + 1))
    [ $((waited % 4)) -ne 0 ] || echo "setup: apt-get $1, $waited s"
  done
  wait $apt
}
if [ -n "${needs_update:-}" ] || ! run_apt install -y --no-install-recommends $missing; then
  # Lists that are missing or older than the archive: fetch them once and choose again (Botan 2 or 3).
  run_apt update || { tail -n 20 "$log" >&2; exit 1; }
  missing=$(missing_packages | xargs)
  run_apt install -y --no-install-recommends $missing || { tail -n 20 "$log" >&2; exit 1; }
fi
case " $missing " in *" redis-server "*) stop_system_server redis-server ;; esac
case " $missing " in *" postgresql "*) stop_system_server postgresql ;; esac
