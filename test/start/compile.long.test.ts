import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, inject, test } from 'vitest';
import { compile } from '#server/app/compile.mjs';

const folder = join(inject('folder'), `compile-${process.pid}`);
const source = join(folder, 'main.ts');

const compiled = async () => (await compile({ main: source }))('main');
const said = (command: string[]) => execFileSync(process.execPath, command, { encoding: 'utf8' }).trim();

test('uses the compiled code while all sources are unchanged, and compiles again when it is missing', async () => {
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

test('two checkouts that share their packages each run their own code', async () => {
  const other = join(inject('folder'), `checkout-${process.pid}`);
  for (const folder of ['server/app/work', 'server/kernel'])
    await mkdir(join(other, folder), { recursive: true });
  for (const name of ['package.json', 'tsconfig.json', 'server/app/compile.mjs'])
    await copyFile(name, join(other, name));
  await symlink(resolve('node_modules'), join(other, 'node_modules'));
  await writeFile(join(other, 'server/app/work/thread-entries.ts'), '');
  await writeFile(join(other, 'server/kernel/roles.ts'), "console.log('of the other');\n");
  const theirs = (await import(pathToFileURL(join(other, 'server/app/compile.mjs')).href)) as {
    compile: typeof compile;
  };
  const entries = { main: 'server/kernel/roles.ts' };
  const command = (await theirs.compile(entries))('main');
  expect(said(command)).toBe('of the other');
  expect(said((await compile(entries))('main'))).toBe('');
  expect((await theirs.compile(entries))('main')).toEqual(command);
});

test('more sources than a process may open files are compiled', async () => {
  const many = join(inject('folder'), `many-${process.pid}`);
  await mkdir(many);
  const names = Array.from({ length: 400 }, (_, at) => `part${at}`);
  for (const name of names) await writeFile(join(many, `${name}.ts`), `export const ${name} = 1;\n`);
  const main = join(many, 'main.ts');
  await writeFile(main, names.map((name) => `export * from './${name}.ts';\n`).join(''));
  const program = `import { compile } from './server/app/compile.mjs'; await compile({ main: ${JSON.stringify(main)} });`;
  execFileSync(
    'sh',
    ['-c', 'ulimit -n 100; exec "$0" --input-type=module -e "$1"', process.execPath, program],
    {
      stdio: 'pipe',
    },
  );
});
