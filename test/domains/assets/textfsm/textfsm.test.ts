// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how TextFSM spells values
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileTextFsm } from '#server/domains/assets/textfsm/compile.ts';
import { readText, TextFsmRunError } from '#server/domains/assets/textfsm/run.ts';
import { TextFsmTemplateError } from '#server/domains/assets/textfsm/template.ts';
import { cpuTime } from '../../../helpers/cpu-time.ts';
import { lawRuns } from '../../../helpers/long.ts';

const read = (template: string, text: string) => readText(compileTextFsm(template), text);

/** What is wrong with a template, as `line: message`. */
function issuesOf(template: string): string[] {
  try {
    compileTextFsm(template);
    return [];
  } catch (error) {
    if (!(error instanceof TextFsmTemplateError)) throw error;
    return error.issues.map(({ line, message }) => `${line}: ${message}`);
  }
}

const INTERFACES = `# interfaces and their neighbours
Value Required,Key PORT (\\S+)
Value STATE (up|down)
Value Filldown SLOT (\\d+)
Value List VLANS (\\d+)

Start
  # a slot begins
  ^Slot \${SLOT} -> Continue
  ^Slot -> Next
  ^Port\\s+\${PORT} is \${STATE}$$ -> Port

Port
  ^\\s+vlan \${VLANS}
  ^end$$ -> Record Start
`;

test('look-arounds and back-references match as in Python', () => {
  const template = `Value NAME (\\S.*(?<!\\s))
Value SEEN (.+?(?=,))
Value MODEL ((?:(?!Router).)+)
Value List PORT (\\d+(?=\\s+msec)|[]x*])
Value SAME (\\w)

Start
  ^name \${NAME}\\s*$$
  ^seen \${SEEN},
  ^model \${MODEL}Router
  ^(?<=x)never
  ^port\\s(?<=[^()x])+\${PORT}
  ^(?P<letter>[a-z])(?P=letter) \${SAME}{,2}\\Z -> Record
`;
  const text =
    'name core one   \nseen now, later\nmodel AR-1 Router x\nport 12 msec\nport ]\nport y\naa b\nab c\n';
  expect(read(template, text)).toEqual([
    { NAME: 'core one', SEEN: 'now', MODEL: 'AR-1 ', PORT: ['12', ']'], SAME: 'b' },
  ]);
});

test('letters, digits and blanks are those of all scripts, as in Python', () => {
  const template = `Value NAME (\\w+)
Value REST ([\\w-]+)
Value COUNT (\\d+)

Start
  ^\${NAME}\\s\${REST}\\W\${COUNT}$$ -> Record
`;
  expect(read(template, 'Z\u00fcrich\u00a0\u6771\u4eac-s\u00fcd!\u0663\nBern Ost!4\n')).toEqual([
    { NAME: 'Z\u00fcrich', REST: '\u6771\u4eac-s\u00fcd', COUNT: '\u0663' },
    { NAME: 'Bern', REST: 'Ost', COUNT: '4' },
  ]);
});

test('rules fill values, records are kept, filldowns carry on and lists collect', () => {
  const text =
    'Slot 1\nPort a/1 is up\n vlan 10\n vlan 20\nend\nnoise\nPort a/2 is down\nend\nSlot 2\r\nPort b/1 is up\r\nend\r\n';
  expect(read(INTERFACES, text)).toEqual([
    { PORT: 'a/1', STATE: 'up', SLOT: '1', VLANS: ['10', '20'] },
    { PORT: 'a/2', STATE: 'down', SLOT: '1', VLANS: [] },
    { PORT: 'b/1', STATE: 'up', SLOT: '2', VLANS: [] },
  ]);
  expect(read(INTERFACES, '')).toEqual([]);
});

const simple = (rules: string, values = 'Value A (\\w+)\nValue B (\\d+)') => `${values}\n\nStart\n${rules}\n`;

test.each<[string, string, string, unknown[]]>([
  [
    'the record under way is kept at the end of the text',
    simple('  ^a ${A}\n  ^b ${B}'),
    'a x\nb 1\n',
    [{ A: 'x', B: '1' }],
  ],
  ['a state EOF without rules forgets it', simple('  ^a ${A}\n\nEOF'), 'a x\n', []],
  ['End ends the reading, and keeps nothing more', simple('  ^a ${A} -> End'), 'a x\na y\n', []],
  ['Record and a state in one action', simple('  ^a ${A} -> Record End'), 'a x\na y\n', [{ A: 'x', B: '' }]],
  [
    'EOF as a state ends the reading and keeps the record',
    simple('  ^a ${A} -> EOF'),
    'a x\na y',
    [{ A: 'x', B: '' }],
  ],
  [
    'Continue lets later rules see the line, and the record go between',
    simple('  ^. -> Continue.Record\n  ^a ${A}\n  ^a \\w+ ${B}'),
    'a x\na y 3\n',
    [
      { A: 'x', B: '' },
      { A: 'y', B: '' },
    ],
  ],
  [
    'Continue collects several values of one line',
    simple('  ^a ${A} -> Continue\n  ^a \\w+ ${B} -> Record'),
    'a x 1\na y 2',
    [
      { A: 'x', B: '1' },
      { A: 'y', B: '2' },
    ],
  ],
  [
    'Next is the default and may be written',
    simple('  ^a ${A} -> Next.Record\n  ^a z -> Error'),
    'a z',
    [{ A: 'z', B: '' }],
  ],
  ['NoRecord changes nothing', simple('  ^a ${A} -> NoRecord'), 'a x', [{ A: 'x', B: '' }]],
  [
    'Clear forgets the record',
    simple('  ^a ${A}\n  ^c -> Clear\n  ^b ${B}'),
    'a x\nc\nb 1',
    [{ A: '', B: '1' }],
  ],
  [
    'Clear leaves a Filldown, Clearall does not',
    simple(
      '  ^a ${A}\n  ^b ${B} -> Record\n  ^c -> Clear\n  ^d -> Clearall',
      'Value Filldown A (\\w+)\nValue Required B (\\d+)',
    ),
    'a x\nc\nb 1\nd\nb 2',
    [
      { A: 'x', B: '1' },
      { A: '', B: '2' },
    ],
  ],
  [
    'a Fillup fills the records above it, up to one that has its own',
    simple('  ^a ${A} -> Record\n  ^b ${B}', 'Value A (\\w+)\nValue Fillup B (\\d+)'),
    'b 1\na x\na y\na z\nb 7\na w',
    [
      { A: 'x', B: '1' },
      { A: 'y', B: '7' },
      { A: 'z', B: '7' },
      { A: 'w', B: '7' },
    ],
  ],
  [
    'a List whose expression names groups holds objects',
    simple('  ^v ${V}', 'Value List V ((?P<id>\\d+)/(?P<name>\\w*))'),
    'v 1/one\nv 2/',
    [
      {
        V: [
          { id: '1', name: 'one' },
          { id: '2', name: '' },
        ],
      },
    ],
  ],
  [
    'a List that is a Filldown continues to grow',
    simple('  ^a ${A} -> Record', 'Value Filldown,List A (\\w+)'),
    'a x\na y',
    [{ A: ['x'] }, { A: ['x', 'y'] }, { A: ['x', 'y'] }],
  ],
  [
    'a record without its Required value is dropped, and what it held with it',
    simple('  ^a ${A}\n  ^b ${B} -> Record', 'Value Required A (\\w+)\nValue B (\\d+)'),
    'b 1\na x\nb 2',
    [{ A: 'x', B: '2' }],
  ],
  [
    'a value can be named without braces, and $$ ends a line',
    simple('  ^a $A$$'),
    'a x y\na z',
    [{ A: 'z', B: '' }],
  ],
  [
    'an arrow within the expression is no action',
    simple('  ^x -> ${A} -> Record'),
    'x -> y',
    [{ A: 'y', B: '' }],
  ],
  ['a tab may stand before a rule', simple('\t^a ${A}'), 'a x', [{ A: 'x', B: '' }]],
  ['an expression matches from the beginning of the line', simple('  ^a ${A}'), 'ba x', []],
])('%s', (_, template, text, records) => {
  expect(read(template, text)).toEqual(records);
});

test.each<[string, string, string]>([
  ['Error', simple('  ^% -> Error'), 'line 2 of the text: rejected by the rule in line 5 of the template'],
  [
    'Error with words of its own',
    simple('  ^% -> Error "no such command"'),
    'line 2 of the text: no such command',
  ],
])('%s rejects the text and names the line', (_, template, message) => {
  expect(() => read(template, 'a\n% Invalid\n')).toThrow(
    new TextFsmRunError(2, message.replace('line 2 of the text: ', '')),
  );
});

test.each<[string, string, string[]]>([
  ['an empty text', '', ['1: a template begins with its Values']],
  ['no values', 'Start\n  ^a\n', ['1: a template begins with its Values']],
  ['no state Start', 'Value A (x)\n\nOther\n  ^a', ['4: the state Start does not exist']],
  ['an option that is none', 'Value Maybe A (x)\n\nStart', ['1: Maybe is not one of']],
  ['an option twice', 'Value List,List A (x)\n\nStart', ['1: the option List occurs twice']],
  ['a value twice', 'Value A (x)\nValue A (y)\n\nStart', ['2: the Value A is defined twice']],
  ['an expression without parentheses', 'Value A x+\n\nStart', ['1: expected: Value']],
  [
    'parentheses that do not close',
    'Value A (x\\)\n\nStart',
    ['1: the expression of A must be enclosed in parentheses'],
  ],
  ['a wrong expression', 'Value A (x{2}{3}[)\n\nStart', ['1: the expression is rejected']],
  ['a look-ahead that is not closed', simple('  ^(?=a'), ['5: the expression is rejected at position 0']],
  ['an atomic group', simple('  ^(?>a)'), ['5: the expression is rejected at position 1']],
  ['no blank line behind the values', 'Value A (x)\nStart\n  ^a', ['2: expected a Value, or a blank line']],
  ['a rule too far in', simple('    ^a'), ['5: a rule begins with one or two spaces']],
  [
    'an action that is none',
    simple('  ^a -> Maybe.Record Start'),
    ['5: the action Maybe.Record Start is not valid'],
  ],
  ['Continue elsewhere', simple('  ^a -> Continue Start'), ['5: Continue stays in its state']],
  ['a state that is not there', simple('  ^a -> Nowhere'), ['5: the state Nowhere does not exist']],
  ['a value that is not there', simple('  ^${C}'), ['5: the Value C does not exist']],
  ['a single $', simple('  ^a$'), ['5: a single $ starts a Value']],
  ['a state twice', simple('  ^a\n\nStart\n  ^b'), ['7: the state Start is defined twice']],
  ['a state called as an action', simple('  ^a\n\nRecord\n  ^b'), ['7: Record is an action, not a state']],
  ['a state called anyhow', simple('  ^a\n\nmy state\n  ^b'), ['7: my state cannot be the name of a state']],
  ['rules in End', simple('  ^a\n\nEnd\n  ^b'), ['7: the state End cannot have rules']],
  ['a quoted state', simple('  ^a -> "x"'), ['5: "x" cannot be the name of a state']],
])('a template with %s is rejected', (_, template, reported) => {
  const issues = issuesOf(template);
  expect(issues).toHaveLength(reported.length);
  for (const [at, one] of reported.entries()) expect(issues[at]).toContain(one);
});

test('all mistakes are reported together, in the order of the lines', () => {
  const template = 'Value A (x)\nValue B (\n\nStart\n  ^${C}\n ^${B}\n  ^a -> Gone\nbad rule\n';
  expect(issuesOf(template).map((issue) => issue.split(':')[0])).toEqual(['2', '5', '7', '8']);
});

test('records never hold more than the text gave, whatever the text', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('Slot 1', 'Port a is up', 'end', ' vlan 3', 'x', '')), (lines) => {
      const records = read(INTERFACES, lines.join('\n'));
      const ports = lines.filter((line) => line.startsWith('Port')).length;
      expect(records.length).toBeLessThanOrEqual(ports);
      for (const { PORT, STATE } of records) expect([PORT, STATE]).toEqual(['a', 'up']);
    }),
  );
});

test('no text makes a template throw anything but its own errors, and no text compiles into anything but a template', () => {
  const piece = fc.constantFrom(
    'Value ',
    'List ',
    'A ',
    '(x)',
    '(',
    '\n',
    '\n\n',
    'Start',
    '  ^',
    '${A}',
    '$',
    ' -> ',
    'Record',
    '"',
    '(a+)+',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const template = pieces.join('');
      if (issuesOf(template).length === 0) expect(() => read(template, 'x\ny\n')).not.toThrow(TypeError);
    }),
    lawRuns(500),
  );
});

test('an expression that would backtrack for ever reads its line in time', () => {
  const template = simple('  ^${A}$$', 'Value A ((x+)+y)');
  const started = cpuTime();
  expect(read(template, 'x'.repeat(5000))).toEqual([]);
  expect(cpuTime() - started).toBeLessThan(2000);
});

test('work beyond the limit is rejected', () => {
  const template = simple('  ^.*a.{1,900}b${A}c', 'Value A (.*)');
  expect(() => read(template, `${'ab'.repeat(9000)}\n`.repeat(4000))).toThrow(TextFsmRunError);
});
