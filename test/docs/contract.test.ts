import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operations } from '#server/http/operations.ts';
import { sourceFiles } from '../helpers/source-files.ts';

const audiences = new Map(
  operations.map(({ method, path, meta }) => [`${method} ${path}`, meta.audience ?? 'public']),
);
const lifecycle = readFileSync('docs/contract/lifecycle.md', 'utf8');
const sorted = (roles: readonly string[]) => roles.toSorted().join(', ');

/** The sets of roles that section 0.8 defines, by their roles. */
const sets = new Map(
  [...lifecycle.matchAll(/^\| ([A-Z]{1,2}(?:, [A-Z]{1,2})*) +\| (.+?) +\|$/gm)].flatMap(
    ([, names = '', roles = '']) => {
      const listed = roles.replaceAll(/ \([^)]*\)/g, '').split('; ');
      return names.split(', ').map((name, at) => [sorted((listed[at] ?? '').split(', ')), name] as const);
    },
  ),
);

/** What a table calls an audience: the name of its set of roles, or its roles. */
function shown(audience: readonly string[] | string): string {
  if (typeof audience === 'string') return audience === 'public' ? 'PUB' : 'ANY';
  return sets.get(sorted(audience)) ?? audience.join(', ');
}

test('the endpoints that docs/contract/lifecycle.md lists exist and have the roles that it names', () => {
  const rows = [...lifecycle.matchAll(/^\| `([A-Z]+ \/\S+)` +\| ([\w, ]+?) +\|$/gm)];
  expect(rows.length).toBeGreaterThan(300);
  const wrong = rows.flatMap(([, endpoint = '', roles]) => {
    const audience = audiences.get(endpoint);
    const expected = audience && shown(audience);
    return expected === roles
      ? []
      : [`${endpoint}: the page says ${roles}, the service ${expected ?? 'has none'}`];
  });
  expect(wrong).toEqual([]);
});

test('the endpoints that docs/contract/endpoints.md describes exist', () => {
  const page = readFileSync('docs/contract/endpoints.md', 'utf8');
  const headings = [...page.matchAll(/^## <a id="[\d.]+"><\/a>4\.\d+ ([A-Z]+ \/\S+)$/gm)];
  expect(headings).toHaveLength(23);
  expect(headings.filter(([, endpoint = '']) => !audiences.has(endpoint))).toEqual([]);
});

/** Endpoints of other systems and examples of paths, which pages name as well. */
const FOREIGN = /^[A-Z]+ \/(api\/)?(dcim|path)\//;
/** Answered outside the list of operations, or listed there under another name of its parameters. */
const UNLISTED = new Set(['GET /events', 'POST /:adapter/:method']);
const isParameter = (segment: string) => /^[:<{$]/.test(segment);
const templates = [...audiences.keys()].map((endpoint) => endpoint.split('/'));

/** Returns whether the service has an endpoint, which a page may name with values instead of parameters. */
const exists = (endpoint: string) => {
  const segments = endpoint.split('/');
  const fits = (template: readonly string[]) =>
    template.length === segments.length &&
    template.every((one, at) => one === segments[at] || (at > 1 && isParameter(one)));
  return UNLISTED.has(endpoint) || templates.some(fits);
};

test('every endpoint that a page names exists', () => {
  const pages = sourceFiles().filter((name) => name.endsWith('.md'));
  const named = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^\s`?]*)/g)].map(
      ([, endpoint = '']) => ({ page, endpoint: endpoint.replace(/\[.*\]$/, '') }),
    ),
  );
  expect(named.length).toBeGreaterThan(500);
  const missing = named.filter(({ endpoint }) => !FOREIGN.test(endpoint) && !exists(endpoint));
  expect(missing).toEqual([]);
  expect(exists('GET /nowhere')).toBe(false);
});
