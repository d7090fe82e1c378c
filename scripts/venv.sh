#!/usr/bin/env bash
# Makes .venv from a lock file:  scripts/venv.sh service|dev      A second call with the same lock does nothing.
set -euo pipefail

readonly set_of_packages=${1:?usage: scripts/venv.sh service|dev}
readonly lock=requirements/$set_of_packages.txt
readonly stamp=.venv/.ciphermark-$set_of_packages
fingerprint=$(cat "$lock" pyproject.toml | sha256sum | cut -d' ' -f1)

installed() { [ -x .venv/bin/ciphermark ] && [ "$(cat "$1" 2>/dev/null)" = "$fingerprint" ]; }
if installed "$stamp"; then exit 0; fi
# What the tests need contains what the service needs.
if [ "$set_of_packages" = service ] && [ -e .venv/.ciphermark-dev ]; then exec "$0" dev; fi

[ -x .venv/bin/python ] || python3 -m venv .venv
[ -x .venv/bin/uv ] || .venv/bin/pip install --quiet --disable-pip-version-check uv
echo "venv: installing Python packages"
VIRTUAL_ENV=$PWD/.venv .venv/bin/uv pip install --quiet --require-hashes -r "$lock"
VIRTUAL_ENV=$PWD/.venv .venv/bin/uv pip install --quiet --no-deps -e .
echo "$fingerprint" >"$stamp"
