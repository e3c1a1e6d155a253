#!/usr/bin/env bash
# Makes an image of this machine's PostgreSQL, to try compose.yaml where no registry of images can be reached:
# deploy/container/postgres-from-debian.sh [TAG]
# Needs root, docker, and Debian's postgresql. It reads POSTGRES_DB, POSTGRES_USER and POSTGRES_PASSWORD and keeps its data in
# /var/lib/postgresql/data, as the official image does. It is for trials: run the official image.
set -euo pipefail
tag=${1:-switchyard-trial-postgres}
programs=$(find /usr/lib/postgresql/*/bin -maxdepth 0 | sort -V | tail -n 1)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

copy() { # a file or folder, to the same path
  mkdir -p "$root$(dirname "$1")"
  [ -e "$root$1" ] || cp -rL "$1" "$root$1"
}
share=${programs/lib/share}
for name in postgres initdb pg_ctl psql pg_isready; do copy "$programs/${name}"; done
mkdir -p "$root${programs%/bin}/lib"
cp "${programs%/bin}"/lib/*.so "$root${programs%/bin}/lib"
rm -f "$root${programs%/bin}/lib/llvmjit.so" # needs all of LLVM
copy "${share%/bin}"
for tool in dash mkdir chown chmod id cat; do copy "$(command -v $tool)"; done
copy "$(command -v setpriv)"
copy /usr/share/zoneinfo
copy /usr/lib/locale/C.utf8
find "$root" -type f \( -name '*.so' -o -path '*/bin/*' \) -exec ldd {} + 2> /dev/null | sed -n 's/.* => \(\/[^ ]*\).*/\1/p; s/^\s*\(\/lib64[^ ]*\).*/\1/p' |
  sort -u | while read -r library; do copy "$library"; done
mkdir -p "$root/bin" "$root/tmp" "$root/run/postgresql" "$root/var/lib/postgresql/data" "$root/etc"
ln -s ../run "$root/var/run"
chmod 1777 "$root/tmp" "$root/run/postgresql"
cp "$(command -v dash)" "$root/bin/sh"
printf 'root:x:0:0::/root:/bin/sh\npostgres:x:999:999::/var/lib/postgresql:/bin/sh\n' > "$root/etc/passwd"
printf 'root:x:0:\npostgres:x:999:\n' > "$root/etc/group"
cat > "$root/start" <<'START'
#!/bin/sh
set -eu
data=/var/lib/postgresql/data
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$data" && chown 999:999 "$data" && chmod 700 "$data"
  exec setpriv --reuid=999 --regid=999 --clear-groups /start
fi
if [ ! -e "$data/PG_VERSION" ]; then
  umask 077
  printf '%s' "$POSTGRES_PASSWORD" > /tmp/password
  initdb -D "$data" -U "$POSTGRES_USER" --pwfile=/tmp/password --auth=scram-sha-256 -E UTF8 --locale=C.UTF-8 > /dev/null
  # Nothing connects over the network before the database exists.
  pg_ctl -D "$data" -w start -o "-c listen_addresses=''" > /dev/null
  PGPASSWORD=$POSTGRES_PASSWORD psql -h /run/postgresql -U "$POSTGRES_USER" -d postgres -c "create database \"$POSTGRES_DB\"" > /dev/null
  pg_ctl -D "$data" -w stop > /dev/null
  echo 'host all all all scram-sha-256' >> "$data/pg_hba.conf"
fi
exec postgres -D "$data" -c listen_addresses='*' -c unix_socket_directories=/run/postgresql
START
chmod 755 "$root/start"
tar -C "$root" -c . | docker import \
  --change 'ENTRYPOINT ["/start"]' --change "ENV PATH=$programs:/usr/bin:/bin" \
  --change 'VOLUME /var/lib/postgresql/data' - "$tag" > /dev/null
echo "made $tag: $("$programs/postgres" --version)"
