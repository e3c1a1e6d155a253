import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DECLARED, METHODS } from '#server/domains/workflow/transformations/methods/catalogue.ts';

const guide = readFileSync(new URL('../../../../docs/transformations.md', import.meta.url), 'utf8');

test('the guide names every method and declaration', () => {
  const rows = new Map(guide.split('\n').map((line) => [/^\| `?(\w+)`? /.exec(line)?.[1] ?? '', line]));
  const missing = [
    ...[...METHODS.keys()].filter((name) => {
      const [library = '', ...method] = name.split('.');
      return !rows.get(library)?.includes(`\`${method.join('.')}\``);
    }),
    ...DECLARED.filter((name) => !rows.get('declarations')?.includes(`\`${name.split('.')[1]}\``)),
  ];
  expect(missing).toEqual([]);
});
