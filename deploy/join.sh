#!/bin/sh
# Joins this device to a Ciphermark service: installs the daemon, enrolls the device and starts the daemon.
#
#   sh join.sh --server URL [options]            'ciphermark agents invite' on the server prints the whole command.
#
#   --insecure-lan     allow http:// to another machine: others on the network can read tokens and results, and change
#                      them. Programs are verified: by SHA-256 here, by the service's key in the daemon
#   --ca FILE          certificate authority of the service (PEM), if the system does not know it
#   --systemd          install a systemd unit as root: everything is named ciphermark-agent
#   --no-systemd       no unit and no question: everything in --prefix, daemon in the background
#   --foreground       like --no-systemd, and run the daemon in this terminal
#   --no-start         install and enroll only
#   --prefix FOLDER    installation folder without systemd (default: ~/ciphermark-agent)
#   --name NAME        name of the agent, unless the invitation has one (default: the host name)
#   --python PROGRAM   Python 3.11 or newer (default: python3)
#
# The join code is read from standard input; on a terminal, the script prompts for it. A failed call removes what it
# made and can be repeated. On a device that joined before, a call upgrades the daemon and starts it.
# Exit codes: 1 download or installation failed, 2 wrong option, 3 this device lacks something, 7 code refused,
# 8 no Ciphermark service at the address.
set -eu
umask 022

# Filled in by the service. The SHA-256 of this script is in the command, so these are trustworthy, too.
WHEEL='@WHEEL@'
WHEEL_SHA256='@WHEEL_SHA256@'
REQUIREMENTS_SHA256='@REQUIREMENTS_SHA256@'
SERVICE_KEY='@SERVICE_KEY@' # verifies every program that the daemon downloads later
certificate() {
  cat <<'END'
@CERTIFICATE@
END
}

agent_user=ciphermark-agent
MIN_PYTHON='3.11'
MIN_FREE_MIB=200

report() { printf 'join: %s\n' "$1" >&2; }

fail() { # EXIT_CODE WHAT_HAPPENED WHAT_TO_DO
  printf 'join: %s\n      %s\n' "$2" "$3" >&2
  exit "$1"
}

# ---- Undo ------------------------------------------------------------------------------------------------------

work='' device='' unchanged='' made_prefix='' made_data='' made_user='' venv_in_progress=''

undo() {
  code=$?
  trap - EXIT
  [ -t 0 ] && stty echo 2>/dev/null
  [ -z "$work" ] || rm -rf "$work"
  [ -z "$venv_in_progress" ] || rm -rf "$venv_in_progress"
  if [ "$code" -ne 0 ]; then
    [ -z "$made_data" ] || rm -rf "$data" "$cache"
    [ -z "$made_prefix" ] || rm -rf "$prefix"
    [ -z "$made_user" ] || userdel "$agent_user" 2>/dev/null
    if [ -z "${installed:-}" ]; then report "Nothing was left behind; the command can be repeated."; fi
  fi
  exit "$code"
}

# ---- Options ---------------------------------------------------------------------------------------------------

server='' insecure='' ca='' mode='' start=background prefix='' name='' python=python3

value() { [ $# -ge 2 ] || fail 2 "$1 needs a value." "See the first lines of $0."; }

parse() {
  while [ $# -gt 0 ]; do
    case $1 in
      --server) value "$@"; server=${2%/}; shift ;;
      --ca) value "$@"; ca=$2; shift ;;
      --prefix) value "$@"; prefix=${2%/}; shift ;;
      --name) value "$@"; name=$2; shift ;;
      --python) value "$@"; python=$2; shift ;;
      --insecure-lan) insecure=yes ;;
      --systemd) mode=systemd ;;
      --no-systemd) mode=user ;;
      --foreground) mode=user start=foreground ;;
      --no-start) start=no ;;
      *) fail 2 "$1 is not an option." "See the first lines of $0." ;;
    esac
    shift
  done
}

check_server() {
  host=${server#*://} host=${host%%/*} host=${host%:*}
  case $server in
    https://?*) ;;
    http://?*)
      case $host in localhost|127.0.0.1|'[::1]') return ;; esac
      [ -n "$insecure" ] || fail 2 "$server is not encrypted: others on the network could read the join code." \
        "Use https://, or add --insecure-lan if you trust every machine on this network with tokens and results." ;;
    *) fail 2 "--server has the value '$server', expected an address like http://192.168.1.10:8451." \
         "Copy the whole command from 'ciphermark agents invite'." ;;
  esac
}

# ---- What this device has ----------------------------------------------------------------------------------------

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

may_be_root() { # sudo is used only if it needs no password or can prompt for it
  [ "$(id -u)" -eq 0 ] || { command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 2 ]; }; }
}

check_python() {
  command -v "$python" >/dev/null || { missing="$missing python3 python3-venv"; return 0; }
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])') ||
    fail 3 "$python does not run." "Repair it, or name another one: --python PROGRAM."
  [ "${version%%.*}" -eq 3 ] && [ "${version#*.}" -ge "${MIN_PYTHON#*.}" ] ||
    fail 3 "$python is Python $version, but $MIN_PYTHON or newer is required." \
      "Use Raspberry Pi OS 12, Debian 12 or newer, or name another Python: --python PROGRAM."
  "$python" -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
  bits=$("$python" -c 'import struct; print(8 * struct.calcsize("P"))')
  # psutil has no wheel for 32-bit ARM; Debian's package is used there.
  if [ "$bits" -eq 32 ]; then "$python" -c 'import psutil' 2>/dev/null || missing="$missing python3-psutil"; fi
}

check_device() {
  case $(uname -s)-$(uname -m) in
    Linux-x86_64|Linux-aarch64|Linux-armv7l|Linux-armv8l) ;;
    *) fail 3 "This device is $(uname -s) on $(uname -m)." "Supported: Linux on x86_64, aarch64 and armv7l." ;;
  esac
  missing='' bits=64
  check_python
  command -v curl >/dev/null || missing="$missing curl"
  [ -z "$missing" ] || install_packages "apt-get install -y --no-install-recommends$missing"
}

install_packages() { # COMMAND
  if ! command -v apt-get >/dev/null || ! may_be_root; then
    fail 3 "Packages are missing:$missing." "As root, type: $1    Then repeat the command."
  fi
  report "installing$missing"
  # shellcheck disable=SC2086 # the command is a list of words
  as_root env DEBIAN_FRONTEND=noninteractive $1 >/dev/null 2>&1 ||
    { as_root apt-get update >/dev/null 2>&1 && as_root env DEBIAN_FRONTEND=noninteractive $1 >/dev/null; } ||
    fail 3 "apt-get could not install:$missing." "As root, type: apt-get update && $1    Then repeat the command."
  missing=''
  check_python
  [ -z "$missing" ] || fail 3 "Packages are still missing:$missing." "Install them for $python, or name another Python."
}

check_disk() { # FOLDER: a folder that exists, or will be made
  folder=$1
  while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
  free=$(df -Pk "$folder" | awk 'NR == 2 { print int($4 / 1024) }')
  [ "$free" -ge "$MIN_FREE_MIB" ] ||
    fail 3 "$folder has $free MiB of free space, but $MIN_FREE_MIB MiB are required." "Free space and repeat the command."
}

# ---- The service -------------------------------------------------------------------------------------------------

request() { # PATH FILE: prints the HTTP status. curl reads the code from standard input, never from its arguments.
  printf 'Authorization: Bearer %s\nCiphermark-Device: %s\n' "$code" "$device" |
    curl -sS ${ca:+--cacert "$ca"} -H @- --connect-timeout 10 --speed-limit 1 --speed-time 60 \
      -o "$2" -w '%{http_code}' "$server$1" 2>"$work/curl.log"
}

fetch() { # PATH FILE
  failure=0
  status=$(request "$1" "$2") || failure=$?
  case $failure in
    0) ;;
    5|6|7|28) fail 8 "$server does not answer: $(cat "$work/curl.log")" \
               "Check that the service is running and that this device can reach it." ;;
    35|51|58|60|77|83) fail 8 "The certificate of $server is not accepted: $(cat "$work/curl.log")" \
               "Name the authority that signed it: --ca FILE." ;;
    23) fail 1 "The download could not be stored: $(cat "$work/curl.log")" "Free disk space and repeat the command." ;;
    *) fail 1 "The download of $server$1 was interrupted: $(cat "$work/curl.log")" "Repeat the command." ;;
  esac
  case $status in
    200) ;;
    401|403) fail 7 "$(problem "$2")" "On the server, type: ciphermark agents invite" ;;
    *) fail 8 "$server$1 answered $status. $(problem "$2")" "Check the service and repeat the command." ;;
  esac
}

problem() { # FILE: the text of a problem detail
  "$python" -c 'import json, sys; print(json.load(open(sys.argv[1])).get("detail", ""))' "$1" 2>/dev/null || true
}

check_service() {
  bearer=$code code=''  # before the address is known to be right, it does not receive the code
  failure=0
  status=$(request /api/v1/health "$work/health") || failure=$?
  if [ "$failure" -eq 60 ] && [ -z "$ca" ] && certificate | grep -q BEGIN; then
    certificate >"$work/ca.pem"
    ca=$work/ca.pem failure=0
    status=$(request /api/v1/health "$work/health") || failure=$?
  fi
  if [ "$failure" -ne 0 ]; then fetch /api/v1/health "$work/health"; fi
  [ "$status" = 200 ] && grep -q '"product":"ciphermark"' "$work/health" ||
    fail 8 "$server answers, but it is not a Ciphermark service." "Check the address in the command."
  code=$bearer
}

download() { # PATH FILE SHA256
  fetch "$1" "$2"
  [ "$(sha256sum <"$2")" = "$3  -" ] ||
    fail 1 "$server$1 does not have the expected SHA-256 $3." "Copy the command from 'ciphermark agents invite' again."
}

read_code() {
  if [ -t 0 ]; then
    printf 'Join code: ' >&2
    stty -echo
    IFS= read -r code || code=''
    stty echo
    printf '\n' >&2
  else
    IFS= read -r code || [ -n "$code" ] || code=''
  fi
  code=$(printf '%s' "$code" | tr -d '[:space:]')
  # Lets this device use the code again if the connection failed while it enrolled; as 'daemon enroll' computes it.
  machine_id=$(cat /etc/machine-id 2>/dev/null || true)
  device=$(printf '%s %s' "$code" "${machine_id:-$(uname -n)}" | sha256sum | cut -d ' ' -f 1)
  case $code in
    cm_join_*) ;;
    '') fail 7 "No join code was given." "On the server, type: ciphermark agents invite" ;;
    *) fail 7 "This is not a join code: it does not begin with cm_join_." "Copy it from 'ciphermark agents invite' again." ;;
  esac
}

# ---- Installation ------------------------------------------------------------------------------------------------

choose_mode() {
  if [ -z "$mode" ] && [ -d /run/systemd/system ] && [ -z "$prefix" ] && [ "$start" != no ] && may_be_root &&
    [ -t 2 ] && (: </dev/tty) 2>/dev/null; then
    printf 'Start the daemon with the machine, by a systemd unit? [Y/n] ' >&2
    IFS= read -r answer </dev/tty
    case $answer in [nN]*) mode=user ;; *) mode=systemd ;; esac
  fi
  if [ "$mode" = systemd ]; then
    [ -z "$prefix" ] || fail 2 "--systemd and --prefix exclude each other." "The unit is for /opt/ciphermark-agent."
    prefix=/opt/ciphermark-agent data=/var/lib/ciphermark-agent cache=/var/cache/ciphermark-agent
  else
    mode=user
    prefix=${prefix:-$HOME/ciphermark-agent}
    case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
    data=$prefix/data cache=$prefix/cache
  fi
  case $prefix in *[!A-Za-z0-9/._+@-]*) fail 2 "The folder '$prefix' has a space or a special character." "Choose another: --prefix FOLDER." ;; esac
}

make_folders() {
  if [ ! -d "$prefix" ]; then mkdir -p "$prefix" && made_prefix=yes; fi 2>/dev/null ||
    fail 3 "$prefix cannot be made." "Choose another folder: --prefix FOLDER."
  [ -w "$prefix" ] || fail 3 "$prefix is not writable." "Choose another folder: --prefix FOLDER."
  exec 9<"$prefix"
  if command -v flock >/dev/null && ! flock -n 9; then made_prefix=''
    fail 1 "Another join.sh is working in $prefix." "Wait for its end."; fi
  rm -rf "$prefix"/work-* # left by a call that was killed
  work=$(mktemp -d "$prefix/work-XXXXXX") || fail 3 "$prefix is not writable." "Free disk space and repeat the command."
  chmod 755 "$work" # the agent's user reads the certificate in it
  if [ -n "$ca" ]; then
    cat "$ca" >"$work/ca.pem" || fail 2 "--ca has the value '$ca', which cannot be read." "Name a file in PEM format."
    ca=$work/ca.pem
  fi
}

make_data_folder() {
  [ ! -d "$data" ] || return 0
  if [ "$mode" = systemd ]; then
    id "$agent_user" >/dev/null 2>&1 || {
      useradd --system --user-group --home-dir "$data" --no-create-home --shell /usr/sbin/nologin "$agent_user"
      made_user=yes
    }
    install -d -m 700 -o "$agent_user" -g "$agent_user" "$data" "$cache"
  else
    mkdir -m 700 "$data"
  fi
  made_data=yes
}

as_agent() { # COMMAND …: with the agent's folders, as the agent's user
  set -- env CIPHERMARK_DATA_FOLDER="$data" CIPHERMARK_CACHE_FOLDER="$cache" ${ca:+SSL_CERT_FILE="$ca"} "$@"
  if [ "$mode" = systemd ]; then set -- runuser -u "$agent_user" -- "$@"; fi
  "$@"
}

install_daemon() {
  venv=$prefix/venv-$(printf '%.12s' "$WHEEL_SHA256")
  if [ -e "$venv/complete" ]; then unchanged=yes; return; fi
  report "downloading the daemon from $server"
  download /api/v1/downloads/agent-wheel "$work/$WHEEL" "$WHEEL_SHA256"
  download /api/v1/downloads/agent-requirements "$work/all.txt" "$REQUIREMENTS_SHA256"
  report "installing it into $venv"
  rm -rf "$venv"
  venv_in_progress=$venv
  requirements=$work/all.txt system=''
  if [ "$bits" -eq 32 ]; then
    system=--system-site-packages requirements=$work/requirements.txt
    awk '/^[a-z]/ { skip = /^psutil==/ } !skip' "$work/all.txt" >"$requirements"
  fi
  # shellcheck disable=SC2086 # $system is one option or nothing
  "$python" -m venv $system "$venv" >"$work/pip.log" 2>&1 || fail_install
  pip_install --require-hashes --only-binary :all: -r "$requirements"
  pip_install "$work/$WHEEL"
  "$venv/bin/ciphermark" --version >"$work/pip.log" 2>&1 || fail_install
  if [ "$mode" = systemd ]; then
    # The daemon's user may not write here, so its bytecode without docstrings is made now.
    "$venv/bin/python" -OO -c 'from orchestrator.cli.processes.daemon import load; load()' >"$work/pip.log" 2>&1 ||
      fail_install
  fi
  : >"$venv/complete" || fail_install
  venv_in_progress=''
}

pip_install() {
  TMPDIR=$work PIP_CACHE_DIR=${PIP_CACHE_DIR:-$work/cache} "$venv/bin/python" -m pip install --quiet --no-deps \
    --no-input --disable-pip-version-check "$@" </dev/null >"$work/pip.log" 2>&1 || fail_install
}

fail_install() {
  tail -n 5 "$work/pip.log" >&2 || true
  # Less than 16 MiB or 200 files: pip and venv do not report a full disk by name.
  if [ "$(df -Pk "$prefix" | awk 'NR == 2 { print $4 }')" -lt 16384 ] ||
    [ "$(df -Pi "$prefix" | awk 'NR == 2 { print $4 == "-" || $2 == 0 ? 200 : $4 }')" -lt 200 ]; then
    fail 1 "The daemon could not be installed: the disk of $prefix is full." "Free space and repeat the command."
  fi
  fail 1 "The daemon could not be installed; the lines above have the reason." \
    "Check the internet connection of this device and repeat the command."
}

enroll() {
  make_data_folder
  failure=0
  printf '%s\n' "$code" |
    as_agent "$venv/bin/ciphermark" daemon enroll --server "$server" ${insecure:+--insecure-lan} ${name:+--name "$name"} \
      >"$work/enroll.log" 2>&1 || failure=$?
  [ "$failure" -eq 0 ] || {
    cat "$work/enroll.log" >&2
    fail "$failure" "This device could not be enrolled." "On the server, type: ciphermark agents invite"
  }
  made_prefix='' made_data='' made_user='' installed=yes
}

activate() { # From now on, bin/ciphermark is this version. One rename, so that there always is a complete one.
  mkdir -p "$prefix/bin"
  if [ -n "$ca" ]; then mv -f "$ca" "$prefix/ca.pem"; fi
  {
    printf '#!/bin/sh\n# Ciphermark on this device, made by join.sh.\n'
    printf 'export CIPHERMARK_DATA_FOLDER=%s\n' "$data"
    printf 'export CIPHERMARK_CACHE_FOLDER="${CIPHERMARK_CACHE_FOLDER:-%s}"\n' "$cache"
    printf 'export CIPHERMARK_AGENT_PREFIX=%s\n' "$prefix"
    printf 'export CIPHERMARK_SERVICE_KEY=%s\n' "$SERVICE_KEY"
    if [ -e "$prefix/ca.pem" ]; then printf 'export SSL_CERT_FILE=%s/ca.pem\n' "$prefix"; fi
    printf 'exec %s/bin/ciphermark "$@"\n' "$venv"
  } >"$work/ciphermark"
  chmod 755 "$work/ciphermark"
  cmp -s "$work/ciphermark" "$prefix/bin/ciphermark" || unchanged='' # with another key or certificate: restart
  mv -f "$work/ciphermark" "$prefix/bin/ciphermark"
  for old in "$prefix"/venv-*; do [ "$old" = "$venv" ] || rm -rf "$old"; done
}

# ---- Start -------------------------------------------------------------------------------------------------------

start_daemon() {
  again="Correct the reason and repeat the command."
  if [ -n "$unchanged" ] && "$prefix/bin/ciphermark" daemon status --json 2>/dev/null | grep -q '"daemon_lives": true'; then
    report "it has the version of the service, and its daemon runs: nothing to do"
    return
  fi
  case $mode-$start in
    *-no) report "the daemon was not started; type: $prefix/bin/ciphermark daemon start" ;;
    systemd-*) start_unit ;;
    *-foreground) rm -rf "$work"; trap - EXIT; exec "$prefix/bin/ciphermark" daemon start 9<&- </dev/null ;;
    *) start_in_background ;;
  esac
}

start_unit() {
  deploy=$("$venv/bin/python" -c 'from orchestrator.shared.resources import shipped; print(shipped("deploy"))')
  install -m 644 "$deploy/systemd/ciphermark-daemon.service" /etc/systemd/system/ciphermark-daemon.service
  systemctl daemon-reload && systemctl enable --quiet ciphermark-daemon && systemctl restart ciphermark-daemon ||
    fail 1 "This device is enrolled, but its unit did not start." "See: journalctl -u ciphermark-daemon. $again"
  report "the daemon runs as the unit ciphermark-daemon; see: journalctl -u ciphermark-daemon"
}

start_in_background() {
  "$prefix/bin/ciphermark" daemon stop >/dev/null 2>&1 || true
  nohup "$prefix/bin/ciphermark" daemon start >>"$prefix/daemon.log" 2>&1 9<&- </dev/null &
  sleep 3
  kill -0 $! 2>/dev/null || {
    tail -n 5 "$prefix/daemon.log" >&2
    fail 1 "This device is enrolled, but its daemon ended." "$again"
  }
  report "the daemon runs until the next restart of this device; its log is $prefix/daemon.log"
}

identity() { # KEY: of the identity that enrollment stored
  "$python" -c 'import json, sys; i = json.load(open(sys.argv[1])); print(i.get(sys.argv[2]) or i["enrollment"][sys.argv[2]])' \
    "$data/identity.json" "$1"
}

main() {
  parse "$@"
  [ -n "$server" ] || fail 2 "--server is missing." "Copy the whole command from 'ciphermark agents invite'."
  check_server
  choose_mode
  if [ "$mode" = systemd ] && [ "$(id -u)" -ne 0 ]; then
    may_be_root || fail 3 "--systemd needs root, and this user has no sudo." "Repeat the command as root, or with --no-systemd."
    exec sudo sh "$0" "$@" --systemd
  fi
  trap undo EXIT
  trap 'exit 130' INT TERM HUP
  check_device
  check_disk "$prefix"
  if [ -e "$data/identity.json" ]; then
    installed=yes
    [ "$(identity service_url)" = "$server" ] ||
      fail 7 "This device is the agent $(identity name) of $(identity service_url) already." \
        "Leave that service first: $prefix/bin/ciphermark daemon leave"
    report "this device is the agent $(identity name) of $server already; the join code is not used"
    code=$(identity agent_token)
    if [ -z "$ca" ] && [ -e "$prefix/ca.pem" ]; then ca=$prefix/ca.pem; fi
  else
    read_code
  fi
  make_folders
  check_service
  fetch /api/v1/downloads "$work/downloads" # a wrong, used or expired code ends here, before anything is installed
  install_daemon
  if [ -z "${installed:-}" ]; then enroll; fi
  activate
  report "this device is the agent $(identity name) of $server"
  start_daemon
}

main "$@"
