import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import { printConfig } from '#server/domains/golden-config/parsing/print.ts';
import { cpuTime } from '../../../helpers/cpu-time.ts';
import { lawRuns } from '../../../helpers/long.ts';
import { check, dialect } from '../rules/invented-rules.ts';
import { parse, read, treeOf } from './tree.ts';

const XML = dialect('xml');

test('an element is a line with the elements in it; one with a value, an empty one and one of several lines are one line', () => {
  const text = `<?xml version="1.0"?>
<!-- of
  the lab -->
<system>
\t<hostname>fw1</hostname><timezone  >Europe/Berlin</timezone>
  <ssh port = "22"><enable></enable></ssh>
  <gone />
  <banner>one  two
# three</banner>
  <descr><![CDATA[a <b> c]]></descr>
</system>`;
  expect(read('xml', text)).toEqual([
    [
      '<system>',
      [
        '<hostname>fw1</hostname>',
        '<timezone>Europe/Berlin</timezone>',
        ['<ssh port = "22">', ['<enable/>']],
        '<gone/>',
        '<banner>one two\n# three</banner>',
        '<descr><![CDATA[a <b> c]]></descr>',
      ],
    ],
  ]);
});

const RULES = (first: string, second: string) => `<filter>
  <rule><type>${first}</type><tracker>11</tracker></rule>
  <rule><tracker>12</tracker><type>${second}</type></rule>
</filter>`;

test('elements of one name differ by the element that identifies each of them', () => {
  expect(read('xml', RULES('pass', 'block'))).toEqual([
    [
      '<filter>',
      [
        ['<rule><tracker>11</tracker>', ['<type>pass</type>']],
        ['<rule><tracker>12</tracker>', ['<type>block</type>']],
      ],
    ],
  ]);
  const { issues } = check(RULES('pass', 'block'), RULES('pass', 'pass'), XML);
  expect(issues.map(({ parents, message }) => [parents.at(-1), message])).toEqual([
    ['<rule><tracker>12</tracker>', 'Required line is missing: <type>block</type>'],
  ]);
});

test('rules are written as elements, with marks before them and expressions in them', () => {
  const template =
    '<system>\n  <e/><hostname>{/fw\\d/}</hostname>\n  {d/}<ssh/>\n  <user><name>ops</name><shell/></user>\n</system>';
  const config = (host: string) =>
    `<system>\n<user>\n<shell/>\n<name>ops</name>\n</user><hostname>${host}</hostname></system>`;
  expect(check(template, config('fw1'), XML).issues).toEqual([]);
  expect(check(template, config('sw1'), XML).issues).toMatchObject([{ severity: 'error', type: 'required' }]);
});

test('what is no XML stays as lines, and tags without a counterpart are reported', () => {
  const parsed = parse('xml', 'hello  there\n<a>\n  <b>\n  <c>1</c>\n</a>\n</d>\n<e f="1>\n<!-- g\n<h>');
  expect(treeOf(parsed.lines)).toEqual([
    'hello there',
    ['<a>', [['<b>', ['<c>1</c>']]]],
    '</d>',
    '<e f="1>',
    '<!-- g',
    '<h>',
  ]);
  expect(parsed.warnings).toEqual([
    { line: 3, reason: 'the element is not closed' },
    { line: 6, reason: '</d> closes nothing' },
    { line: 9, reason: 'the element is not closed' },
  ]);
});

const PIECE = fc.constantFrom(
  ...[
    '<a>',
    '</a>',
    '<b>',
    '</b>',
    '<a/>',
    '<name>x</name>',
    '<id>1</id>',
    '<c d="e  f">',
    '</c>',
    'text',
    '"',
  ],
  ...[
    '\n',
    ' ',
    '\n  ',
    '<!-- h -->',
    '<!--',
    '-->',
    '<![CDATA[ <a> ]]>',
    '<![CDATA[',
    ']]>',
    '<',
    '>',
    '&amp;',
  ],
  ...['<?pi?>', '<?', '<!DOCTYPE a>', "<c d='e", '<b>  y\n z </b>', '\u00e9', '<c:d>', '</c:d>'],
);

test('any sequence of tags and texts is read, and what is printed of it is read as the same', () => {
  fc.assert(
    fc.property(fc.array(PIECE, { maxLength: 30 }), (pieces) => {
      const once = parseConfig(pieces.join(''), XML);
      const printed = printConfig(once, XML);
      const again = parseConfig(printed, XML);
      expect(treeOf(again.lines)).toEqual(treeOf(once.lines));
      expect(printConfig(again, XML)).toBe(printed);
    }),
    lawRuns(400),
  );
});

test.each([
  '<a>',
  '</a>',
  '<a ',
  '<!--',
  '<![CDATA[',
  '<a>\n</b>',
  '<a><name>x</name></a>',
  '<a b="c" ',
  '<',
  '<a>x',
])('many times %j is read in time linear to it', (piece) => {
  const time = (length: number) => {
    const text = piece.repeat(length / piece.length);
    const begun = cpuTime();
    parseConfig(text, XML);
    return cpuTime() - begun;
  };
  time(20_000);
  expect(time(400_000)).toBeLessThan(16 * time(50_000) + 400);
});
