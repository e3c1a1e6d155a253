import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { LexRule } from '#db/schemas/golden-config/config-parser.ts';
import { BUILT_IN_PARSERS } from '#server/domains/golden-config/parsers/built-in-parsers.ts';
import { lexRuleIssues } from '#server/domains/golden-config/parsers/lex-rules.ts';

/** The tokens of a text: first rule that matches at the place wins, blanks that none takes are skipped. */
function lex(parser: string, text: string): string[] {
  const rules = (BUILT_IN_PARSERS.get(parser) ?? []).map(([expression, token]) => ({
    token,
    expression: RE2JS.compile(expression),
  }));
  const found: string[] = [];
  for (let at = 0; at < text.length; ) {
    const hit = rules
      .map(({ token, expression }) => {
        const matcher = expression.matcher(text);
        return matcher.find(at) && matcher.start() === at ? { token, text: matcher.group() ?? '' } : null;
      })
      .find((match) => match !== null && match.text !== '');
    if (hit && hit.token !== 'comment') found.push(hit.token === 'word' ? hit.text : `<${hit.token}>`);
    at += hit ? hit.text.length : 1;
  }
  return found;
}

const [OPEN, CLOSE, END] = ['<open_statement_block>', '<close_statement_block>', '<end_line>'];

test.each([
  {
    parser: 'cisco-ios',
    text: '! saved\nhostname edge\n!\ninterface Gi0/1\n description "to ! core"\n',
    tokens: [
      END,
      'hostname',
      'edge',
      END,
      END,
      'interface',
      'Gi0/1',
      END,
      'description',
      '"to',
      '!',
      'core"',
      END,
    ],
  },
  {
    parser: 'cisco-asa',
    text: ': Saved\r\nhostname fw\r\n',
    tokens: [END, 'hostname', 'fw', END],
  },
  {
    parser: 'juniper-junos',
    text: 'system {\n  host-name "a b; c";\n  /* one\n two */\n  inactive: services;  ## why\n}\n',
    tokens: [
      'system',
      OPEN,
      END,
      'host-name',
      '"a b; c"',
      END,
      END,
      END,
      'inactive:',
      'services',
      END,
      END,
      CLOSE,
      END,
    ],
  },
  {
    parser: 'juniper-junos',
    text: 'set system host-name a\nset vlans members [ 1 2 ]\n',
    tokens: ['set', 'system', 'host-name', 'a', END, 'set', 'vlans', 'members', '[', '1', '2', ']', END],
  },
  {
    parser: 'f5-bigip',
    text: '#TMSH\nltm pool /Common/web {\n    monitor http\n}\n',
    tokens: [END, 'ltm', 'pool', '/Common/web', OPEN, END, 'monitor', 'http', END, CLOSE, END],
  },
  {
    parser: 'alu-sr',
    text: '# TiMOS\necho "System"\n    system\n        name "pe 1"\n    exit\n',
    tokens: [END, END, 'system', END, 'name', '"pe 1"', END, 'exit', END],
  },
  {
    parser: 'nokia-sros',
    text: 'configure {\n    system {\n        name "pe 1"\n    }\n}\n',
    tokens: ['configure', OPEN, END, 'system', OPEN, END, 'name', '"pe 1"', END, CLOSE, END, CLOSE, END],
  },
  {
    parser: 'paloalto-panos',
    text: 'config {\n  hostname fw;\n}\n',
    tokens: ['config', OPEN, END, 'hostname', 'fw', END, END, CLOSE, END],
  },
  {
    parser: 'json',
    text: '{"a b": [1, true], "c": {"d": null}}',
    tokens: [OPEN, '"a b"', OPEN, '1', END, 'true', CLOSE, END, '"c"', OPEN, '"d"', 'null', CLOSE, CLOSE],
  },
  {
    parser: 'fortinet-fortios',
    text: '#config\nconfig system global\n    set banner "one\ntwo"\nend\n',
    tokens: [END, 'config', 'system', 'global', END, 'set', 'banner', '"one\ntwo"', END, 'end', END],
  },
  {
    parser: 'mikrotik-routeros',
    text: '/ip address\nadd address=192.0.2.1/24 \\\n    interface=ether1\n',
    tokens: ['/ip', 'address', END, 'add', 'address=192.0.2.1/24', 'interface=ether1', END],
  },
])('the rules of $parser read $text', ({ parser, text, tokens }) => {
  expect(lex(parser, text)).toEqual(tokens);
});

test('every built-in parser of the contract exists, and a caller could send each of its rules', () => {
  const contract =
    'cisco-ios cisco-ios-xr cisco-nx cisco-asa cisco-staros arista-eos juniper-junos f5-bigip a10-acos alu-sr paloalto-panos json';
  for (const name of contract.split(' ')) expect(BUILT_IN_PARSERS.has(name), name).toBe(true);
  for (const [name, rules] of BUILT_IN_PARSERS) {
    expect(lexRuleIssues(rules, []), name).toEqual([]);
    for (const rule of rules) LexRule.parse(rule);
    const tokens = new Set(rules.map(([, token]) => token));
    expect(tokens, name).toContain('word');
    expect(tokens, name).toContain('end_line');
  }
});

test('no text stops the rules: some rule matches every character that is not blank', () => {
  for (const [name, lexRules] of BUILT_IN_PARSERS) {
    for (const text of ['"', '{', ';', '#', '\\', "'", '[', ':', '\u00e9', '\u{1F600}']) {
      const rules = lexRules.map(([expression]) => RE2JS.compile(expression));
      const taken = rules.some((rule) => {
        const matcher = rule.matcher(text);
        return matcher.find(0) && matcher.start() === 0 && (matcher.group() ?? '') !== '';
      });
      expect(taken, `${name} ${text}`).toBe(true);
    }
  }
});

test('each expression that is wrong or slow is reported with the index of its rule', () => {
  const issues = lexRuleIssues(
    [
      ['\\S+', 'word'],
      ['(?=a)', 'word'],
      ['(', 'word'],
      ['a{1000}{1000}', 'word'],
    ],
    ['lexRules'],
  );
  expect(issues.map(({ path }) => path)).toEqual([
    ['lexRules', 1, 0],
    ['lexRules', 2, 0],
    ['lexRules', 3, 0],
  ]);
  expect(lexRuleIssues(Array(101).fill(['a', 'word']), ['lexRules'])).toMatchObject([{ path: ['lexRules'] }]);
});
