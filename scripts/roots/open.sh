#!/usr/bin/env bash
# Opens a Debian root in namespaces of its own, as root:  open.sh ROOT HOST_NAME EMULATOR|none [SOURCE:TARGET[:rw]…]
#
# Prints the process id to enter with nsenter, then waits for the end of its standard input. The kernel then ends every
# process inside and removes the mounts, the host name and the emulator's registration; nothing remains on this machine.
# SOURCE is mounted on TARGET (absolute, inside the root), read-only without `:rw`.
set -euo pipefail

# The first 20 bytes of an ELF program of a machine, as binfmt_misc expects them.
readonly mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
magic() {
  case $1 in
    *aarch64*) printf '%s' '\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00' ;;
    *arm*) printf '%s' '\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x28\x00' ;;
    *) echo "open: unknown emulator $1: expected qemu-aarch64-static or qemu-arm-static" >&2; exit 2 ;;
  esac
}

register_emulator() { # root emulator: for the programs of this user namespace only
  local folder=$1/proc/sys/fs/binfmt_misc emulator=$2 name
  name=$(basename "$emulator")
  name=${name%-static}
  if mount -t binfmt_misc binfmt_misc "$folder" 2>/dev/null; then
    # P: the program keeps its argv[0]. C: sudo gets its rights. F: the emulator is opened now, outside of the root.
    printf ':%s:M::%s:%s:%s:POCF' "$name" "$(magic "$name")" "$mask" "$emulator" >"$folder/register"
  elif [ ! -e "/proc/sys/fs/binfmt_misc/$name" ]; then
    echo "open: this kernel cannot register an emulator for one root (Linux 6.7 or newer can), and $name is not" \
      "registered for the machine. Install binfmt-support, which registers it, and repeat." >&2
    exit 3
  fi
}

mount_devices() { # folder: a /dev with the harmless devices of this machine
  local device
  mount -t tmpfs -o mode=755,size=1m devices "$1"
  for device in null zero full random urandom tty; do
    touch "$1/$device"
    mount --bind "/dev/$device" "$1/$device"
  done
  mkdir "$1/pts" "$1/shm"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$1/pts"
  mount -t tmpfs -o mode=1777 shm "$1/shm"
  ln -s pts/ptmx "$1/ptmx"
  ln -s /proc/self/fd "$1/fd"
  ln -s /proc/self/fd/0 "$1/stdin"
  ln -s /proc/self/fd/1 "$1/stdout"
  ln -s /proc/self/fd/2 "$1/stderr"
}

bind() { # root SOURCE:TARGET[:rw]
  local source target mode
  IFS=: read -r source target mode <<<"$2"
  if [ -d "$source" ]; then mkdir -p "$1$target"; else mkdir -p "$(dirname "$1$target")"; touch "$1$target"; fi
  mount --bind "$source" "$1$target"
  [ "$mode" = rw ] || mount -o remount,bind,ro "$1$target"
}

inside() { # the first process of the namespaces: mounts, and adopts orphans until its standard input ends
  local root=$1 host_name=$2 emulator=$3 init _ folder
  shift 3
  read -r init _ </proc/self/stat # the id that this machine knows it by: /proc is still the machine's
  mount --make-rprivate /
  hostname "$host_name"
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount_devices "$root/dev"
  mount -t tmpfs -o mode=755 run "$root/run"
  mkdir -m 1777 "$root/run/lock"
  for folder in "$@"; do bind "$root" "$folder"; done
  [ "$emulator" = none ] || register_emulator "$root" "$emulator"
  echo "$init"
  exec >/dev/null
  # A built-in command: the shell itself stays the process that adopts and reaps.
  while read -r _; do :; done
}

if [ "$1" = --inside ]; then
  shift
  inside "$@"
  exit
fi

readonly own_namespaces=(--mount --pid --uts --ipc --fork --kill-child=KILL)
if [ "$3" = none ]; then exec unshare "${own_namespaces[@]}" "$0" --inside "$@"; fi

# binfmt_misc is private to a user namespace. Users and groups keep their numbers in it.
unshare --user sleep infinity </dev/null >/dev/null &
holder=$!
trap 'kill "$holder" 2>/dev/null || true' EXIT
while [ "$(readlink "/proc/$holder/ns/user")" = "$(readlink /proc/self/ns/user)" ]; do kill -0 "$holder"; done
echo "0 0 4294967295" >"/proc/$holder/uid_map"
echo "0 0 4294967295" >"/proc/$holder/gid_map"
nsenter --user --target "$holder" unshare "${own_namespaces[@]}" "$0" --inside "$@"
