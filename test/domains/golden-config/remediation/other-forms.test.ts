import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConfigLine } from '#server/domains/golden-config/parsing/config-line.ts';
import { dialects } from '#server/domains/golden-config/parsing/dialect.ts';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import { compiledPlatform } from '#server/domains/golden-config/remediation/commands/compiled-platform.ts';
import { renderChange } from '#server/domains/golden-config/remediation/rendering.ts';
import {
  afterCommands,
  dialect,
  type Invented,
  invented,
  type Kept,
  kept,
  writerOf,
} from './invented-device.ts';

const NOTHING = { lines: [], warnings: [] };

const ADDING = dialects.filter((of) => {
  const { form, removes } = compiledPlatform(of, NOTHING).rules;
  return form === 'lines' && !removes;
});

test.each(ADDING)('$name: the commands add missing lines and change no other', (of) => {
  const write = writerOf(of);
  fc.assert(
    fc.property(invented, fc.nat(4), (lines, count) => {
      const [from, to] = [parseConfig(write(lines.slice(0, count)), of), parseConfig(write(lines), of)];
      const { text } = renderChange(from, to, compiledPlatform(of, from));
      expect(afterCommands(kept(from), text, of)).toEqual(kept(to));
    }),
  );
});

const word = fc.constantFrom('alpha', 'beta', 'gamma');
const settings = fc.dictionary(word, fc.constantFrom('1', '2', '"x y"'), { maxKeys: 3 });

/** Tables of FortiOS with settings, and entries that have settings. */
const tables = fc
  .dictionary(word, fc.record({ settings, entries: fc.dictionary(word, settings, { maxKeys: 3 }) }), {
    maxKeys: 3,
  })
  .map((all): Invented[] =>
    Object.entries(all).map(([name, { settings: own, entries }]) => ({
      text: `config system ${name}`,
      below: [
        ...setLines(own),
        ...Object.entries(entries).map(([entry, values]) => ({
          text: `edit ${entry}`,
          below: setLines(values),
        })),
      ],
    })),
  );

const setLines = (values: Record<string, string>): Invented[] =>
  Object.entries(values).map(([name, value]) => ({ text: `set ${name} ${value}`, below: [] }));

const written = (lines: readonly Invented[]): string =>
  lines
    .map(({ text, below }) => {
      const close = text.startsWith('config') ? 'end\n' : text.startsWith('edit') ? 'next\n' : '';
      return `${text}\n${written(below)}${close}`;
    })
    .join('');

/** What a FortiOS device has after commands: `set` replaces the value, `unset` and `delete` remove by name. */
function afterTables(lines: readonly ConfigLine[], state: Kept): Kept {
  for (const { text, children } of lines) {
    const [verb = '', name = ''] = text.split(' ');
    if (verb === 'delete') state.delete(text.replace('delete', 'edit'));
    else if (verb === 'set' || verb === 'unset') {
      for (const one of [...state.keys()]) if (one.startsWith(`set ${name} `)) state.delete(one);
      if (verb === 'set') state.set(text, new Map());
    } else state.set(text, afterTables(children, state.get(text) ?? new Map()));
  }
  return state;
}

/** Tables that hold something: an empty one is no setting. */
const filledTables = (state: Kept): Kept => new Map([...state].filter(([, below]) => below.size > 0));

test('fortinet-fortios: the commands lead a device from one configuration to the other', () => {
  const of = dialect('fortinet-fortios');
  fc.assert(
    fc.property(tables, tables, (one, other) => {
      const [from, to] = [parseConfig(written(one), of), parseConfig(written(other), of)];
      const { text } = renderChange(from, to, compiledPlatform(of, from));
      expect(filledTables(afterTables(parseConfig(text, of).lines, kept(from)))).toEqual(
        filledTables(kept(to)),
      );
    }),
  );
});

test('a further role of an SNMP user of NX-OS, and its access list, are removed without the user', () => {
  const of = dialect('cisco-nx');
  const user = 'snmp-server user ann network-operator auth md5 0x0a priv 0x0b localizedkey';
  const more = ['snmp-server user ann vdc-admin', 'snmp-server user ann use-ipv4acl MGMT'];
  const from = parseConfig(`${[user, ...more].join('\n')}\n`, of);
  const to = parseConfig(`${user}\n`, of);
  const { text } = renderChange(from, to, compiledPlatform(of, from));
  expect(text.split('\n')).toEqual(more.map((line) => `no ${line}`));
});
