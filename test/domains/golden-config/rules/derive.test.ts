import { describe, expect, test } from 'vitest';
import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import { deriveLines } from '#server/domains/golden-config/rule-sources/derive.ts';
import { stableLineIds } from '#server/domains/golden-config/rule-sources/line-ids.ts';
import { sampled } from '../../../helpers/long.ts';
import { IOS, JUNOS, linesOf } from './invented-rules.ts';

const derive = (template: string, variables: Record<string, unknown> = {}, dialect = IOS) =>
  deriveLines(template, variables, dialect, stableLineIds('spec'));

/** Lines as an outline: what they say beyond the usual, and their words. */
const outline = (lines: readonly Line[], depth = 0): string[] =>
  lines.flatMap(({ words, evalMode, severity, ordering, lines: below }) => [
    [
      ' '.repeat(depth),
      ...[evalMode, severity, ordering].filter((one) => !['required', 'warning', 'none'].includes(one ?? '')),
      ...words.map(({ type, value }) => (type === 'literal' ? value : `${type}:${value}`)),
    ]
      .join(' ')
      .replace(/^( *) /, '$1'),
    ...outline(below ?? [], depth + 1),
  ]);

describe('the marks of a line', () => {
  test('may precede it in any order, also on lines below others', () => {
    const lines = linesOf(
      [
        '<e/>{d/}ip http server',
        '{d/}<i/>ip finger',
        '{i/} clock timezone',
        '{lso/}<e/>ip access-list extended EDGE',
        ' {llo/}10 permit ip any any',
        ' {o/}20 deny ip any any',
        '<w/>end',
      ].join('\n'),
    );
    expect(outline(lines)).toEqual([
      'disallowed error ip http server',
      'disallowed info ip finger',
      'ignored clock timezone',
      'error strict ip access-list extended EDGE',
      ' loose 10 permit ip any any',
      ' optional 20 deny ip any any',
      'end',
    ]);
  });

  test('may precede statements and closing braces where lines nest in braces', () => {
    const lines = linesOf(
      'system { <e/>host-name a; {d/}services { {d/}telnet;\n {d/}} }\nversion {/22.(4R1|4R2)/};\n',
      {},
      JUNOS,
    );
    expect(outline(lines)).toEqual([
      'system',
      ' error host-name a',
      ' disallowed services',
      '  disallowed telnet',
      'version regex:22.(4R1|4R2)',
    ]);
  });

  test('hold for the lines of a banner as well', () => {
    const lines = linesOf('{d/}banner motd ^\n  welcome  all\n^\nend');
    expect(lines[0]?.lines?.[0]).toMatchObject({
      evalMode: 'disallowed',
      words: [{ type: 'literal', value: expect.stringContaining('  welcome  all') }],
    });
  });

  test('within a line are text, with a warning that says where', () => {
    const { lines, warnings } = derive('a\nip {d/}http');
    expect(outline(lines)).toEqual(['a', 'ip {d/}http']);
    expect(warnings).toEqual([{ line: 2, column: 4, message: expect.stringContaining('mark') }]);
  });
});

describe('the words of a line', () => {
  test('may be expressions, of several words too, beside text as well', () => {
    expect(outline(linesOf('interface {/Gi.*/}\n ip address {/[0-9.]+ [0-9.]+/}\n mtu 1{/5|9/}00'))).toEqual([
      'interface regex:Gi.*',
      ' ip address regex:[0-9.]+ [0-9.]+',
      ' mtu regex:1(?:5|9)00',
    ]);
  });

  test('come from variables, expressions too', () => {
    expect(
      outline(
        linesOf('ntp server {{ ntp }}\nhostname {/ {{ name }} /}', { ntp: '10.0.0.1', name: 'edge-.*' }),
      ),
    ).toEqual(['ntp server 10.0.0.1', 'hostname regex:edge-.*']);
  });

  test('repeat with loops, blank lines aside; repeated lines stay', () => {
    const template = '{% for i in ports %}\ninterface Gi{{ i }}\n no shutdown\n{% endfor %}';
    expect(outline(linesOf(template, { ports: [1, 1] }))).toEqual([
      'interface Gi1',
      ' no shutdown',
      'interface Gi1',
      ' no shutdown',
    ]);
  });
});

describe('mistakes are reported by line and column', () => {
  test.each<[string, number, number, string]>([
    ['a\n ntp {{ nobody }}', 2, 9, 'nobody is undefined'],
    ['a\nb {/(/}', 2, 6, 'missing closing )'],
    ['a\n  {/x(?=y)/}', 2, 6, 'look-arounds'],
    ['{% for i in [1] %}\na\n{/[/}\n{% endfor %}', 3, 3, 'missing closing ]'],
    ['a {/b', 1, 3, '/} is missing'],
    ['{% if x %}', 1, 1, 'endif'],
    ['a {//}', 1, 5, 'empty'],
  ])('%s', (template, line, column, message) => {
    const { lines, issues } = derive(template);
    expect(lines).toEqual([]);
    expect(issues).toEqual([
      expect.objectContaining({ line, column, message: expect.stringContaining(message) }),
    ]);
  });

  test('an undefined variable by its name as well', () => {
    expect(derive('ntp {{ nobody }}').issues[0]?.variable).toBe('nobody');
  });

  test('expressions that are too many, and lines that nest too deeply', () => {
    expect(derive('a {/x/}\n'.repeat(2001)).issues[0]).toMatchObject({
      line: 2001,
      message: expect.stringContaining('2000'),
    });
    const deep = Array.from({ length: 120 }, (_, depth) => `${' '.repeat(depth)}a`).join('\n');
    expect(derive(deep).issues[0]).toMatchObject({
      line: 101,
      message: expect.stringContaining('nested more than 100'),
    });
    expect(derive('a{\n'.repeat(100_000), {}, JUNOS).issues[0]?.message).toContain('levels deep');
  });
});

test('likely mistakes are reported: defaults that are never shown, lines that occur twice', () => {
  const { warnings } = derive('interface Gi1\n no shutdown\nntp a\nntp a\n{d/}ntp a');
  expect(warnings.map(({ line, message }) => [line, message.replace(/[:,].*/, '')])).toEqual([
    [2, 'no shutdown is a default'],
    [4, 'ntp a occurs twice here'],
    [5, 'ntp a occurs twice here with different marks'],
  ]);
});

test('a line keeps its id when others are inserted before it; repeated lines have two', () => {
  const ids = (template: string) => linesOf(template).map(({ id }) => id);
  const [a, again] = ids('ntp a\nntp a');
  expect(ids('hostname x\nntp a')[1]).toBe(a);
  expect(again).not.toBe(a);
  expect(a).toMatch(/^[0-9a-f]{16}$/);
});

test('comments are no lines, whatever marks they hold', () => {
  expect(outline(linesOf('! {/ not closed\na\n !\n b\n{d/}! c'))).toEqual(['a', ' b']);
});

describe('the cost of hostile templates is proportional to their length', () => {
  test.each<[string, string, typeof IOS]>(
    sampled(
      [
        ['expressions that are not closed', 'a {/b\n'.repeat(100_000), IOS],
        ['expressions that are wrong', 'a {/(/}\n'.repeat(1900), IOS],
        ['marks within lines', 'a {d/}b\n'.repeat(100_000), IOS],
        ['statements with marks on one line', 'a;{d/}'.repeat(100_000), JUNOS],
        ['quotes that are not closed', `a ${'"\\'.repeat(300_000)}`, JUNOS],
        ['braces that are not closed', 'a{'.repeat(300_000), JUNOS],
        ['lines that stand twice', 'ntp a\n'.repeat(100_000), IOS],
        ['long lines below long lines', `${'x'.repeat(300_000)}\n${' b\n'.repeat(50_000)}`, IOS],
        ['outputs', '{{ 1 }}\n'.repeat(100_000), IOS],
        ['one line of many words', 'a '.repeat(500_000), IOS],
      ],
      2,
    ),
  )('%s', (_, template, dialect) => {
    const begun = process.cpuUsage().user;
    derive(template, {}, dialect);
    expect((process.cpuUsage().user - begun) / 1000).toBeLessThan(5000);
  });
});
