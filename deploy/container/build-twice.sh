#!/usr/bin/env bash
# Builds the image twice and compares the two: deploy/container/build-twice.sh [SCRIPT]
# SCRIPT is build-from-debian.sh unless it is given. Prints both digests; status 1 when they differ.
set -euo pipefail
cd "$(dirname "$0")"
script=${1:-build-from-debian.sh}
export STORAGE_DRIVER=${STORAGE_DRIVER:-vfs}
# commits that are made meanwhile must not count
COMMIT=$(git rev-parse HEAD)
export COMMIT
digest() { buildah inspect --type image --format '{{.FromImageDigest}}' "$1"; }
for name in first second; do "./$script" "switchyard:$name"; done
if [ "$(digest switchyard:first)" = "$(digest switchyard:second)" ]; then
  echo "equal: $(digest switchyard:first)"
else
  echo "different: $(digest switchyard:first), $(digest switchyard:second)"
  exit 1
fi
