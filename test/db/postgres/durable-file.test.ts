import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOnce } from '#db/embedded/durable-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durable-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('of several that create a file at once one writes it, and nothing else is left', async () => {
  const file = join(folder, 'secret');
  await Promise.all(Array.from({ length: 20 }, (_, n) => createOnce(file, `text ${n}`)));
  expect(await readFile(file, 'utf8')).toMatch(/^text \d+$/);
  expect(await readdir(folder)).toEqual(['secret']);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('a file that exists is kept, and an empty one is replaced', async () => {
  const file = join(folder, 'secret');
  await writeFile(file, '');
  await createOnce(file, 'first');
  await createOnce(file, 'second');
  expect(await readFile(file, 'utf8')).toBe('first');
  expect(await readdir(folder)).toEqual(['secret']);
});
