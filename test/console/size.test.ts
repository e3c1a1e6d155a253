import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildConsole } from '../../web/build.mjs';

/** Bytes of the first load, compressed with gzip: the files that the page names (docs/decisions/0152). */
const FIRST_LOAD = 166 * 1024;
/** Bytes of the parts that come with a page of their own, by the beginning of their file's name. */
const PARTS: readonly (readonly [name: string, what: string, most: number])[] = [
  ['overlays', 'dialogs and menus', 34 * 1024],
  ['use-layout', 'canvas', 80 * 1024],
  ['code-mirror', 'editor and comparison', 125 * 1024],
  ['trend-chart', 'chart', 25 * 1024],
  ['loaded-schema-form', 'forms', 95 * 1024],
];
/** Bytes of any other part. */
const PART = 25 * 1024;

const ASSETS = 'web/dist/assets';

test('the first load and every further part of the console stay within their size budgets', async () => {
  await buildConsole();
  const page = await readFile('web/dist/index.html', 'utf8');
  const names = (await readdir(ASSETS)).filter((name) => name.endsWith('.js'));
  const sizes = new Map(
    await Promise.all(
      names.map(async (name) => [name, (await stat(join(ASSETS, `${name}.gz`))).size] as const),
    ),
  );
  const kilobytes = (bytes: number) => `${Math.round(bytes / 1024)} kB`;
  const first = names
    .filter((name) => page.includes(name))
    .reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
  const figures = [`first load ${kilobytes(first)} of ${kilobytes(FIRST_LOAD)}`];
  expect(first).toBeGreaterThan(0);
  const large = first > FIRST_LOAD ? [`first load: ${first} bytes`] : [];
  for (const name of names.filter((one) => !page.includes(one))) {
    const part = PARTS.find(([start]) => name.startsWith(start));
    const [, what, most] = part ?? ['', name, PART];
    const size = sizes.get(name) ?? 0;
    if (part) figures.push(`${what} ${kilobytes(size)} of ${kilobytes(most)}`);
    if (size > most) large.push(`${what}: ${size} bytes, at most ${most}`);
  }
  console.info(`compressed: ${figures.join(', ')}`);
  // A part that was renamed would otherwise have no budget of its own.
  expect(figures).toHaveLength(PARTS.length + 1);
  expect(large).toEqual([]);
});
