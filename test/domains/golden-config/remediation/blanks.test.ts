import { describe, expect, test } from 'vitest';
import { dialectOf } from '#server/domains/golden-config/parsing/dialect.ts';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import { remediate } from '#server/domains/golden-config/remediation/remediate.ts';

const TEXT = [
  'hostname edge-1',
  'interface Ethernet1',
  ' description north  side',
  ' ip address 192.0.2.1 255.255.255.0',
  'ip access-list extended EDGE',
  ' 10 permit ip any any',
  '',
].join('\n');

describe.each(['cisco-ios', 'cisco-nx', 'cisco-ios-xr', 'arista-eos', 'huawei-vrp'])('%s', (name) => {
  const dialect = dialectOf(name);
  if (!dialect) throw new Error(`no dialect ${name}`);

  test.each([
    ['a byte order mark', `\ufeff${TEXT}`],
    ['line ends of two characters', TEXT.replaceAll('\n', '\r\n')],
    ['blanks at the ends of lines', TEXT.replaceAll('\n', ' \t \n')],
    ['tabs before lines', TEXT.replaceAll('\n ', '\n\t')],
    ['two spaces before lines', TEXT.replaceAll('\n ', '\n  ')],
    ['two spaces, then a tab, between words', TEXT.replace('ip address ', 'ip  address\t')],
    ['a vertical tab between words', TEXT.replace('north  side', 'north\v \fside')],
    ['empty lines', TEXT.replaceAll('\n', '\n\n')],
    ['no end of the last line', TEXT.trimEnd()],
  ])('proposes no command for %s', (_, running) => {
    expect(remediate(parseConfig(running, dialect), parseConfig(TEXT, dialect), dialect)).toEqual([]);
  });

  test('a line that occurs twice is removed by one command, below the lines that stay', () => {
    const running = TEXT.replace(' ip address', ' speed 100\n speed 100\n ip address');
    expect(remediate(parseConfig(running, dialect), parseConfig(TEXT, dialect), dialect)).toEqual([
      { text: 'interface Ethernet1', below: [{ text: `${dialect.negation}speed 100`, below: [] }] },
    ]);
  });
});
