#!/usr/bin/env bash
# Installs the units in a small Debian of its own, boots it, and uses the service: deploy/systemd/try-units.sh [FOLDER]
# FOLDER keeps that Debian for the next time. Needs root, debootstrap, systemd-container (systemd need not run here), npm, curl and an
# archive of Debian. SOURCES names a prepared checkout (prepare.sh); else HEAD is prepared. Prints what it measured; status 1 when
# something does not hold.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-/var/tmp/switchyard-units}
machine=$folder/root
port=3997
databasePort=5497
password=a-password-for-trials
fail() { echo "FAILED: $1"; exit 1; }

if [ ! -e "$folder/made" ]; then
  rm -rf "$machine"
  mkdir -p "$folder"
  debootstrap --variant=minbase --include=systemd,systemd-sysv,libstdc++6,git,postgresql \
    "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$machine" > "$folder/debootstrap.log"
  touch "$folder/made"
fi
# As docs/deployment.md says; node is the one of this machine.
cp --remove-destination "$(readlink -f "$(command -v node)")" "$machine/usr/bin/node"
rm -rf "$machine/opt/switchyard" "$machine/var/lib/switchyard"* "$machine/etc/switchyard"
mkdir -p "$machine/opt/switchyard"
if [ -n "${SOURCES:-}" ]; then
  cp -a "$SOURCES/." "$machine/opt/switchyard/"
else
  git archive --format=tar HEAD | tar -x -C "$machine/opt/switchyard"
  "$machine/opt/switchyard/deploy/systemd/prepare.sh" > "$folder/prepare.log" 2>&1
fi
chroot "$machine" sh -c 'id switchyard > /dev/null 2>&1 || useradd --system --home /var/lib/switchyard --shell /usr/sbin/nologin switchyard'
chroot "$machine" sh -c 'cd /opt/switchyard &&
  install -D -m 0640 -g switchyard deploy/systemd/switchyard.env /etc/switchyard/switchyard.env &&
  install -m 0644 deploy/systemd/*.service /etc/systemd/system/'
# The bundle names the folder of its sources: it is compiled where it runs.
chroot "$machine" sh -c "cd /opt/switchyard && node -e \"import('./server/app/compile.mjs').then(({ compile }) => compile({ main: 'server/main.ts' }))\""
settings=$machine/etc/switchyard/switchyard.env
sed -i "s/^PORT=.*/PORT=$port/" "$settings"
echo "ADMIN_PASSWORD=$password" >> "$settings"
sed -i "s/^port = .*/port = $databasePort/" "$machine"/etc/postgresql/*/main/postgresql.conf
chroot "$machine" systemctl --quiet disable postgresql

systemd-nspawn --quiet --directory="$machine" --machine="switchyard-trial-$$" --register=no --keep-unit --boot \
  > "$folder/boot.log" 2>&1 < /dev/null &
nspawn=$!
finish() {
  local status=$?
  [ $status = 0 ] || inside journalctl --no-pager -n 20 -u 'switchyard*' >&2 || true
  # systemd ends at SIGRTMIN+4, which nspawn passes on.
  kill -RTMIN+4 "$init" 2> /dev/null || kill "$nspawn" 2> /dev/null
  wait "$nspawn" 2> /dev/null
  exit $status
}
trap finish EXIT
init=""
inside() { nsenter --target "$init" --all "$@"; }
until init=$(pgrep --parent "$nspawn") && inside systemctl is-system-running 2> /dev/null | grep -Eq 'running|degraded'; do
  kill -0 "$nspawn" 2> /dev/null || { cat "$folder/boot.log" >&2; exit 1; }
  sleep 0.5
done

now() { date +%s%3N; }
url=http://127.0.0.1:$port
awaitReady() { # what failed when it does not become ready
  local begun
  begun=$(now)
  until curl -sf "$url/health/ready" > /dev/null; do
    [ $(($(now) - begun)) -lt 90000 ] || fail "$1"
    sleep 0.1
  done
  taken=$(($(now) - begun))
}
show() { inside systemctl show --value --property "$2" "$1"; }

inside systemctl --quiet enable --now switchyard
awaitReady 'switchyard.service is not ready'
echo "switchyard.service: ready after $taken ms, $(inside systemctl --version | head -n 1)"
main=$(show switchyard MainPID)
echo "  $(inside sh -c "id -un \$(sed -n 's/^Uid:\t\([0-9]*\).*/\1/p' /proc/$main/status)"), $(inside sed -n 's/^\(CapEff\|NoNewPrivs\|Seccomp\):\t/\1 /p' "/proc/$main/status" | xargs)"
inside nsenter --target "$main" --mount touch /opt/switchyard/written 2> /dev/null && fail 'it can write to /opt'
inside nsenter --target "$main" --mount touch /var/lib/switchyard/written || fail 'it cannot write to its own folder'
token=$(curl -sf "$url/login" -H 'Content-Type: application/json' -d "{\"username\":\"admin\",\"password\":\"$password\"}")
curl -sf "$url/whoami" -H "Authorization: Bearer $token" > /dev/null || fail 'the sign-in does not hold'
[ "$(curl -s -o /dev/null -w '%{http_code}' "$url/console")" = 200 ] || fail 'the console is not served'
echo '  signed in; the console is served; /opt cannot be written'

inside systemctl reload switchyard
curl -sf "$url/health/ready" > /dev/null || fail 'it does not answer after a reload'
inside systemctl kill --kill-whom=main --signal=KILL switchyard
sleep 1
awaitReady 'it did not come back after kill -9'
echo "  kill -9: ready again after $taken ms more, restarts: $(show switchyard NRestarts)"

begun=$(now)
inside systemctl stop switchyard
echo "  stopped after $(($(now) - begun)) ms: $(show switchyard Result), processes left: $(inside find /proc -maxdepth 1 -user switchyard 2> /dev/null | wc -l)"
[ "$(show switchyard Result)" = success ] || fail 'the stop was no success'

echo 'LOG_LEVEL=loud' >> "$settings"
inside systemctl start switchyard
sleep 8
[ "$(show switchyard ExecMainStatus)" = 78 ] || fail "a wrong configuration ended with $(show switchyard ExecMainStatus)"
echo "  wrong configuration: status 78, $(show switchyard ActiveState), restarts: $(show switchyard NRestarts)"
sed -i '/^LOG_LEVEL=loud/d' "$settings"
inside systemctl reset-failed switchyard

# A worker, on PostgreSQL.
inside systemctl start postgresql
inside su postgres -c "PGOPTIONS=--client-min-messages=warning psql -q -p $databasePort -c \"drop database if exists switchyard\" -c \"drop role if exists switchyard\" -c \"create role switchyard login password 'trial'\" -c \"create database switchyard owner switchyard\""
{
  echo "DATABASE_URL=postgres://switchyard:trial@127.0.0.1:$databasePort/switchyard"
  echo "SECRET_KEY=$(openssl rand -base64 32)"
} >> "$settings"
echo "PORT=$((port + 1))" > "$machine/etc/switchyard/worker-1.env"
inside systemctl start switchyard switchyard-worker@1
awaitReady 'switchyard.service is not ready on PostgreSQL'
url=http://127.0.0.1:$((port + 1)) awaitReady 'switchyard-worker@1 is not ready'
echo "switchyard-worker@1.service: ready, with $(inside su postgres -c "psql -p $databasePort -Atc 'show server_version'") of PostgreSQL"
begun=$(now)
inside systemctl stop switchyard switchyard-worker@1
for unit in switchyard switchyard-worker@1; do [ "$(show $unit Result)" = success ] || fail "the stop of $unit was no success"; done
echo "  both stopped after $(($(now) - begun)) ms: success"
inside systemctl stop postgresql
