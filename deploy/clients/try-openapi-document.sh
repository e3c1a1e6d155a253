#!/usr/bin/env bash
# Sends what the OpenAPI document of a running service describes, valid and invalid, and checks the answers against it:
# ADMIN_PASSWORD=… deploy/clients/try-openapi-document.sh http://127.0.0.1:3000 '^/(tags|secrets)' [further options of st run]
# It changes and deletes what it finds: use `npm run demo`. Needs curl, jq and Schemathesis (pip install schemathesis==4.32.5).
# The expression selects paths; all of them take two hours on two cores. Left out are paths that end the session or its account, never
# end, stop applications, or send to other systems. Denied credentials are throttled, so that they are not tried.
set -euo pipefail
url=${1:?the address of a running service} paths=${2:?an expression for paths}
shift 2
: "${ADMIN_PASSWORD:?the password of admin}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
json='Content-Type: application/json'
session=$(jq -n '{user: {username: "admin", password: env.ADMIN_PASSWORD}}' | curl -sf "$url/login" -H "$json" -d @-)
token=$(curl -sf "$url/user/tokens" -H "Authorization: Bearer $session" -H "$json" -d '{"name":"trial"}' | jq -r .token)
curl -sf "$url/openapi.json" > "$folder/openapi.json"
cd "$folder"
st run openapi.json --url "$url" -H "Authorization: Bearer $token" --include-path-regex "$paths" \
  --exclude-path-regex '^/(log(in|out)|events$|user/|authorization/tokens|applications/\{name\}/(stop|restart)|profiles/\{id\}/active|adapters/logs|git/|oauth/token|sign_in/oidc|.*/(test|sync|pull|push)$|automationgateway/(cli/send|gnoi))' \
  --checks all --exclude-checks ignored_auth --continue-on-failure --no-shrink --suppress-health-check all --max-examples 12 \
  --generation-allow-x00 false --generation-database none --request-timeout 30 "$@"
