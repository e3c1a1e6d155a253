import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { searchParameters } from '../../helpers/console/search-parameters.ts';

const run = promisify(execFile);

/** Links, redirects and reads that each have one mistake, beside the same without it. */
const MISTAKES = `
import { Link, linkOptions } from '@tanstack/react-router';
import { devicePath } from '~/app/paths.ts';
import { searchWith, useUrlState, useUrlText } from '~/app/url-state.ts';
import { LinkButton } from '~/ui/button.tsx';

export const links = (
  <>
    <Link to="/jobs" search={{ who: 'ada' }} />
    <Link to="/jobs" search={{ whom: 'ada' }} /> {/* wrong */}
    <Link to="/jobs" search={{ who: 7 }} /> {/* wrong */}
    <Link to="/job" /> {/* wrong */}
    <Link {...devicePath('quay-1')} search={{ tab: 'backups' }} />
    <Link {...devicePath('quay-1')} search={{ tabs: 'backups' }} /> {/* wrong */}
    <Link to="/devices/$name" /> {/* wrong */}
    <LinkButton to="/commands" search={{ devices: 'quay-1' }} />
    <LinkButton to="/commands" search={{ device: 'quay-1' }} /> {/* wrong */}
    <Link to="." search={searchWith({ compare: undefined })} />
    <Link to="." search={searchWith({ compared: undefined })} /> {/* wrong */}
  </>
);

export const right = linkOptions({ to: '/proposals', search: { tab: 'proposed' } });
export const wrong = linkOptions({ to: '/proposals', search: { tap: 'proposed' } }); // wrong

export function useMistakes() {
  const [url, setUrl] = useUrlState();
  setUrl({ sort: 'name' });
  setUrl({ sorted: 'name' }); // wrong
  useUrlText('q');
  useUrlText('query'); // wrong
  return [url.version, url.versoin]; // wrong
}
`;

// Below the modules, which the type check looks for from there, and outside the sources, of which the console is built.
await mkdir('node_modules/.cache', { recursive: true });
const folder = await mkdtemp(resolve('node_modules/.cache/typed-'));
afterAll(() => rm(folder, { recursive: true }));

/** What the type check of the console found, where it ran before. Its paths begin at its folder, so that a copy needs one as deep. */
const CHECKED = 'node_modules/.cache/typescript/console.json';

test('a link, a redirect or a read with a misspelt or wrongly typed address fails the type check', async () => {
  const file = join(folder, 'mistakes.tsx');
  const project = join(folder, 'tsconfig.json');
  await writeFile(file, MISTAKES);
  await writeFile(
    project,
    JSON.stringify({
      extends: resolve('web/tsconfig.json'),
      include: [resolve('web/src'), resolve('web/vite.config.ts')],
      files: [file],
    }),
  );
  // The compiler checks what is not in it: the mistakes alone, or all of the console.
  const known = join(folder, 'checked.json');
  await copyFile(CHECKED, known).catch(() => undefined);
  const tsc = resolve('node_modules/@typescript/native/bin/tsc');
  const kept = ['--incremental', '--tsBuildInfoFile', known];
  const output = await run(process.execPath, [
    tsc,
    '--noEmit',
    '--singleThreaded',
    ...kept,
    '-p',
    project,
  ]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
  const found = [...output.matchAll(/^(\S+)\((\d+),\d+\): error/gm)].map(([, path = '', line]) => [
    path.endsWith('mistakes.tsx') ? 'mistakes.tsx' : path,
    Number(line),
  ]);
  const expected = MISTAKES.split('\n').flatMap((line, index) =>
    /(?:\/\/|\*) wrong/.test(line) ? [['mistakes.tsx', index + 1]] : [],
  );
  expect(expected).toHaveLength(11);
  expect([...new Map(found.map((one) => [String(one), one])).values()]).toEqual(expected);
});

/** Parameters of another page whose parts a page imports. */
const OF_OTHERS: Record<string, readonly string[]> = {
  '/campaigns/$campaignId/proposals': ['q', 'sort', 'tab'],
  '/proposals/$proposalId': ['q', 'sort', 'tab'],
};
/** Names that a page makes from others, which its sources do not spell. */
const MADE = /^w-/;

test('each page declares the parameters of the address that its sources read', async () => {
  const declared = new Map<string, string[]>();
  const read = await searchParameters();
  for (const area of await readdir('web/src/screens')) {
    const text = await readFile(`web/src/screens/${area}/routes.ts`, 'utf8').catch(() => '');
    for (const [, route = '', names = ''] of text.matchAll(/path: '([^']+)',\s*search: \[([^\]]*)\]/g))
      declared.set(
        route,
        [...names.matchAll(/'([^']+)'/g)].map(([, name = '']) => name).filter((name) => !MADE.test(name)),
      );
  }
  expect([...declared.keys()].sort()).toEqual([...read.keys()].sort());
  for (const [route, names] of read) {
    const own = names.filter((name) => !OF_OTHERS[route]?.includes(name));
    expect(declared.get(route)?.sort(), route).toEqual(own.sort());
  }
});
