#!/usr/bin/env bash
# Makes the wheels with runners of each kind of machine in dist/:  scripts/wheels.sh [x86_64|aarch64|armhf]…
# Each program is linked statically and has passed its known answers here (Arm under emulation) before it is packed.
set -euo pipefail

readonly work=build/wheels
machines=("$@")
[ ${#machines[@]} -gt 0 ] || machines=(x86_64 aarch64 armhf)
# A cache of its own: the service of this checkout continues to compile with this machine's compiler.
export CIPHERMARK_CACHE_FOLDER=$PWD/$work/cache CIPHERMARK_DATA_FOLDER=$PWD/$work/data

carry() { # machine: what the wheel of one machine carries, in a folder of its own
  local folder=$work/$1 archive package
  rm -rf "$folder" && mkdir -p "$folder/cross-builds/$1" "$folder/licenses"
  echo "$1" >"$folder/machine"
  cp "$work/cache/cross-builds/$1/"{offer.json,*.tar.gz} "$folder/cross-builds/$1/"
  cp -r "$work/data/corpus" "$folder/corpus" && rm -f "$folder/corpus/".*.lock
  # The texts that the licenses of the linked libraries require: of the target's packages, and of the compiler's own.
  for package in $(.venv/bin/python -c 'import json, sys
print(*(one["name"] for one in json.load(open(sys.argv[1]))["manifest"]["origin"]["packages"]))' "$folder/cross-builds/$1/offer.json"); do
    for archive in "$work/cache/sysroots/$1/usr/share/doc/$package/copyright" "/usr/share/doc/$package/copyright"; do
      if [ -f "$archive" ]; then cp "$archive" "$folder/licenses/$package.txt"; break; fi
    done
    [ -f "$folder/licenses/$package.txt" ] || { echo "wheels: $package has no file copyright: install it, and repeat" >&2; exit 1; }
  done
}

.venv/bin/ciphermark corpus build --no-download -k audio -k video -k text --sizes 1MiB
mkdir -p dist
for machine in "${machines[@]}"; do
  .venv/bin/ciphermark runners cross-build --machine "$machine"
  carry "$machine"
  rm -f dist/ciphermark-*_"${machine/armhf/armv7l}".whl
  CIPHERMARK_WHEEL_RUNNERS=$PWD/$work/$machine .venv/bin/python -m hatchling build --target wheel --directory dist
done
ls -l dist/*.whl
