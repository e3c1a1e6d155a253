import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { isLong } from './helpers/long.ts';

const run = promisify(execFile);

type Cruise = {
  summary: { totalCruised: number; violations: { rule: { name: string }; from: string; to: string }[] };
};

/** What dependency-cruiser finds below these folders. */
async function cruise(...folders: string[]): Promise<Cruise> {
  const { stdout } = await run(
    'node_modules/.bin/depcruise',
    ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders],
    { maxBuffer: 64 * 1024 * 1024 },
  ).catch((failed: { stdout: string }) => failed);
  return JSON.parse(stdout) as Cruise;
}

test.skipIf(!isLong)(
  'a module imports only what its layer and its domain may',
  async () => {
    const { summary } = await cruise('server', 'routers', 'db');
    const found = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
    expect(found).toEqual([]);
    // A cruise that sees nothing passes.
    expect(summary.totalCruised).toBeGreaterThan(50);
    // 20 s beside the other tests, and more than the usual three minutes on a machine that does ten times as much.
  },
  600_000,
);

// Each costs CPU time at every start of such a thread: with whole domains it was more than twice as much.
test('a thread for calculations loads neither the database nor whole domains', async () => {
  const entry = 'server/app/work/calculation-thread.ts';
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  const files = new Set<string>();
  const packages = new Set<string>();
  const load = (file: string) => {
    if (files.has(file)) return;
    files.add(file);
    for (const { path, kind, external } of metafile.inputs[file]?.imports ?? []) {
      // What is imported later, by a calculation, is loaded by that one alone.
      if (kind !== 'import-statement') continue;
      if (external) packages.add(path);
      else load(path);
    }
  };
  load(entry);
  expect(files.size).toBeGreaterThan(100);
  expect([...files].filter((file) => /^server\/domains\/[^/]+\/index\.ts$/.test(file))).toEqual([]);
  const own = [...packages].filter((name) => !name.startsWith('node:'));
  expect(own.sort()).toEqual(['csv-parse/sync', 're2js', 'yaml', 'zod']);
});

test('docs/architecture.md draws the table of what domains may import', async () => {
  const allowed = JSON.parse(await readFile('server/domains/allowed-imports.json', 'utf8')) as Record<
    string,
    string[]
  >;
  const lines = Object.entries(allowed).map(
    ([domain, imports]) => `${domain.padEnd(14)} ← ${imports.join(', ') || 'no other domain'}`,
  );
  const workflowOf = ['', '```', 'domain           may import', ...lines, '```', ''].join('\n');
  const page = await readFile('docs/architecture.md', 'utf8');
  const [, block] = /<!-- domains:[^\n]*-->\n(.*?)<!-- \/domains -->/s.exec(page) ?? [];
  expect(block?.trim()).toBe(workflowOf.trim());
});

test('no two domains import each other, and each has a line in the table', async () => {
  const allowed = JSON.parse(await readFile('server/domains/allowed-imports.json', 'utf8')) as Record<
    string,
    string[]
  >;
  const folders = (await readdir('server/domains', { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(folders.sort()).toEqual(Object.keys(allowed).sort());
  const before = new Set<string>();
  for (const [domain, imports] of Object.entries(allowed)) {
    // Each line names lines above it alone: so nothing comes back.
    expect(imports.filter((one) => !before.has(one))).toEqual([]);
    before.add(domain);
  }
});

test('the console imports only types from the service, and the service imports nothing from the console', async () => {
  const files = (await readdir('web/src', { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const imports = await Promise.all(
    files.map(async (name) => {
      const text = await readFile(join('web/src', name), 'utf8');
      return [...text.matchAll(/^import\s+(type\s)?[^;]*?from '([^']+)'/gms)].map(
        ([, isType, from = '']) => ({
          name,
          from,
          isType: isType !== undefined,
        }),
      );
    }),
  );
  const outside = imports
    .flat()
    .filter(({ name, from }) =>
      from.startsWith('.')
        ? normalize(join('web/src', dirname(name), from)).split('/')[1] !== 'src'
        : from.startsWith('#'),
    );
  expect(outside.length).toBeGreaterThan(0);
  expect(outside.filter(({ isType }) => !isType)).toEqual([]);
});
