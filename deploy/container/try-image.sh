#!/usr/bin/env bash
# Runs an image as an orchestrator would, without one, and signs in: deploy/container/try-image.sh [TAG]
# Its root file system is read-only, the account is the one of the image without capabilities, and only /data and /tmp can be
# written. Prints what it measured. Needs root, buildah, util-linux and curl.
set -euo pipefail
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$(dirname "$0")/../../package.json")
tag=${1:-switchyard:$version}
export STORAGE_DRIVER=${STORAGE_DRIVER:-vfs}
port=${PORT:-3999}
password=a-password-for-trials

container=$(buildah from --pull-never "$tag")
root=$(buildah mount "$container")
pid=""
cleanup() {
  [ -n "$pid" ] && pkill -TERM -P "$pid" && wait "$pid" || true
  buildah umount "$container" > /dev/null
  buildah rm "$container" > /dev/null
}
trap cleanup EXIT

field() { buildah inspect --type image --format "$1" "$tag"; }
echo "size: $(du -sm --apparent-size "$root" | cut -f1) MB unpacked, digest $(field '{{.FromImageDigest}}')"
echo "user: $(field '{{.Docker.Config.User}}'), entry point: $(field '{{.Docker.Config.Entrypoint}}')"
echo "health check: $(field '{{.Docker.Config.Healthcheck.Test}}')"

# A mount namespace of its own: nothing of this is left on the machine.
inside='set -e
  root=$1; shift
  mount --bind "$root" "$root" && mount -o remount,bind,ro,nosuid "$root"
  mount -t tmpfs -o mode=1777,size=256m tmpfs "$root/tmp"
  mount -t tmpfs -o mode=0700,uid=10001,gid=10001 tmpfs "$root/data"
  mount --rbind /dev "$root/dev" && mount -t proc proc "$root/proc"
  # The bounding set goes first: what runs inside can never gain a capability.
  exec setpriv --no-new-privs --bounding-set=-all,+sys_chroot,+setuid,+setgid \
    chroot --userspec=10001:10001 "$root" "$@"'
unshare --mount --pid --fork --kill-child bash -c "$inside" -- "$root" \
  /usr/bin/env -i PATH=/usr/bin NODE_ENV=production HOST=127.0.0.1 PORT="$port" DATA_DIR=/data LOG_LEVEL=warn ADMIN_PASSWORD="$password" \
  dash -c 'cd /opt/switchyard
    touch /opt/switchyard/x 2> /dev/null && echo "the root file system can be written" && exit 1
    while read -r name value; do [ "$name" = CapEff: ] && echo "account inside: $(id -u):$(id -g), capabilities: $value"; done < /proc/self/status
    exec node --enable-source-maps server/app/launch.cjs' &
pid=$!
begun=$(date +%s%N)
until curl -sf "http://127.0.0.1:$port/health/ready" > /dev/null; do
  kill -0 "$pid" || { echo "the container ended"; exit 1; }
  [ $(($(date +%s%N) - begun)) -lt 120000000000 ] || { echo "not ready within 120 s"; exit 1; }
  sleep 0.2
done
echo "ready after $((($(date +%s%N) - begun) / 1000000)) ms"
token=$(curl -sf "http://127.0.0.1:$port/login" -H 'Content-Type: application/json' -d "{\"user\":{\"username\":\"admin\",\"password\":\"$password\"}}")
echo "signed in: $(curl -sf "http://127.0.0.1:$port/whoami" -H "Authorization: Bearer $token" | head -c 80)…"
echo "console: $(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/console")"
PORT=$port node "$root/opt/switchyard/deploy/container/health-check.mjs" && echo "the health check of the image succeeds"
begun=$(date +%s%N)
pkill -TERM -P "$pid" # unshare ignores the signal: its child is the service
status=0
wait "$pid" || status=$?
pid=""
[ $status = 0 ] || { echo "SIGTERM ended it with status $status"; exit 1; }
echo "SIGTERM: ended with status 0 after $((($(date +%s%N) - begun) / 1000000)) ms"
