/**
 * Removes from an image what differs with every build: the id and the host name of the container in which it was made.
 *
 * node deploy/container/without-container.mjs FOLDER, the image as `buildah push … dir:FOLDER` writes it
 */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2] ?? '.';
const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
const nameOf = (digest) => join(folder, digest.replace('sha256:', ''));
const before = nameOf(manifest.config.digest);
const { container: _, container_config: __, ...config } = JSON.parse(readFileSync(before, 'utf8'));
config.config.Hostname = '';
const text = JSON.stringify(config);
const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
rmSync(before);
writeFileSync(nameOf(digest), text);
manifest.config = { ...manifest.config, digest, size: Buffer.byteLength(text) };
writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
