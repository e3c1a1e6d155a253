#!/usr/bin/env bash
# Builds the image without a registry of images: deploy/container/build-from-debian.sh [TAG]
# The root file system holds packages of Debian (those of the machine that builds), the node of this machine, and the committed
# sources (HEAD, or COMMIT) with their packages of production. Needs root, buildah, apt and npm. Two builds of one commit on the same
# state of Debian's archive give the same image: all time stamps are those of the commit.
set -euo pipefail
cd "$(dirname "$0")/../.."

commit=$(git rev-parse "${COMMIT:-HEAD}")
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
tag=${1:-switchyard:$version}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct "$commit")}
export SOURCE_DATE_EPOCH
node=$(readlink -f "$(command -v node)")
# One folder for every build: what compilers write does not depend on where they ran.
work=${BUILD_DIR:-/var/tmp/switchyard-image}
rm -rf "$work"
mkdir -p "$work/root" "$work/packages"
trap 'rm -rf "$work"' EXIT

# What node, PostgreSQL's initdb (a shell) and Git over HTTPS and SSH need. Scripts of packages do not run, so what only they
# need is left out: Perl, debconf, accounts.
wanted="base-files netbase tzdata ca-certificates dash coreutils libstdc++6 zlib1g git openssh-client"
left_out='^(perl|perl-.*|libperl.*|liberror-perl|git-man|debconf.*|cdebconf.*|adduser|passwd|openssl|dpkg|tar|lib.*perl|gawk|mawk|original-awk|awk|debianutils|libpam.*|libaudit.*|libdb5.*|libcrypt1-dev|libsemanage.*|libsepol.*|login|gcc-12-base|install-info|libdebian-installer4|libnewt.*|libslang2|libtextwrap1|libgdbm.*|libmpfr6|libsigsegv2|libreadline8|readline-common)$'
# shellcheck disable=SC2086 # one package a word
packages=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances $wanted |
  grep '^[a-z0-9]' | sed 's/:any$//' | sort -u | grep -Ev "$left_out" | while read -r name; do
    # Virtual packages have no version.
    if apt-cache show --no-all-versions "$name" 2>/dev/null | grep '^Version' > /dev/null; then echo "$name"; fi
  done)
# shellcheck disable=SC2086
(cd "$work/packages" && apt-get download -qq $packages 2>/dev/null)
# A merged /usr, as Debian has it: packages that still name /bin and /lib follow these links.
(cd "$work/root" && mkdir -p usr/bin usr/sbin usr/lib usr/lib64 && ln -s usr/bin bin && ln -s usr/sbin sbin && ln -s usr/lib lib && ln -s usr/lib64 lib64)
for file in "$work"/packages/*.deb; do
  # tar follows the links above; dpkg-deb --extract would replace them.
  dpkg-deb --fsys-tarfile "$file" | tar -x -C "$work/root" --keep-directory-symlink --no-same-owner
done
(cd "$work/packages" && for file in *.deb; do dpkg-deb --showformat '${Package} ${Version}\n' --show "$file"; done) |
  LC_ALL=C sort > "$work/root/usr/share/packages.txt"
cd "$work/root"
rm -rf usr/share/doc usr/share/man usr/share/info usr/share/locale usr/share/lintian usr/share/bug usr/share/i18n \
  usr/share/doc-base usr/share/bash-completion usr/lib/*/perl* usr/share/perl* usr/share/git-core/contrib var/cache var/lib/dpkg \
  usr/lib/*/gconv etc/cron* usr/share/gitweb usr/lib/systemd usr/lib/git-core/git-gui* usr/bin/git-shell usr/bin/scalar \
  usr/lib/git-core/scalar usr/lib/git-core/git-shell usr/lib/git-core/git-daemon usr/lib/git-core/git-http-push \
  usr/lib/git-core/git-http-backend usr/lib/git-core/git-imap-send usr/lib/git-core/git-sh-i18n--envsubst usr/share/zoneinfo/right usr/share/zoneinfo/posix
mkdir -p etc/ssl/certs tmp data proc sys dev
find usr/share/ca-certificates -name '*.crt' | LC_ALL=C sort | xargs cat > etc/ssl/certs/ca-certificates.crt
printf 'root:x:0:0:root:/root:/usr/sbin/nologin\nswitchyard:x:10001:10001::/data:/usr/sbin/nologin\n' > etc/passwd
printf 'root:x:0:\nswitchyard:x:10001:\n' > etc/group
ln -sf dash usr/bin/sh
cp "$node" usr/bin/node
strip --strip-unneeded usr/bin/node 2>/dev/null || true
chmod 1777 tmp
chmod 0700 data
chown 10001:10001 data
cd - > /dev/null

# The sources, their packages of production, and what the service would otherwise compile at its start.
app="$work/root/opt/switchyard"
mkdir -p "$app"
git archive --format=tar "$commit" | tar -x -C "$app"
(
  cd "$app"
  export NODE_ENV=development npm_config_cache="${npm_config_cache:-$work/npm}"
  npm ci --no-audit --no-fund --silent
  npm run --silent --if-present web:build
  npm prune --omit=dev --no-audit --no-fund --silent
  rm -rf test bench web/node_modules
  deploy/container/slim.sh
  # Where it will run: the bundle and its record name the folder of the sources.
  chroot "$work/root" /bin/sh -c "cd /opt/switchyard && node -e \"import('./server/app/compile.mjs').then(({ compile }) => compile({ main: 'server/main.ts' }))\""
  chmod -R a+rX .
)
find "$work/root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +

# The OCI format has no health check.
export BUILDAH_FORMAT=docker BUILDAH_ISOLATION=chroot STORAGE_DRIVER=${STORAGE_DRIVER:-vfs}
container=$(buildah from scratch)
trap 'buildah rm "$container" > /dev/null; rm -rf "$work"' EXIT
buildah add --quiet "$container" "$work/root" / > /dev/null
buildah config \
  --author Switchyard --user 10001:10001 --workingdir /opt/switchyard --port 3000 --volume /data --stop-signal SIGTERM \
  --env PATH=/usr/bin --env NODE_ENV=production --env HOST=0.0.0.0 --env PORT=3000 --env DATA_DIR=/data \
  --label org.opencontainers.image.title=Switchyard \
  --label org.opencontainers.image.licenses=Apache-2.0 \
  --label "org.opencontainers.image.version=$version" --label "org.opencontainers.image.revision=$commit" \
  --entrypoint '["node","--enable-source-maps","server/app/launch.cjs"]' \
  --healthcheck 'CMD node deploy/container/health-check.mjs' --healthcheck-interval 10s --healthcheck-timeout 3s \
  --healthcheck-start-period 60s --healthcheck-retries 3 "$container"
buildah commit --quiet --format docker --timestamp "$SOURCE_DATE_EPOCH" "$container" "$tag" > /dev/null
# What differs with every build: the id and the host name of the container in which the image was made.
buildah push --quiet --format v2s2 "$tag" "dir:$work/image"
node deploy/container/without-container.mjs "$work/image"
buildah rmi --force "$tag" > /dev/null
buildah tag "$(buildah pull --quiet "dir:$work/image")" "$tag"
echo "built $tag of $commit: $(du -sm --apparent-size "$work/root" | cut -f1) MB unpacked, digest $(buildah inspect --type image --format '{{.FromImageDigest}}' "$tag")"
