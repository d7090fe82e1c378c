#!/usr/bin/env bash
# Makes .venv from a lock file:  scripts/venv.sh service|dev|docs      A second call with the same lock does nothing.
# Every package, the installer and the build backend included, is checked by its SHA-256.
set -euo pipefail

readonly set_of_packages=${1:?usage: scripts/venv.sh service|dev|docs}
readonly lock=requirements/$set_of_packages.txt
readonly stamp=.venv/.ciphermark-$set_of_packages
fingerprint=$(cat "$lock" requirements/tools.txt pyproject.toml | sha256sum | cut -d' ' -f1)

installed() { [ -x .venv/bin/ciphermark ] && [ "$(cat "$1" 2>/dev/null)" = "$fingerprint" ]; }
if installed "$stamp"; then exit 0; fi
# What the tests need contains what the service needs.
if [ "$set_of_packages" = service ] && [ -e .venv/.ciphermark-dev ]; then exec "$0" dev; fi

# The distribution's Python, if it suffices: it is compiled with profile-guided optimization. One compiled by pyenv with its
# defaults takes 20 to 30 % more processor time for loops (2-core VM, 2026-11).
for python in /usr/bin/python3 python3; do
  if "$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then break; fi
done

bundled_pip() { # the wheel of pip that comes with Python: where a distribution puts it, or with the module that installs it
  "$python" - <<'EOF'
import ensurepip, pathlib, sysconfig
folders = [sysconfig.get_config_var("WHEEL_PKG_DIR"), pathlib.Path(ensurepip.__file__).with_name("_bundled")]
print(next((wheel for folder in folders if folder for wheel in pathlib.Path(folder).glob("pip-*.whl")), ""))
EOF
}

echo "venv: making .venv (1 of 3)"
# Only the next step needs pip, and its wheel can be executed as it is: to install it takes 4 s.
wheel=$(bundled_pip)
if [ -n "$wheel" ]; then pip=(.venv/bin/python "$wheel/pip"); else pip=(.venv/bin/python -m pip); fi
[ -x .venv/bin/python ] || "$python" -m venv ${wheel:+--without-pip} .venv
echo "venv: installing the installer (2 of 3)"
"${pip[@]}" install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements/tools.txt
echo "venv: installing Python packages (3 of 3)"
export VIRTUAL_ENV=$PWD/.venv
.venv/bin/uv pip install --quiet --require-hashes -r "$lock"
# With the build backend of the lock, instead of a download without a hash.
.venv/bin/uv pip install --quiet --no-deps --no-build-isolation -e .
echo "$fingerprint" >"$stamp"
