import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operations } from '#server/http/operations.ts';
import * as roleSets from '#server/kernel/roles.ts';

const known = new Map(
  operations.map(({ method, path, meta }) => [`${method} ${path}`, meta.audience ?? 'public']),
);
const sorted = (roles: readonly string[]) => roles.toSorted().join(', ');

/** What a table calls an audience: the name of its role set, or its roles. */
function shown(audience: (typeof roleSets.ROLES)[number][] | readonly string[] | string): string {
  if (typeof audience === 'string') return audience === 'public' ? 'PUB' : 'ANY';
  const set = Object.entries(roleSets).find(
    ([name, roles]) =>
      /^[A-Z]{1,2}$/.test(name) && Array.isArray(roles) && sorted(roles) === sorted(audience),
  );
  return set?.[0] ?? audience.join(', ');
}

test('the endpoints that docs/contract/lifecycle.md lists exist and have the roles that it names', () => {
  const page = readFileSync('docs/contract/lifecycle.md', 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z]+ \/\S+)` +\| ([\w, ]+?) +\|$/gm)];
  expect(rows.length).toBeGreaterThan(300);
  const wrong = rows.flatMap(([, endpoint = '', roles]) => {
    const audience = known.get(endpoint);
    const expected = audience && shown(audience);
    return expected === roles
      ? []
      : [`${endpoint}: the page says ${roles}, the service ${expected ?? 'has none'}`];
  });
  expect(wrong).toEqual([]);
});

test('the endpoints that docs/contract/endpoints.md describes exist', () => {
  const page = readFileSync('docs/contract/endpoints.md', 'utf8');
  const headings = [...page.matchAll(/^## <a id="[\d.]+"><\/a>4\.\d+ ([A-Z]+ \/\S+)$/gm)].map(
    ([, endpoint = '']) => endpoint,
  );
  expect(headings).toHaveLength(23);
  expect(headings.filter((endpoint) => !known.has(endpoint))).toEqual([]);
});
