import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConfigLine } from '#server/domains/golden-config/parsing/config-line.ts';
import { dialectOf } from '#server/domains/golden-config/parsing/dialect.ts';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';

type Shape = { text: string; line: number; block: boolean; below: Shape[] };
const shape = (lines: readonly ConfigLine[]): Shape[] =>
  lines.map(({ text, line, block, children }) => ({
    text,
    line,
    block: block === true,
    below: shape(children),
  }));

function read(name: string, text: string) {
  const dialect = dialectOf(name);
  if (!dialect) throw new Error(`no dialect ${name}`);
  return shape(parseConfig(text, dialect).lines);
}

const line = fc.constantFrom(
  'hostname edge-1',
  'interface Gi0/1',
  ' description to  the "west  side"',
  ' no shutdown',
  'router bgp 64512',
  '  neighbor 192.0.2.1 remote-as 64513',
  '!',
  'banner motd ^C',
  'authorized use only ^C',
);
const ended = fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r', '\r\r\n'));

test.each([
  'cisco-ios',
  'arista-eos',
  'huawei-vrp',
  'juniper-junos',
  'fortinet-fortios',
  'mikrotik-routeros',
])('a text of %s has the same meaning whichever line ends it uses, also mixed ones', (name) => {
  fc.assert(
    fc.property(fc.array(ended, { maxLength: 30 }), (lines) => {
      const mixed = lines.map(([text, end]) => text + end).join('');
      const plain = lines.map(([text]) => `${text}\n`).join('');
      expect(read(name, mixed)).toEqual(read(name, plain));
    }),
  );
});

test('lines that end in a carriage return alone are lines, empty ones among them', () => {
  const lines = read('cisco-ios', 'hostname edge-1\r\rinterface Gi0/1\r mtu 9000\r');
  expect(lines).toMatchObject([
    { text: 'hostname edge-1', line: 1 },
    { text: 'interface Gi0/1', line: 3, below: [{ text: 'mtu 9000', line: 4 }] },
  ]);
});

test('a million carriage returns are read in time linear to them', () => {
  expect(read('cisco-ios', `${'\r'.repeat(1_000_000)}hostname edge-1`)).toMatchObject([{ line: 1_000_001 }]);
});
