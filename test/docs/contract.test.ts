import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operations } from '#server/http/operations.ts';

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
