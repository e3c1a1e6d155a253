import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MOST_SIMILAR, similarNames } from '#server/domains/workflow/missing/similar-names.ts';
import { cpuTime } from '../../../helpers/cpu-time.ts';
import '../../../laws.ts';

const WORDS = ['Run', 'Script', 'on', 'BIG', 'IP', 'F5', 'Create', 'Port', 'v2', 'Ünit'];
const word = fc.constantFrom(...WORDS);
const sign = fc.constantFrom(' ', ' - ', '-', '_', ' (');
const name = fc
  .array(fc.tuple(word, sign), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.map(([text, after]) => text + after).join(''));

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const begins = (one: string[], other: string[]) => one.every((part, at) => part === other[at]);

/** The rule, by comparing two names. */
const areSimilar = (one: string, other: string): boolean => {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  if (a.join(' ') === b.join(' ')) return true;
  return Math.min(a.length, b.length) >= 2 && (begins(a, b) || begins(b, a));
};

describe('similar names', () => {
  test('contain the current form of a name that had an ending', () => {
    const find = similarNames(['Run Script on BIG-IP', 'Run Commands', 'Chunk Array Wrapper', 'Reboot']);
    expect(find('Run Script on BIG-IP - F5 - BIG-IQ')).toEqual(['Run Script on BIG-IP']);
    expect(find('Chunk Array Wrapper - IAP')).toEqual(['Chunk Array Wrapper']);
    expect(find('run commands_v2')).toEqual(['Run Commands']);
  });

  test('share whole words, and two at least', () => {
    const find = similarNames(['Create', 'Create VLANs', 'Reboot']);
    expect(find('Create VLAN')).toEqual([]);
    expect(find('Reboot Device')).toEqual([]);
    expect(find('reboot')).toEqual(['Reboot']);
    expect(find('???')).toEqual([]);
  });

  test('are those that the rule finds by comparing each, whatever their order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 12 }), name, (names, older) => {
        const expected = names.filter((one) => areSimilar(one, older)).sort();
        const found = similarNames(names)(older);
        if (expected.length <= MOST_SIMILAR) expect(found).toEqual(expected);
        else expect(found.filter((one) => expected.includes(one))).toHaveLength(MOST_SIMILAR);
        expect(similarNames([...names].reverse())(older)).toEqual(found);
      }),
    );
  });

  test('are similar in both directions', () => {
    fc.assert(
      fc.property(name, name, (one, other) => {
        expect(similarNames([one])(other).length).toBe(similarNames([other])(one).length);
      }),
    );
  });

  test('are found among 10,000 names for 10,000 names in less than two seconds of CPU time', () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `Run step ${at} on host`);
    const find = similarNames(names);
    const began = cpuTime();
    for (const [at, one] of names.entries()) expect(find(`${one} - old`)).toEqual([names[at]]);
    expect(cpuTime() - began).toBeLessThan(2000);
  });
});
