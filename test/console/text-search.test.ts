import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HITS, linesWith, searchableOf } from '../../web/src/ui/code/lines-with.ts';

const search = (text: string, sought: string) => linesWith(searchableOf(text, text.split('\n')), sought);

test('a search in a text finds exactly the lines that contain it, whatever their case', () => {
  const piece = fc.constantFrom('a', 'B', 'ab', '\n', 'İ', 'ß', ' ', '𝒳', 'interface');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.array(piece, { maxLength: 3 }), (pieces, wanted) => {
      const text = pieces.join('');
      const sought = wanted.join('').replaceAll('\n', '').toLowerCase();
      const plain = text
        .split('\n')
        .flatMap((line, index) => (sought !== '' && line.toLowerCase().includes(sought) ? [index] : []));
      expect(search(text, sought)).toEqual(plain);
    }),
  );
});

test('a search stops at the maximum number of hits', () => {
  expect(search('x\n'.repeat(HITS + 5), 'x')).toHaveLength(HITS);
});
