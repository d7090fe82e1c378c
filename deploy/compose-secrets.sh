#!/bin/sh
# Makes the secrets of docker-compose.yml in the folder secrets/, once:  deploy/compose-secrets.sh
#
#   secrets/server.env         address of Redis with its password, for the service and the scheduler (mode 0600)
#   secrets/redis-users.acl    users of Redis: the SHA-256 of the password, and no default user
#   secrets/agent.env          the join code of the agent; empty until `docker compose exec` writes one into it
#
# No secret is in the arguments of a process or in docker-compose.yml. To change the password, delete the folder,
# repeat this command, and start Redis, the service and the scheduler again.
set -eu
umask 077

cd "$(dirname "$0")/.."
if [ -e secrets/server.env ]; then exit 0; fi
mkdir -p secrets
# printf is part of the shell.
password=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
sha256=$(printf %s "$password" | sha256sum | cut -d' ' -f1)
{
  echo 'user default off resetpass resetkeys resetchannels ~* -@all +@write'
  printf 'user ciphermark on #%s ~* &* +@all\n' "$sha256"
} >secrets/redis-users.acl
# The container's Redis has another user id. The file has only the hash of 256 random bits.
chmod 644 secrets/redis-users.acl
: >secrets/agent.env
# Last: its presence means that all are complete.
printf 'CIPHERMARK_REDIS_URL=redis://ciphermark:%s@redis:6379/0\n' "$password" >secrets/server.env.new
mv secrets/server.env.new secrets/server.env
