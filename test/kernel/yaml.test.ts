import { expect, test } from 'vitest';
import { parseYaml } from '#server/kernel/text/yaml.ts';

const aliases = (count: number) => Array.from({ length: count }, () => '*a').join(', ');

test('a part may be there as often as given, and the same name may stand for another part later', () => {
  const text = `a: &a {b: 1}\nb: [${aliases(9)}]\nc: &a 2\nd: [${aliases(9)}]\n`;
  expect(parseYaml(text, 10)).toMatchObject({ b: Array(9).fill({ b: 1 }), d: Array(9).fill(2) });
});

test('one alias more is named, before anything is built of the text', () => {
  const failure = 'has 10 aliases of one part or more, *a';
  expect(() => parseYaml(`a: &a {b: 1}\nb: [${aliases(10)}]\n`, 10)).toThrow(failure);
  // What follows is no YAML, and is not read any more.
  expect(() => parseYaml(`a: &a []\nb: [${aliases(10)}, }\n`, 10)).toThrow(failure);
});

test('texts with an asterisk are no aliases, and merges are counted like others', () => {
  const texts = `a: &a 1\nb: ['*a', "*a", x *a, 'y\n  *a']\nc: |\n  *a\n  *a\n# *a *a\n`;
  expect(parseYaml(texts, 1)).toEqual({ a: 1, b: ['*a', '*a', 'x *a', 'y *a'], c: '*a\n*a\n' });
  const hosts = Array.from({ length: 9 }, (_, at) => `h${at}: {<<: *a}\n`).join('');
  const inventory = `d: &a {b: 1}\n${hosts}`;
  expect(parseYaml(inventory, 10, { merge: true })).toMatchObject({ h8: { b: 1 } });
  expect(() => parseYaml(inventory, 9, { merge: true })).toThrow('has 9 aliases of one part or more');
});
