import fc from 'fast-check';
import { expect, test } from 'vitest';
import { queryValue } from '#server/domains/workflow/query/find.ts';
import { QuerySyntaxError } from '#server/domains/workflow/query/parse.ts';
import { replaceFound } from '#server/domains/workflow/query/replace.ts';
import { lawRuns } from '../../../helpers/long.ts';

const racks = {
  site: { name: 'oslo', 'ietf:floor': 3 },
  racks: [
    { name: 'a', units: 42, up: true, ports: [{ id: 1 }, { id: 2 }] },
    { name: 'b', units: 24, up: false, ports: [{ id: 3 }] },
    { name: 'c', units: 42, up: true },
  ],
  byRow: { north: [{ name: 'a' }, { name: 'b' }], south: [{ name: 'c' }] },
  chosen: 'b',
};

test.each<[string, string, unknown]>([
  ['a member', 'site.name', 'oslo'],
  ['an element', 'racks[1].name', 'b'],
  ['a dot before a bracket', 'racks.[1].name', 'b'],
  ['a member of each element', 'racks.name', ['a', 'b', 'c']],
  ['lists of elements laid flat', 'racks.ports.id', [1, 2, 3]],
  ['every value', 'racks[*].units', [42, 24, 42]],
  ['every value of an object, lists laid flat', 'byRow[**].name', ['a', 'b', 'c']],
  ['the first element that meets a comparison', 'racks[units=42].name', 'a'],
  ['all elements that do', 'racks[*units=42].name', ['a', 'c']],
  ['none that does', 'racks[*units=1].name', []],
  ['true and false by their words', 'racks[*up=false].name', ['b']],
  ['what is not equal', 'racks[*name!=a].name', ['b', 'c']],
  ['order', 'racks[*units>24].name', ['a', 'c']],
  ['order or equal', 'racks[*units<=24].name', ['b']],
  ['an expression', 'racks[*name~/^[AB]$/i].name', ['a', 'b']],
  ['an expression that must not match', 'racks[*name!~/^a|b$/].name', ['c']],
  ['conditions joined', 'racks[*units=42 & name=c].name', ['c']],
  ['one condition or the other', 'racks[*name=a | name=b].units', [42, 24]],
  ['a filter on what another one gave', 'racks[*][name=b].units', 24],
  ['a value from elsewhere', 'racks[name={chosen}].units', 24],
  ['the first way that finds something', 'site.city|site.name', 'oslo'],
  ['a level down', 'byRow[].[name=c].name', 'c'],
  ['a name with a colon', 'site.ietf:floor', 3],
  ['a name of any form', 'site:get(ietf:floor)', 3],
  ['a text between quotes', 'racks[name="b"].units', 24],
  ['the length of a text', 'chosen.length', 1],
])('a query can name %s: %s', (_, query, found) => {
  expect(queryValue(query, racks)).toEqual(found);
});

test.each([
  'nothing',
  'site.name.first',
  'racks[9]',
  'racks[name=z]',
  'constructor',
  'site.__proto__',
  'racks[0].toString',
])('a missing value yields nothing: %s', (query) => {
  expect(queryValue(query, racks) ?? null).toBeNull();
});

test.each([
  ['racks[0', '[ at 6 is not closed'],
  ['racks]', '] at 6 has no opening bracket'],
  ['racks[*name]', '[*name] has no comparison'],
  ['racks[name~/(/]', 'missing closing )'],
  ['racks[name~/(?=x)/]', 'look-arounds are not supported'],
  ['.a'.repeat(65), 'more than 64 steps'],
  ['{'.repeat(5000), 'is not closed'],
  [`${'[{'.repeat(20)}a${'}]'.repeat(20)}`, 'nested more than 8'],
  ['a'.repeat(10_001), 'longer than 10000 characters'],
])('%# a query that cannot be read says why', (query, why) => {
  expect(() => queryValue(query, racks)).toThrow(QuerySyntaxError);
  expect(() => queryValue(query, racks)).toThrow(why);
});

test('an empty query is the value itself; no query changes it or throws anything but its rejection', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(queryValue('', value)).toBe(value);
      expect(queryValue(' ', value)).toBe(value);
    }),
  );
  const sign = fc.constantFrom(
    'a',
    'b',
    '.',
    '[',
    ']',
    '*',
    '=',
    '~',
    '/',
    '!',
    '{',
    '}',
    '|',
    '&',
    ':get(',
    ')',
    '0',
    '<',
  );
  fc.assert(
    fc.property(fc.array(sign, { maxLength: 20 }), fc.jsonValue(), (signs, value) => {
      const before = JSON.stringify(value);
      try {
        queryValue(signs.join(''), value);
      } catch (error) {
        expect(error).toBeInstanceOf(QuerySyntaxError);
      }
      expect(JSON.stringify(value)).toBe(before);
    }),
    lawRuns(500),
  );
});

test('a replaced value is found at its path, and the rest is unchanged', () => {
  for (const query of [
    'site.name',
    'racks[1].name',
    'racks[name=b].units',
    'site:get(ietf:floor)',
    'byRow.north',
  ]) {
    const before = JSON.stringify(racks);
    const { value, found } = replaceFound(query, racks, 'new');
    expect(found).toBe(true);
    expect(JSON.stringify(value)).toBe(before.replace(JSON.stringify(queryValue(query, racks)), '"new"'));
    expect(JSON.stringify(racks)).toBe(before);
  }
  expect(queryValue('racks[*].units', replaceFound('racks[*units=42].units', racks, 1).value)).toEqual([
    1, 24, 1,
  ]);
  expect(replaceFound('racks[name=z].units', racks, 1)).toEqual({ value: racks, found: false });
  expect(replaceFound('', racks, 1)).toEqual({ value: 1, found: true });
  expect(() => replaceFound('a|b', racks, 1)).toThrow('must have one path');
});

test('a list of a hundred thousand is filtered in one pass', () => {
  const many = Array.from({ length: 100_000 }, (_, at) => ({ name: `port-${at}`, up: at % 2 === 0 }));
  expect(queryValue('[*name~/^(port-)+9+$/].name', many)).toEqual([
    'port-9',
    'port-99',
    'port-999',
    'port-9999',
    'port-99999',
  ]);
});
