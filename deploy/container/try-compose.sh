#!/usr/bin/env bash
# Starts compose.yaml as it is, uses it, and removes it again: deploy/container/try-compose.sh [TAG]
# Needs docker and its compose plugin, curl and jq. POSTGRES_IMAGE selects the image of PostgreSQL; postgres-from-debian.sh makes one
# where no registry can be reached. Prints what it measured; status 1 when something does not hold.
set -euo pipefail
cd "$(dirname "$0")"
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' ../../package.json)
export SWITCHYARD_IMAGE=${1:-switchyard:$version}
export PUBLISHED_PORT=${PUBLISHED_PORT:-3998}
SECRET_KEY=$(openssl rand -base64 32)
POSTGRES_PASSWORD=$(openssl rand -hex 16)
ADMIN_PASSWORD=$(openssl rand -hex 12)
export SECRET_KEY POSTGRES_PASSWORD ADMIN_PASSWORD
url=http://127.0.0.1:$PUBLISHED_PORT
compose() { docker compose --project-name switchyard-trial --env-file /dev/null "$@"; }
finish() {
  status=$?
  [ $status = 0 ] || compose logs --tail 20 >&2
  compose down --volumes --timeout 20 > /dev/null 2>&1
  exit $status
}
trap finish EXIT
fail() { echo "FAILED: $1"; exit 1; }
now() { date +%s%3N; }
inspect() { docker inspect --format "$2" "$(compose ps --all --quiet "$1" | head -n 1)"; }

(unset SECRET_KEY; compose config > /dev/null 2>&1) && fail 'a file without SECRET_KEY is accepted'
echo "compose: $(docker compose version --short), services: $(compose config --services | sort | xargs)"
begun=$(now)
compose up --detach --wait --wait-timeout 180 > /dev/null 2>&1 || fail 'not every service became healthy'
echo "healthy after $(($(now) - begun)) ms: $(compose ps --format '{{.Service}}={{.Health}}' | sort | xargs)"
for service in switchyard worker; do
  echo "$service: account $(inspect "$service" '{{.Config.User}}'), read-only root: $(inspect "$service" '{{.HostConfig.ReadonlyRootfs}}'), capabilities without: $(inspect "$service" '{{.HostConfig.CapDrop}}')"
  compose exec -T "$service" sh -c ': > /opt/switchyard/written' 2> /dev/null && fail "$service can write to its root"
done

token=$(curl -sf "$url/login" -H 'Content-Type: application/json' -d "{\"username\":\"admin\",\"password\":\"$ADMIN_PASSWORD\"}")
call() { curl -sf -X "$1" "$url$2" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' ${3:+-d "$3"}; }
[ "$(curl -s -o /dev/null -w '%{http_code}' "$url/console")" = 200 ] || fail 'the console is not served'
echo "signed in as $(call GET /whoami | jq -r '.username'), the console is served"

step='{"type":"standard","state":"success"}'
call POST /automation-studio/automations "{\"automation\":{\"name\":\"of the trial\",\"type\":\"automation\",
  \"tasks\":{\"workflow_start\":{\"name\":\"workflow_start\"},\"workflow_end\":{\"name\":\"workflow_end\"}},
  \"transitions\":{\"workflow_start\":{\"workflow_end\":$step},\"workflow_end\":{}}}}" > /dev/null
runJob() {
  local id
  id=$(call POST /operations-manager/jobs/start '{"workflow":"of the trial","options":{}}' | jq -r '.data._id')
  for _ in $(seq 100); do
    [ "$(call GET "/operations-manager/jobs/$id" | jq -r '.data.status')" = complete ] && return
    sleep 0.1
  done
  fail 'a job did not end'
}
runJob
compose up --detach --wait --scale worker=2 worker > /dev/null 2>&1 || fail 'a second worker did not become healthy'
echo "a job ended; workers: $(compose ps --quiet worker | wc -l)"

compose kill database > /dev/null 2>&1
[ "$(curl -s -o /dev/null -w '%{http_code}' "$url/health/ready")" = 503 ] || fail 'it says that it is ready without its database'
compose start database > /dev/null 2>&1
begun=$(now)
until curl -sf "$url/health/ready" > /dev/null; do
  [ $(($(now) - begun)) -lt 60000 ] || fail 'not ready again within 60 s'
  sleep 0.1
done
runJob
echo "the database was killed and started: ready again after $(($(now) - begun)) ms, and a job ended"

begun=$(now)
compose stop switchyard worker > /dev/null 2>&1
for service in switchyard worker; do
  [ "$(inspect "$service" '{{.State.ExitCode}}')" = 0 ] || fail "$service ended with status $(inspect "$service" '{{.State.ExitCode}}')"
done
echo "stopped with status 0 after $(($(now) - begun)) ms"
