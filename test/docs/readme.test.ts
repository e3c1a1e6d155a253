import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('README.md', 'utf8');

test('README lists each document once', () => {
  const linked = [...page.matchAll(/^\| \[(\S+)\]/gm)].map(([, path]) => path);
  expect(new Set(linked).size).toBe(linked.length);
  expect(linked.length).toBeGreaterThan(15);
  expect(linked.filter((path) => path === undefined || !existsSync(path))).toEqual([]);
});

test('the versions that README names are those that the tests run with', () => {
  // The package's own document.
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const named = [...page.matchAll(/`(@[\w/-]+)` (\d+\.\d+\.\d+)/g)].map(([, name = '', version]) => [
    name,
    version,
  ]);
  expect(named.length).toBeGreaterThan(1);
  expect(named).toEqual(named.map(([name = '']) => [name, devDependencies[name]]));
});
