#!/bin/sh
# Removes from the packages of production what the service never reads: deploy/container/slim.sh, in the folder of the sources.
# Lock files, caches, maps and types; parts of packages that only their own developers use; the TypeScript compiler, which a
# package names for its types; all fonts but the two of documents (docs/decisions/0133).
set -eu
cd node_modules
rm -rf .cache .package-lock.json typescript pdfkit/.yarn pdfkit/js/pdfkit.standalone.js superjson/src bintrees/test
find . -type f \( -name '*.map' -o -name '*.md' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
find dejavu-fonts-ttf -type f ! -name DejaVuSans.ttf ! -name DejaVuSans-Bold.ttf ! -name package.json ! -name LICENSE -delete
