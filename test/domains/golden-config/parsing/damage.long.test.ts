import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dialects } from '#server/domains/golden-config/parsing/dialect.ts';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import { printConfig } from '#server/domains/golden-config/parsing/print.ts';
import { Blocks, DAMAGES, damaged, isSyntactic, marksOf, statementsOutside } from './damage.ts';
import { dialectNamed, treeOf } from './tree.ts';

const FOLDER = new URL('samples/', import.meta.url);
const SAMPLES = readdirSync(FOLDER).map((file) => ({
  file,
  name: file.split('.')[0] ?? '',
  text: readFileSync(new URL(file, FOLDER), 'utf8'),
}));

const NOTHING = { from: 0, to: -1 };

test('every dialect has a sample, which is read without warnings', () => {
  expect(new Set(SAMPLES.map(({ name }) => name))).toEqual(new Set(dialects.map(({ name }) => name)));
  for (const { name, text } of SAMPLES) {
    expect(parseConfig(text, dialectNamed(name)).warnings, name).toEqual([]);
  }
});

test.each(SAMPLES)(
  'what is printed of $file is read as the same lines below the same lines',
  ({ name, text }) => {
    const dialect = dialectNamed(name);
    const parsed = parseConfig(text, dialect);
    const printed = printConfig(parsed, dialect);
    const again = parseConfig(printed, dialect);
    expect(treeOf(again.lines)).toEqual(treeOf(parsed.lines));
    expect(printConfig(again, dialect)).toBe(printed);
  },
);

test.each(SAMPLES)(
  'damage to one mark of $file changes no statement outside the damaged block',
  ({ file, name, text }) => {
    const dialect = dialectNamed(name);
    const whole = parseConfig(text, dialect);
    const blocks = new Blocks(text, whole, dialect);
    const lost: unknown[] = [];
    const silent: unknown[] = [];
    const mutations = marksOf(text, whole, dialect).flatMap((mark) =>
      DAMAGES.map((damage) => ({ mark, damage, ...damaged(text, mark, damage) })),
    );
    for (const { mark, damage, text: broken, moreLines } of mutations) {
      const parsed = parseConfig(broken, dialect);
      const block = blocks.enclosing(mark, damage);
      const after = { from: block.from, to: block.to + moreLines };
      const expected = statementsOutside(whole, block);
      const actual = statementsOutside(parsed, after, moreLines);
      const where = { ...mark, damage, block, row: text.split('\n')[mark.line - 1] };
      if (expected.join('\n') !== actual.join('\n')) {
        lost.push({
          ...where,
          missing: expected.filter((one) => !actual.includes(one)).slice(0, 2),
          added: actual.filter((one) => !expected.includes(one)).slice(0, 2),
        });
      }
      const warned = parsed.warnings.some(({ line }) => line >= after.from && line <= after.to);
      const changes = statementsOutside(parsed, NOTHING).join() !== statementsOutside(whole, NOTHING).join();
      if (!warned && changes && isSyntactic(mark, damage, dialect, whole)) silent.push(where);
    }
    process.stdout.write(
      `${file}: ${mutations.length} mutations, ${lost.length} beyond the block, ${silent.length} silent\n`,
    );
    expect(lost).toEqual([]);
    expect(silent).toEqual([]);
  },
);
