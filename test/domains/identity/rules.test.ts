import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvOf } from '#server/domains/identity/accounts/csv.ts';
import { distinct, wouldCycle } from '#server/domains/identity/accounts/membership.ts';
import { ignoredOf, newStamps, nextStamps, readUpdates } from '#server/domains/identity/accounts/updates.ts';
import { openCallers } from '#server/domains/identity/rights/callers.ts';
import { assertConsistent, assertMayWrite } from '#server/domains/identity/rights/gbac.ts';
import { sourceOf } from '#server/domains/identity/sessions/source.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import type { Caller } from '#server/kernel/principal.ts';

test.each<[Record<string, string[]>, string, string[], boolean]>([
  [{}, 'a', [], false],
  [{}, 'a', ['a'], true],
  [{}, 'a', ['b'], false],
  [{ b: ['a'] }, 'a', ['b'], true],
  [{ b: ['c'], c: ['d'], d: ['a'] }, 'a', ['x', 'b'], true],
  [{ b: ['c'], c: ['b'] }, 'a', ['b'], false],
  [{ a: ['b'] }, 'a', ['b'], false],
  [{ b: ['d'], c: ['d'] }, 'a', ['b', 'c'], false],
])('groups %j: %s as a member of %j is a circle: %s', (parents, group, memberOf, circle) => {
  expect(wouldCycle(new Map(Object.entries(parents)), group, memberOf)).toBe(circle);
});

test('law: memberships that were accepted one by one never form a circle', () => {
  const group = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const changes = fc.array(fc.tuple(group, fc.array(group, { maxLength: 3 })), { maxLength: 20 });
  fc.assert(
    fc.property(changes, (requested) => {
      const parents = new Map<string, string[]>();
      for (const [one, memberOf] of requested)
        if (!wouldCycle(parents, one, memberOf)) parents.set(one, memberOf);
      // Whoever climbs from any group comes to an end within as many steps as there are groups.
      let open = [...parents.keys()];
      for (let step = 0; step < 5; step++) open = open.flatMap((one) => parents.get(one) ?? []);
      expect(open).toEqual([]);
    }),
  );
});

test('of items with one id, the last one is kept at the place of the first', () => {
  const items = [
    { id: 'a', n: 1 },
    { id: 'b', n: 2 },
    { id: 'a', n: 3 },
  ];
  expect(distinct(items, ({ id }) => id)).toEqual([
    { id: 'a', n: 3 },
    { id: 'b', n: 2 },
  ]);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['unknown', 'unknown'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['1:2:3:4:5:6:7:8:9:10', '1:2:3:4::/64'],
])('attempts from %s are counted for %s', (address, source) => {
  expect(sourceOf(address)).toBe(source);
});

test('every cell is quoted, and none is a formula', () => {
  expect(
    csvOf([
      ['a', 'b "c"'],
      ['=1+1', '-2'],
    ]),
  ).toBe('"a","b ""c"""\r\n"\'=1+1","\'-2"\r\n');
  expect(csvOf([['@x', '+1', '\tx', 'x=1']])).toBe('"\'@x","\'+1","\'\tx","x=1"\r\n');
  expect(csvOf([])).toBe('');
});

test('a patch changes the given fields except the read-only ones', () => {
  const updates = { _id: 'x', _meta: {}, createdBy: 1, lastUpdated: 2, name: 'n', email: undefined };
  expect(readUpdates(updates)).toEqual({
    given: { name: 'n' },
    ignored: ['_id', '_meta', 'createdBy', 'lastUpdated'],
  });
  expect(ignoredOf([])).toEqual({});
  expect(ignoredOf(['_id'])).toEqual({ metadata: { ignored: ['_id'] } });
});

test.each<[string | null, boolean]>([
  [null, true],
  ['*', true],
  ['"then"', true],
  ['then', true],
  ['W/"then"', true],
  ['"other", "then"', true],
  ['"other"', false],
  ['', false],
])('If-Match %j lets a write of what was written `then` pass: %s', (header, passes) => {
  const write = () => assertUnchanged(header, 'then', 'Group x');
  if (passes) expect(write()).toBeUndefined();
  else expect(write).toThrow('Group x was changed by another request');
});

test('the date of a change grows with each, even when the clock does not', () => {
  const now = new Date('2026-02-03T04:05:06.789Z');
  expect(newStamps(now)).toEqual({ created: now.toISOString(), updated: now.toISOString() });
  expect(nextStamps(newStamps(now), now).updated).toBe('2026-02-03T04:05:06.790Z');
  expect(nextStamps({ created: 'c', updated: 'never' }, now)).toEqual({
    created: 'c',
    updated: now.toISOString(),
  });
  expect(nextStamps(undefined, now)).toEqual({ updated: now.toISOString() });
});

const CALLER: Caller = {
  id: 'a',
  username: 'ops',
  provenance: 'local',
  roles: [],
  groups: [],
  permissions: [],
  session: null,
};

test('a caller is cached for a second after it was read', () => {
  const callers = openCallers();
  callers.set('key', CALLER, 1000);
  expect(callers.get('key', 1999)).toBe(CALLER);
  expect(callers.get('key', 2000)).toBeUndefined();
  expect(callers.get('other', 1000)).toBeUndefined();
  // While the database is away, for an hour more, unless its credential was rejected.
  expect(callers.last('key', 3_601_999)).toBe(CALLER);
  expect(callers.last('key', 3_602_000)).toBeUndefined();
  callers.drop('key');
  expect(callers.last('key', 2000)).toBeUndefined();
});

test('all callers are removed from the cache together, and the epoch grows by one', () => {
  const callers = openCallers();
  const before = callers.epoch();
  callers.set('key', CALLER, 1000);
  callers.forget();
  expect(callers.get('key', 1000)).toBeUndefined();
  expect(callers.epoch()).toBe(before + 1);
});

test('of more than 10,000 callers the oldest are removed from the cache', () => {
  const callers = openCallers();
  for (let at = 0; at < 10_001; at++) callers.set(`key ${at}`, CALLER, 1000);
  expect(callers.get('key 0', 1000)).toBeUndefined();
  expect(callers.get('key 1', 1000)).toBe(CALLER);
  expect(callers.get('key 10000', 1000)).toBe(CALLER);
});

test.each<[{ write?: string[] } | undefined, string[], string[], boolean]>([
  [undefined, [], [], true],
  [{}, [], [], true],
  [{ write: [] }, [], [], true],
  [{ write: ['g'] }, [], ['g'], true],
  [{ write: ['g'] }, ['admin'], [], true],
  [{ write: ['g'] }, ['apiwrite'], ['h'], false],
])('access list %j, roles %j, groups %j: may write %s', (gbac, roles, groups, may) => {
  const write = () => assertMayWrite(gbac, { roles, groups }, 'Tree x');
  if (may) expect(write()).toBeUndefined();
  else expect(write).toThrow('Tree x may be changed only by the groups on its access list');
});

test('a list of readers requires writers', () => {
  expect(() => assertConsistent({ read: ['g'] }, ['options', 'gbac'])).toThrow('options.gbac.write');
  expect(assertConsistent({ read: ['g'], write: ['g'] }, [])).toBeUndefined();
  expect(assertConsistent({ write: ['g'] }, [])).toBeUndefined();
  expect(assertConsistent(undefined, [])).toBeUndefined();
});
