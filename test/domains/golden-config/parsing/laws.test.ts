import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dialectOf, dialects } from '#server/domains/golden-config/parsing/dialect.ts';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import { printConfig } from '#server/domains/golden-config/parsing/print.ts';
import { isLong, lawRuns } from '../../../helpers/long.ts';
import { linesOf, treeOf } from './tree.ts';

/** Pieces that mean something to some dialect, and the characters that they are made of. */
const PIECE = fc.constantFrom(
  ...[
    'interface Gi0/1',
    'no shutdown',
    'banner motd ^C',
    'banner login #',
    'banner exec',
    'EOF',
    '^C',
    '\u0003',
  ],
  ...['certificate ca 01', '3082 0A0B', 'quit', 'exit', 'end', 'next', 'back', 'config system', 'edit "a b"'],
  ...[
    '{',
    '}',
    ';',
    '};',
    'system {',
    'a { b; }',
    '[ 1 2 ]',
    'inactive: x',
    'protect: y',
    '/* c',
    '*/',
    '// d',
  ],
  ...[
    '"',
    '\\"',
    '"a  b"',
    '\\',
    '!',
    '#',
    '##',
    ': x',
    'remark q',
    'echo "t"',
    '/ip address',
    'set a b',
    'delete c',
  ],
  ...[
    'ltm rule x {',
    'when X {',
    'header motd %',
    '%',
    'end-policy',
    'set x "',
    '\t',
    '  ',
    ',',
    ':',
    '\u00e9',
    '\u{1F600}',
  ],
  ...['\ud800', 'menu m title @', 'macro name m', '@', 'description 5" x', 'key-string', 'action bash'],
);
const LINE = fc
  .tuple(fc.constantFrom('', '', ' ', '  ', '   ', '    ', '\t', '      '), fc.array(PIECE, { maxLength: 4 }))
  .map(([indent, pieces]) => indent + pieces.join(' '));
const TEXT = fc
  .tuple(fc.constantFrom('', '\ufeff'), fc.array(LINE, { maxLength: 25 }), fc.constantFrom('\n', '\r\n'))
  .map(([mark, lines, end]) => mark + lines.join(end));
const ANY_TEXT = fc.oneof(TEXT, fc.string({ unit: 'binary', maxLength: 200 }));
const DIALECT = fc.constantFrom(...dialects);

/** The same texts each time: some that no device writes, such as `; delete c` in PAN-OS, print otherwise. */
const RUNS = { ...lawRuns(400), seed: 20260801 };

test('no text makes a reader throw, and every line of the result exists in the text', () => {
  fc.assert(
    fc.property(DIALECT, ANY_TEXT, (dialect, text) => {
      const count = text.split(/\r*\n|\r/).length;
      const parsed = parseConfig(text, dialect);
      for (const { line, parent, children } of linesOf(parsed)) {
        expect(line).toBeGreaterThan(0);
        expect(line).toBeLessThanOrEqual(count);
        expect(parent === null || parent.line <= line).toBe(true);
        expect(children.every((child) => child.parent?.line === line)).toBe(true);
      }
      for (const { line, reason } of parsed.warnings) {
        expect(line).toBeLessThanOrEqual(count);
        expect(reason).not.toBe('');
      }
    }),
    RUNS,
  );
});

test('parsing a printed configuration yields the same tree, which prints the same text', () => {
  fc.assert(
    fc.property(DIALECT, ANY_TEXT, (dialect, text) => {
      const first = parseConfig(text, dialect);
      // A brace that is open at the end is closed in print; a script within it is then read as one.
      const unclosed = first.warnings.some(({ reason }) => reason === 'the brace is not closed');
      const once = unclosed ? parseConfig(printConfig(first, dialect), dialect) : first;
      const printed = printConfig(once, dialect);
      const again = parseConfig(printed, dialect);
      expect(treeOf(again.lines)).toEqual(treeOf(once.lines));
      expect(printConfig(again, dialect)).toBe(printed);
    }),
    RUNS,
  );
});

test('lines are in the order of the text', () => {
  fc.assert(
    fc.property(DIALECT, TEXT, (dialect, text) => {
      const numbers = linesOf(parseConfig(text, dialect)).map(({ line }) => line);
      expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
    }),
    RUNS,
  );
});

test('a line of words, without marks, is the line of the text that its number says', () => {
  const words = fc.array(fc.stringMatching(/^[a-z][a-z0-9./-]{0,8}$/), { minLength: 1, maxLength: 4 });
  const plain = fc.array(fc.tuple(fc.nat(6), words), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.constantFrom('cisco-ios', 'arista-eos', 'linux', 'hp-comware'), plain, (name, given) => {
      const dialect = dialectOf(name);
      if (!dialect) throw new Error(name);
      const text = given.map(([indent, line]) => `${' '.repeat(indent)}x${line.join('  ')}`).join('\n');
      const rows = text.split('\n');
      for (const { line, text: shown, indent } of linesOf(parseConfig(text, dialect))) {
        expect(rows[line - 1]?.trim().split(/ +/).join(' ')).toBe(shown);
        expect(rows[line - 1]?.length).toBe(indent + (rows[line - 1]?.trim().length ?? 0));
      }
    }),
  );
});

test.skipIf(!isLong)('ten thousand levels are read and printed', () => {
  const depth = 10_000;
  for (const name of ['juniper-junos', 'f5-bigip', 'vyatta-vyos', 'json', 'fortinet-fortios']) {
    const dialect = dialectOf(name);
    if (!dialect) throw new Error(name);
    const open = name === 'fortinet-fortios' ? 'config a\n' : 'a {\n';
    const text = open.repeat(depth);
    const parsed = parseConfig(text, dialect);
    expect(linesOf(parsed)).toHaveLength(depth);
    expect(linesOf(parseConfig(printConfig(parsed, dialect), dialect))).toHaveLength(depth);
  }
  const ios = dialectOf('cisco-ios');
  if (!ios) throw new Error('cisco-ios');
  const steps = Array.from({ length: 3_000 }, (_, at) => `${' '.repeat(at)}a`).join('\n');
  expect(linesOf(parseConfig(steps, ios)).at(-1)?.indent).toBe(2_999);
});
