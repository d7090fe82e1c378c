#!/bin/sh
# Makes units of the service, the scheduler and their Redis on this machine, as root, and starts them:
#
#   sudo deploy/systemd/install-server.sh [options]      in a checkout at /opt/ciphermark-server
#
#   (no option)                 listen on the loopback interface: only this machine has access
#   --insecure-lan ADDRESS      listen on this address without encryption, in a network that you trust
#   --tls ADDRESS CERTIFICATE KEY
#                               listen on this address with TLS; two PEM files, which are copied
#   --port PORT                 port of the service (default: 8451); Redis has the next one
#   --no-start                  install only
#
# A further call writes the configuration again with its options. The password of Redis, the data and the results stay.
# Exit codes: 1 a step failed, 2 wrong option, 3 something is missing on this machine.
set -eu
umask 077

user=ciphermark-server
home=/opt/ciphermark-server
configuration=/etc/ciphermark

fail() { # EXIT_CODE WHAT_HAPPENED WHAT_TO_DO
  printf 'install-server: %s\n                %s\n' "$2" "$3" >&2
  exit "$1"
}

address=127.0.0.1 mode=loopback port=8451 start=yes certificate='' key=''
while [ $# -gt 0 ]; do
  case $1 in
    --insecure-lan) [ $# -ge 2 ] || fail 2 "--insecure-lan needs an address." "Choose one of: hostname -I"
      mode=insecure address=$2; shift 2 ;;
    --tls) [ $# -ge 4 ] || fail 2 "--tls needs an address and two files." "--tls ADDRESS CERTIFICATE KEY"
      mode=tls address=$2 certificate=$3 key=$4; shift 4 ;;
    --port) [ $# -ge 2 ] || fail 2 "--port needs a number." "For example: --port 8451"
      port=$2; shift 2 ;;
    --no-start) start=no; shift ;;
    *) fail 2 "$1 is not an option." "See the first lines of $0." ;;
  esac
done
case $port in ''|*[!0-9]*) fail 2 "--port has the value '$port', expected a number." "For example: --port 8451" ;; esac
[ "$port" -ge 1 ] && [ "$port" -le 65534 ] || fail 2 "--port is $port, expected 1 to 65534." "For example: --port 8451"
case $address in ''|*[!0-9A-Za-z.:-]*) fail 2 "'$address' is not an address." "Choose one of: hostname -I" ;; esac
case $address in 0.0.0.0|::) fail 2 "$address is not an address that devices can reach." "Choose one of: hostname -I" ;; esac
[ "$(id -u)" -eq 0 ] || fail 3 "This needs root." "Repeat it with sudo."
[ -d /run/systemd/system ] || fail 3 "systemd is not running on this machine." "Without it, use 'ciphermark up' or docker compose."
[ -x $home/.venv/bin/ciphermark ] || fail 3 "$home/.venv is missing." "In $home, type: scripts/setup.sh demo && scripts/venv.sh service"
[ -x /usr/bin/redis-server ] || fail 3 "redis-server is not installed." "In $home, type: scripts/setup.sh demo"
if [ $mode = tls ]; then
  for file in "$certificate" "$key"; do
    [ -r "$file" ] || fail 2 "$file cannot be read." "Name a certificate and its key in PEM format."
  done
fi

id $user >/dev/null 2>&1 ||
  useradd --system --user-group --home-dir /var/lib/$user --no-create-home --shell /usr/sbin/nologin $user
install -d -m 755 $configuration

# The password is in files and in built-in commands of the shell only, never in the arguments of a process.
password=''
if [ -r $configuration/redis.conf ]; then
  while read -r word name _ secret _; do
    if [ "$word $name" = 'user ciphermark' ]; then password=${secret#>}; fi
  done <$configuration/redis.conf
fi
[ -n "$password" ] || password=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')

shown=$address scheme=http broker=redis
case $address in *:*) shown="[$address]" ;; esac
if [ $mode = tls ]; then
  scheme=https broker=rediss
  install -m 640 -g $user "$certificate" $configuration/certificate.pem
  install -m 640 -g $user "$key" $configuration/key.pem
fi

redis_listener() {
  case $mode in
    loopback) printf 'bind 127.0.0.1\nport %s\n' $((port + 1)) ;;
    insecure) printf 'bind %s\nport %s\n' "$address" $((port + 1)) ;;
    tls) printf 'bind %s\nport 0\ntls-port %s\ntls-auth-clients no\n' "$address" $((port + 1))
      printf 'tls-cert-file %s/certificate.pem\ntls-key-file %s/key.pem\n' $configuration $configuration ;;
  esac
}

write() { # FILE: from standard input, readable by the user of the units, replaced in one step
  cat >"$1.new"
  chown root:$user "$1.new"
  chmod 640 "$1.new"
  mv "$1.new" "$1"
}

{
  cat <<END
# Written by install-server.sh. The default user is disabled; the scheduler makes a user for each agent.
dir /var/lib/$user/redis
unixsocket /run/$user/redis.sock
unixsocketperm 700
END
  cat $home/deploy/redis.conf
  redis_listener
  printf 'user ciphermark on >%s ~* &* +@all\n' "$password"
  echo 'user default off resetpass resetkeys resetchannels ~* -@all +@write'
} | write $configuration/redis.conf

{
  cat <<END
# Written by install-server.sh. docs/settings.md describes every variable.
CIPHERMARK_DATA_FOLDER=/var/lib/$user
CIPHERMARK_CACHE_FOLDER=/var/cache/$user
CIPHERMARK_HOST=$address
CIPHERMARK_PORT=$port
CIPHERMARK_PUBLIC_URL=$scheme://$shown:$port
CIPHERMARK_AGENT_BROKER_URL=$broker://$shown:$((port + 1))/0
END
  printf 'CIPHERMARK_REDIS_URL=redis+socket://ciphermark:%s@/run/%s/redis.sock\n' "$password" $user
  case $mode in
    insecure) echo CIPHERMARK_INSECURE_LAN=true ;;
    tls) printf 'CIPHERMARK_TLS_CERTIFICATE=%s/certificate.pem\nCIPHERMARK_TLS_KEY=%s/key.pem\n' $configuration $configuration ;;
  esac
} | write $configuration/service.env

# The command line with the service's settings and user.
cat >/usr/local/sbin/ciphermark-server <<END
#!/bin/sh
# Written by install-server.sh:  sudo ciphermark-server agents invite
set -a
. $configuration/service.env
cd /
exec setpriv --reuid=$user --regid=$user --init-groups $home/.venv/bin/ciphermark "\$@"
END
chmod 755 /usr/local/sbin/ciphermark-server

# Debian's package starts a Redis of its own, which is not used.
systemctl disable --quiet --now redis-server 2>/dev/null || true
units='ciphermark-redis ciphermark-service ciphermark-scheduler'
for unit in $units; do install -m 644 "$home/deploy/systemd/$unit.service" /etc/systemd/system/; done
systemctl daemon-reload
# shellcheck disable=SC2086 # a list of words
systemctl enable --quiet $units
[ $start = yes ] || exit 0
# shellcheck disable=SC2086 # a list of words
systemctl restart $units || fail 1 "A unit did not start." "See: journalctl -u ciphermark-redis -u ciphermark-service"
echo "The service starts at $scheme://$shown:$port. Its log: journalctl -fu ciphermark-service"
