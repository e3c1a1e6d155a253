import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { buildConsole } from '../../web/build.mjs';
import { OLDEST_BROWSERS } from '../../web/vite.config.ts';
import { isLong } from '../helpers/long.ts';

const ASSETS = 'web/dist/assets';

/** What one of the oldest browsers lacks, and no build translates: interfaces of browsers, built-in functions and styles. */
const LATER =
  /light-dark\(|@starting-style|@scope\b|position-(anchor|area)|anchor-name|field-sizing|interpolate-size|calc-size\(|fromAsync\(|withResolvers\(|Promise\.try\(|URL\.parse\(|Iterator\.from\(|startViewTransition\(|popover=|closedby=|\.(union|difference|intersection|isSubsetOf)\(/;

/** What esbuild says of later versions only, because one script or the other was added to it later. */
const KNOWN = { 'regexp-unicode-property-escapes': true };

const files = async (folder: string, ending: RegExp) =>
  Promise.all(
    (await readdir(folder, { recursive: true }))
      .filter((name) => ending.test(name))
      .map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
  );

/** Returns whether a text has syntax that is newer than these browsers: translated for them, it becomes another one. */
async function isNewerThan(target: string[], text: string, loader: 'js' | 'css'): Promise<boolean> {
  const [plain, translated] = await Promise.all(
    ['esnext', target].map(
      async (one) => (await transform(text, { loader, target: one, supported: KNOWN })).code,
    ),
  );
  return plain !== translated;
}

test.skipIf(!isLong)('the build has no syntax that the oldest browsers of the guide lack', async () => {
  await buildConsole();
  const built = await files(ASSETS, /\.(js|css)$/);
  expect(built.length).toBeGreaterThan(20);
  const newer: string[] = [];
  for (const [name, text] of built)
    if (await isNewerThan(OLDEST_BROWSERS, text, name.endsWith('.js') ? 'js' : 'css')) newer.push(name);
  expect(newer).toEqual([]);
  // A comparison that finds nothing at all would find nothing here either.
  const [, entry = ''] = built.find(([name]) => name.startsWith('console-') && name.endsWith('.js')) ?? [];
  expect(await isNewerThan(['chrome70'], entry, 'js')).toBe(true);
});

test('the sources of the console use nothing that the oldest browsers lack, and the guide names these', async () => {
  const used = (await files('web/src', /\.(tsx?|css)$/)).flatMap(([name, text]) => {
    const found = LATER.exec(text)?.[0];
    return found ? [`${name}: ${found}`] : [];
  });
  expect(used).toEqual([]);
  const guide = await readFile('docs/console.md', 'utf8');
  for (const one of OLDEST_BROWSERS) {
    const [, name = '', version = ''] = /^([a-z]+)([\d.]+)$/.exec(one) ?? [];
    expect(guide.toLowerCase()).toContain(`${name} ${version}`);
  }
});
