import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fetchPackage } from '#server/domains/integrations/packages/package-files.service.ts';
import { makeFolder } from '../../../helpers/folder.ts';

const MIB = 1024 * 1024;
const folder = await makeFolder();
const target = join(folder, 'adapters');

/** Packs files into an archive as npm does. */
async function packed(name: string, files: Record<string, string | Buffer>): Promise<string> {
  const source = join(folder, name, 'package');
  await mkdir(source, { recursive: true });
  for (const [file, content] of Object.entries(files)) await writeFile(join(source, file), content);
  const archive = join(folder, `${name}.tgz`);
  execFileSync('tar', ['-czf', archive, '-C', join(folder, name), 'package']);
  return archive;
}

test('an archive of a package is unpacked', async () => {
  const { folder: found, discard } = await fetchPackage(await packed('good', { 'a.txt': 'one' }), target);
  expect(await readFile(join(found, 'a.txt'), 'utf8')).toBe('one');
  await discard();
  expect(await readdir(target)).toEqual([]);
});

test('an archive with padding behind its end is unpacked', async () => {
  const bytes = gunzipSync(await readFile(await packed('padded', { 'a.txt': 'one' })));
  const archive = join(folder, 'padding.tgz');
  await writeFile(archive, gzipSync(Buffer.concat([bytes, Buffer.alloc(4 * MIB)])));
  const { folder: found, discard } = await fetchPackage(archive, target);
  expect(await readFile(join(found, 'a.txt'), 'utf8')).toBe('one');
  await discard();
});

test('an archive that unpacks to more than the limit is rejected, and nothing of it stays', async () => {
  const archive = await packed('large', { zeros: Buffer.alloc(64 * MIB) });
  expect((await stat(archive)).size).toBeLessThan(MIB);
  await expect(fetchPackage(archive, target, 8 * MIB)).rejects.toThrow('unpacks to more than 8 MiB');
  expect(await readdir(target)).toEqual([]);
});

test.each([
  ['no archive', Buffer.from('no archive')],
  ['half an archive', gzipSync(Buffer.alloc(10_000, 'x')).subarray(0, 20)],
  ['something else that is compressed', gzipSync(Buffer.alloc(10_000, 'x'))],
])('%s is rejected', async (name, bytes) => {
  const archive = join(folder, `${name}.tgz`);
  await writeFile(archive, bytes);
  await expect(fetchPackage(archive, target)).rejects.toThrow('is no .tgz file that can be unpacked');
});
