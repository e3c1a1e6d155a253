import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildConsole } from '../../web/build.mjs';

/** Bytes of the first load, compressed with gzip: what the page names plus the list of jobs (docs/decisions/0100). */
const FIRST_LOAD = 200 * 1024;
/** Bytes of any further part, such as the canvas or the editor. */
const PART = 130 * 1024;

const ASSETS = 'web/dist/assets';

test('the first load of the console is at most 200 kB and every further part at most 130 kB', async () => {
  await buildConsole();
  const page = await readFile('web/dist/index.html', 'utf8');
  const names = (await readdir(ASSETS)).filter((name) => name.endsWith('.js'));
  const sizes = new Map(
    await Promise.all(
      names.map(async (name) => [name, (await stat(join(ASSETS, `${name}.gz`))).size] as const),
    ),
  );
  const isFirst = (name: string) => page.includes(name) || /^jobs-page-/.test(name);
  const first = names.filter(isFirst).reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
  console.info(`first load: ${Math.round(first / 1024)} kB gzip`);
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThanOrEqual(FIRST_LOAD);
  const large = names.filter((name) => !isFirst(name) && (sizes.get(name) ?? 0) > PART);
  expect(large).toEqual([]);
});
