import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { compile } from '../../server/compile.mjs';

const folder = join(inject('folder'), `compile-${process.pid}`);
const source = join(folder, 'main.ts');

const compiled = async () => (await compile({ main: source }))('main');
const said = (command: string[]) => execFileSync(process.execPath, command, { encoding: 'utf8' }).trim();

test('what was compiled is used as long as every source is what it was, and made anew when it is gone', async () => {
  await mkdir(folder);
  await writeFile(source, "import { word } from './word.ts';\nconsole.log(word as string);\n");
  await writeFile(join(folder, 'word.ts'), "export const word: string = 'first';\n");
  const first = await compiled();
  expect(said(first)).toBe('first');
  expect(await compiled()).toEqual(first);

  await writeFile(join(folder, 'word.ts'), "export const word: string = 'other';\n");
  const second = await compiled();
  expect(said(second)).toBe('other');

  await writeFile(join(folder, 'word.ts'), "export const word: string = 'first';\n");
  expect(await compiled()).toEqual(first);
  await rm(dirname(first[0] ?? ''), { recursive: true });
  expect(said(await compiled())).toBe('first');

  await rm(join(folder, 'word.ts'));
  await expect(compiled()).rejects.toThrow(/word\.ts/);
  await rm(dirname(second[0] ?? ''), { recursive: true });
});
