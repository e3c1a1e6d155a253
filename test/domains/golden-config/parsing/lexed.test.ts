import { expect, test } from 'vitest';
import type { LexRule } from '#db/schemas/golden-config/config-parser.ts';
import { compileParser } from '#server/domains/golden-config/parsing/compile-parser.ts';
import { dialects } from '#server/domains/golden-config/parsing/dialect.ts';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import { dialectNamed, treeOf } from './tree.ts';

/** Texts without what only the scanners know, such as banners. */
const TEXTS: Record<string, string> = {
  indent: 'hostname a\ninterface x 1\n description  to b\n  deep\n no shutdown\nend all\n',
  brace: 'a b {\n    c "d  e"\n    f {\n        g 1\n    }\n}\nh\n',
  keyword: 'config a\n    edit "b c"\n        set d 1\n    next\nend\n',
  flat: 'set a b\nset c "d"\nx\n',
  'juniper-junos': 'a {\n    b "c  d";\n    e {\n        f;\n    }\n}\nset g h\n',
  'paloalto-panos': 'a {\n  b "c  d";\n  e {\n    f;\n  }\n}\n',
  'mikrotik-routeros': '# x\n/ip address\nadd a=1\n/snmp\nset b=2\n',
  'hp-comware': '#\n sysname a\n#\nvlan 1\n name b\n#\n',
  'alu-sr': 'configure\necho "x"\n    system\n        name "a b"\n    exit\nexit all\n',
  'nokia-sros': 'configure {\n    system {\n        name "a b"\n    }\n}\n',
  json: '{"a": [1, true], "b": {"c": null}}',
};

test.each(dialects)('the rules of $name read what its scanner reads', (dialect) => {
  const { name } = dialect;
  const text = TEXTS[name] ?? TEXTS[dialect.structure] ?? TEXTS.flat ?? '';
  // One rule more that never matches: the rules are no longer those of the template, and are followed.
  const lexRules: LexRule[] = [...dialect.lexRules, ['\\x{10ffff}', 'word']];
  const byRules = compileParser({ template: name, lexRules });
  expect(treeOf(byRules?.read(text).lines ?? [])).toEqual(treeOf(parseConfig(text, dialect).lines));
});

test('rules that are the template’s own are read by its scanner, which knows banners', () => {
  const text = 'banner motd ^C\n one\n^C\n';
  const own = compileParser({ template: 'cisco-ios', lexRules: dialectNamed('cisco-ios').lexRules });
  expect(own?.read(text).lines).toMatchObject([{ children: [{ block: true }] }]);
  expect(compileParser({ template: 'none' })).toBeUndefined();
});

const readBy = (lexRules: LexRule[], text: string) =>
  compileParser({ template: 'cisco-ios', lexRules })?.read(text);

test('the first rule that matches at a place wins, and sees the character before it', () => {
  const rules: LexRule[] = [
    ['(?m)^#.*', 'comment'],
    ['\\n', 'end_line'],
    ['ab', 'word'],
    ['[a-z]+', 'word'],
    ['#', 'word'],
  ];
  expect(treeOf(readBy(rules, '# c\nabc #\n#d\n')?.lines ?? [])).toEqual(['ab c #']);
});

test('text that no rule matches is a word, and is reported', () => {
  const parsed = readBy(
    [
      ['[a-z]+', 'word'],
      ['\\n', 'end_line'],
    ],
    'a 1\nb\n',
  );
  expect(treeOf(parsed?.lines ?? [])).toEqual(['a 1', 'b']);
  expect(parsed?.warnings).toEqual([{ line: 1, reason: 'no rule matches 1' }]);
});

test('an empty match consumes nothing, and a bracket that closes nothing is reported', () => {
  const parsed = readBy(
    [
      ['x*', 'word'],
      ['\\)', 'close_statement_block'],
      ['\\n', 'end_line'],
    ],
    'xx )\n',
  );
  expect(treeOf(parsed?.lines ?? [])).toEqual(['xx']);
  expect(parsed?.warnings).toEqual([{ line: 1, reason: ') closes nothing' }]);
});
