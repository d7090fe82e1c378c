#!/usr/bin/env bash
# What takes too long for `make test`, before a version: native tests under sanitizers and for a Raspberry Pi of 32 bits,
# and the Python tests marked `long`.
set -euo pipefail
mkdir -p build
source scripts/native_tests.sh

native_tests "native tests under AddressSanitizer and UndefinedBehaviorSanitizer" sanitizers build/runners-sanitizers

emulated_native_tests armhf

section "Python tests marked long"
.venv/bin/ciphermark runners build --into build/runners
.venv/bin/python -m pytest -q -n 2 --dist loadgroup -m long tests
