#!/bin/sh
# Makes a checkout ready to be run by an account that cannot write to it: deploy/systemd/prepare.sh
# Installs the packages, builds the console, and compiles what the service would otherwise compile at each start.
set -eu
cd "$(dirname "$0")/../.."
export NODE_ENV=development
npm ci --no-audit --no-fund
npm run web:build
npm prune --omit=dev --no-audit --no-fund
node -e "import('./server/app/compile.mjs').then(({ compile }) => compile({ main: 'server/main.ts' }))"
chmod -R a+rX .
