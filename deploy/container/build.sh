#!/usr/bin/env bash
# Builds the image from the committed sources: deploy/container/build.sh [TAG]
# Uses buildah, podman or docker, whichever exists. The time stamps are those of the commit (SOURCE_DATE_EPOCH), so that two
# builds of one commit on the same base image give the same layers with buildah and podman.
set -euo pipefail
cd "$(dirname "$0")/../.."

commit=$(git rev-parse HEAD)
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
tag=${1:-switchyard:$version}
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

tool=""
for candidate in buildah podman docker; do
  if command -v "$candidate" >/dev/null; then tool=$candidate; break; fi
done
if [ -z "$tool" ]; then
  echo "install buildah, podman or docker to build the image" >&2
  exit 69
fi

# What is not committed does not reach the image.
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
git archive --format=tar HEAD | tar -x -C "$context"

args=(
  --file "$context/deploy/container/Containerfile"
  --build-arg "SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH"
  --build-arg "VERSION=$version"
  --build-arg "REVISION=$commit"
  --tag "$tag"
)
[ -n "${NODE_IMAGE:-}" ] && args+=(--build-arg "NODE_IMAGE=$NODE_IMAGE")
echo "building $tag of $commit with $tool" >&2
case $tool in
  # The OCI format has no health check.
  buildah | podman) "$tool" build --format docker --timestamp "$SOURCE_DATE_EPOCH" "${args[@]}" "$context" ;;
  docker) docker build "${args[@]}" "$context" ;;
esac
