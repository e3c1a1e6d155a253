#!/usr/bin/env bash
# Checks the files of deploy/ with the tools that read them, and prints a line for each: deploy/check.sh
# helm and kubeconform: go install helm.sh/helm/v3/cmd/helm@v3.16.4 github.com/yannh/kubeconform/cmd/kubeconform@v0.6.7
# check-jsonschema, which brings the schema of Compose with it: pip install check-jsonschema.
# kubernetes-validate, which brings the schemas of Kubernetes with it: pip install kubernetes-validate. kubeconform fetches them instead
# (KUBE_SCHEMAS names another place, in its notation). A tool that is absent is named and skipped.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0
report() { # what, status, output
  if [ "$2" = 0 ]; then echo "ok      $1${3:+: $3}"; else echo "FAILED  $1: $3"; failed=1; fi
}
has() { command -v "$1" > /dev/null || { echo "absent  $1"; return 1; }; }

chart=deploy/helm/switchyard
# The oldest version that the chart accepts, and a recent one.
kubes=${KUBE_VERSION:-1.25.0 1.33.0}
declare -A values=(
  ["existing secret"]="--set existingSecret=switchyard"
  ["own secret and ingress"]="--set secret.databaseUrl=postgres://a/b,secret.secretKey=k,secret.adminPassword=p,ingress.enabled=true"
  ["numbers as values"]="--set-string existingSecret=0123,tlsSecret=0456 --set-json env.EVENTS_KEPT=2000000 --set-json image.tag=20261130"
  ["TLS by the service"]="--set existingSecret=switchyard,tlsSecret=certificate"
)
if has helm; then
  out=$(helm lint "$chart" --set existingSecret=switchyard 2>&1); report "helm lint" $? "$(tail -n 1 <<< "$out")"
  for kube in $kubes; do for name in "${!values[@]}"; do
    # shellcheck disable=SC2086 # several arguments
    objects=$(helm template switchyard "$chart" --kube-version "$kube" ${values[$name]} 2>&1)
    status=$?
    report "helm template, $name, for $kube" $status "$([ $status = 0 ] && grep -c '^kind:' <<< "$objects" || tail -n 1 <<< "$objects") objects"
    [ $status = 0 ] || continue
    if has kubernetes-validate; then
      out=$(kubernetes-validate -k "${kube%.*}" --strict - <<< "$objects" 2>&1)
      report "kubernetes-validate, $name" $? "$(grep -c passed <<< "$out") objects passed, strictly, for ${kube%.*}"
    fi
    if [ -n "${KUBE_SCHEMAS:-}" ] && has kubeconform; then
      out=$(kubeconform -strict -summary -kubernetes-version "$kube" -schema-location "$KUBE_SCHEMAS" - <<< "$objects" 2>&1)
      report "kubeconform, $name" $? "$(tail -n 1 <<< "$out")"
    fi
  done; done
fi
if has systemd-analyze; then
  for unit in deploy/systemd/*.service; do
    out=$(systemd-analyze verify --man=no "$unit" 2>&1); report "systemd-analyze verify $(basename "$unit")" $? "$out"
    out=$(systemd-analyze security --offline=true "$unit" 2>&1); report "exposure of $(basename "$unit")" $? "$(sed -n 's/.*exposure level.*: //p' <<< "$out")"
  done
fi
if has haproxy; then
  pem=$(mktemp)
  openssl req -x509 -newkey rsa:2048 -nodes -keyout "$pem.key" -out "$pem.crt" -days 1 -subj /CN=trial 2> /dev/null
  cat "$pem.crt" "$pem.key" > "$pem"
  sed "s#/etc/haproxy/switchyard.pem#$pem#" deploy/proxies/haproxy.cfg > "$pem.cfg"
  out=$(haproxy -c -f "$pem.cfg" 2>&1); report "haproxy -c" $? "$(tail -n 1 <<< "$out")"
  rm -f "$pem" "$pem.key" "$pem.crt" "$pem.cfg"
fi
if has promtool; then
  out=$(promtool check rules deploy/monitoring/alerts.yml 2>&1); report "promtool check rules" $? "$(grep -o '[0-9]* rules found' <<< "$out")"
  out=$(promtool test rules deploy/monitoring/alerts.test.yml 2>&1); report "promtool test rules" $? "$(tail -n 1 <<< "$out")"
fi
if docker compose version > /dev/null 2>&1; then
  out=$(SECRET_KEY=k POSTGRES_PASSWORD=p ADMIN_PASSWORD=a docker compose -f deploy/container/compose.yaml --env-file /dev/null config --services 2>&1)
  report "docker compose config" $? "$(sort <<< "$out" | xargs)"
fi
if has check-jsonschema; then
  out=$(check-jsonschema --builtin-schema vendor.compose-spec deploy/container/compose.yaml 2>&1); report "compose.yaml by its schema" $? "$out"
fi
for script in deploy/*.sh deploy/*/*.sh; do bash -n "$script"; report "syntax of $script" $? ""; done
exit $failed
