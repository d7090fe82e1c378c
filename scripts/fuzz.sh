#!/usr/bin/env bash
# Fuzzing:  scripts/fuzz.sh SECONDS|10m|2h [native]     As many targets in parallel as there are processors.
# All targets share the time, a quarter of which is for the documents and the API in Python; the build is not counted. With
# `native`, each C++ target has the time for itself. Ends with 1 if anything was found; build/fuzz/found/ then has the input, and
# `build/runners-sanitizers/fuzz_<target> FILE` repeats it.
set -euo pipefail

case ${1:?usage: scripts/fuzz.sh SECONDS|10m|2h [native]} in
  *h) seconds=$((${1%h} * 3600)) ;;
  *m) seconds=$((${1%m} * 60)) ;;
  *) seconds=${1%s} ;;
esac
readonly build=build/runners-sanitizers folder=build/fuzz
mkdir -p $folder/found
failed=()

quietly() { # log command…: its output is printed only if it fails
  local log=$1
  shift
  "$@" >"$log" 2>&1 || { tail -n 40 "$log"; exit 1; }
}

quietly $folder/build.log cmake --preset sanitizers -S runners -B $build
quietly $folder/build.log cmake --build $build --target fuzz_targets

seeds() { # target: its first inputs; libFuzzer keeps what reaches new code next to them
  local corpus=$folder/corpus/$1 file
  mkdir -p "$corpus"
  case $1 in
    vectors) for file in runners/vectors/*.vec; do head -c 2048 "$file" >"$corpus/$(basename "$file")"; done ;;
    arguments)
      printf 'list' >"$corpus/list"
      printf 'kat\n--algorithm\naes-128-ctr\n--variant\nref' >"$corpus/kat"
      printf 'crypt\n--algorithm=aes-128-ctr\n--operation\ndecrypt\n--key\n00ff\n--nonce\n00\n--ad\n01\n--in\na\n--out\nb' >"$corpus/crypt"
      printf 'latency\n--algorithm\nascon-aead128\n--operation\nkey-setup\n--length\n16\n--ad-length\n5\n--fill\nrandom\n--key-fill\nzero\n--key-setup\nincluded\n--min-time-ms\n0.5\n--timings\n3' >"$corpus/latency" ;;
    requests)
      printf 'run 7\ncpu 3\ntimeout_ms 1000\noutput_limit 65536\nuntraced\nstdin 5\nenv A=B\narg /bin/true\narg\narg x\ngo\nkill 7\nrun 8\nenv A\0=B\n' >"$corpus/run" ;;
    ciphers_*) .venv/bin/python - "$corpus" <<'PYTHON'
import random, sys
for number in range(400):
    data = random.Random(number).randbytes(16 + number % 80)
    open(f"{sys.argv[1]}/seed-{number}", "wb").write(data)
PYTHON
      ;;
  esac
}

targets=($(cd $build && ls -d fuzz_* | sed 's/^fuzz_//'))
readonly processors=$(nproc)
python_seconds=0 share=$seconds
if [ "${2:-}" != native ]; then
  python_seconds=$((seconds / 4))
  share=$(((seconds - python_seconds) / ((${#targets[@]} + processors - 1) / processors) + 1))
fi

fuzz() { # target: its result is a line; fails if something was found
  local target=$1 log=$folder/$1.log result=ok executions
  seeds "$target"
  $build/fuzz_"$target" -max_total_time=$share -max_len=4096 -timeout=25 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix=$folder/found/"$target"- "$folder/corpus/$target" >"$log" 2>&1 || result=FAILED
  executions=$(awk '/stat::number_of_executed_units/ { print $2 }' "$log")
  printf '%-6s  %-20s %12s inputs in %5d s, %d in its corpus\n' $result "$target" "${executions:-?}" $share "$(ls "$folder/corpus/$target" | wc -l)"
  [ $result = ok ] || { grep -a -E 'broken promise|ERROR|runtime error|Test unit written' "$log" | head -n 10; return 1; }
}

declare -A target_of=()
await_one() { # waits for the first of the running targets to end
  local process
  wait -n -p process || failed+=("${target_of[$process]}")
  unset "target_of[$process]"
}
# Ctrl-C does not reach processes in the background.
trap 'kill 0' INT
for target in "${targets[@]}"; do
  [ ${#target_of[@]} -lt "$processors" ] || await_one
  fuzz "$target" &
  target_of[$!]=$target
done
while [ ${#target_of[@]} -gt 0 ]; do await_one; done

# Documents of all kinds by Hypothesis, and the API by its document with each role by schemathesis.
if [ $python_seconds -eq 0 ]; then
  : # The test suite executes them, with fewer inputs.
elif CIPHERMARK_FUZZ_SECONDS=$python_seconds .venv/bin/python -m pytest -q --hypothesis-seed=random tests/fuzz >$folder/python.log 2>&1; then
  printf '%-6s  %-20s %s\n' ok "documents and API" "$(tail -n 1 $folder/python.log)"
else
  failed+=(python)
  tail -n 60 $folder/python.log
fi
[ ${#failed[@]} -eq 0 ] || { echo "fuzz: found something in: ${failed[*]}"; exit 1; }
