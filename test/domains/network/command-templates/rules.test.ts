import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CommandRule } from '#db/schemas/network/mop-template.ts';
import { applyRules, commandPasses } from '#server/domains/network/command-templates/rules/evaluate.ts';
import { cpuTime } from '../../../helpers/cpu-time.ts';

const OUTPUT = [
  'Interface        Status    Vlan',
  'Gi1/0/1          up        10',
  'Gi1/0/2          DOWN      20',
  'Memory total: 1,024 used: 900',
  'Counter: 18446744073709551615 of 18446744073709551614',
].join('\n');

const held = (rule: CommandRule, output = OUTPUT, values = {}) => applyRules([rule], output, values)[0];
const holds = (rule: CommandRule, output?: string, values?: object) => held(rule, output, values)?.result;

test.each([
  ['contains', 'Gi1/0/1', true],
  ['contains', 'gi1/0/1', false],
  ['contains', '', true],
  ['!contains', 'Gi9', true],
  ['!contains', 'up', false],
  ['contains1', 'DOWN', true],
  ['contains1', 'Gi1', false],
  ['contains1', 'absent', false],
  ['RegEx', 'Gi1/0/\\d +up', true],
  ['RegEx', '/Gi1/0/\\d +up/', true],
  ['RegEx', '/gi1/0/\\d +UP/i', true],
  ['RegEx', '^Gi1', false],
  ['!RegEx', 'Gi[5-9]', true],
  ['!RegEx', 'Gi\\d', false],
])('the rule %s %j evaluates to %j', (how, rule, wanted) => {
  expect(holds({ rule, eval: how })).toBe(wanted);
});

test('the flag case lets upper and lower case count as the same, in texts and expressions', () => {
  for (const how of ['contains', 'contains1', 'RegEx']) {
    expect(holds({ rule: 'gi1/0/2', eval: how, flags: { case: true } })).toBe(true);
    expect(holds({ rule: 'gi1/0/2', eval: how, flags: { case: false } })).toBe(false);
  }
  expect(holds({ rule: 'down', eval: '!contains', flags: { case: true } })).toBe(false);
  expect(holds({ rule: 'down', eval: '!contains' })).toBe(true);
});

test('the flag multiline lets ^ and $ match at lines; global changes nothing about whether there is a match', () => {
  for (const global of [true, false]) {
    expect(holds({ rule: '^Gi1/0/1.*10$', eval: 'RegEx', flags: { multiline: true, global } })).toBe(true);
    expect(holds({ rule: '^Gi1/0/1.*10$', eval: 'RegEx', flags: { global } })).toBe(false);
    expect(holds({ rule: '^Gi1/0/1.*10$', eval: '!RegEx', flags: { multiline: true, global } })).toBe(false);
  }
});

const TOTAL = '/total: ([\\d,]+)/';
const USED = '/used: (\\d+)/';

test.each([
  ['>', TOTAL, USED, true],
  ['<', TOTAL, USED, false],
  ['>=', TOTAL, TOTAL, true],
  ['<=', USED, TOTAL, true],
  ['=', TOTAL, '1024', true],
  ['!=', USED, '900', false],
  ['=', 'Gi1/0/1 +(\\w+)', 'up', true],
  ['!=', 'Gi1/0/2 +(\\w+)', 'up', true],
  ['>', 'Counter: (\\d+)', 'of (\\d+)', true],
  ['=', 'Counter: (\\d+)', 'of (\\d+)', false],
])('a comparison %s of %s and %s is %j', (evaluator, rule, ruleB, wanted) => {
  expect(holds({ rule, ruleB, eval: '#comparison', evaluator })).toBe(wanted);
});

test('% bounds the share that the second value is of the first', () => {
  const share = (percentage: number) =>
    holds({ rule: TOTAL, ruleB: USED, eval: '#comparison', evaluator: '%', percentage });
  expect(share(90)).toBe(true);
  expect(share(87)).toBe(false);
  const none = held({ rule: '(0)', ruleB: '5', eval: '#comparison', evaluator: '%' }, 'x 0');
  expect(none).toMatchObject({ result: false, error: expect.stringContaining('percentage of 0') });
});

test('what cannot be applied does not hold, and says why', () => {
  const why = (rule: CommandRule, values = {}) => {
    const { result, error } = held(rule, OUTPUT, values) ?? {};
    expect(result).toBe(false);
    return error;
  };
  expect(why({ rule: '(?<!^)[a-f]{32}', eval: 'RegEx' })).toContain('look-arounds');
  expect(why({ rule: '(?<!^)[a-f]{32}', eval: '!RegEx' })).toContain('look-arounds');
  expect(why({ rule: 'Version <!version!>', eval: 'contains' })).toBe('variable version has no value');
  expect(why({ rule: '<!v!>', eval: '!contains' }, { v: { a: 1 } })).toContain('variable v must be text');
  expect(why({ rule: 'x', eval: 'Contains' })).toContain('Contains');
  const comparison = { rule: TOTAL, ruleB: USED, eval: '#comparison' };
  expect(why({ ...comparison, rule: '/none (\\d)/' })).toBe('rule matches nothing in the output');
  expect(why({ ...comparison, ruleB: '/none (\\d)/' })).toBe('ruleB matches nothing in the output');
  expect(why({ ...comparison, evaluator: '~' })).toContain('operator ~');
  expect(why({ ...comparison, rule: 'Gi1/0/1 +(\\w+)', evaluator: '<' })).toBe(
    '"up" is not a number: < needs two numbers',
  );
});

test('variables are filled in as texts: what an expression would read into them is quoted', () => {
  const version = '15.2(4)M7';
  const output = `Version ${version}, RELEASE`;
  const values = { version, dotted: '1.1.1.1' };
  for (const how of ['contains', 'RegEx', 'contains1']) {
    const reported = held({ rule: 'Version <! version !>,', eval: how }, output, values);
    expect(reported).toMatchObject({ result: true, raw: 'Version <! version !>,' });
  }
  expect(holds({ rule: '<!dotted!>', eval: 'RegEx' }, '1x1x1x1', values)).toBe(false);
  const comparison = { rule: 'Version ([^,]+)', ruleB: '<!version!>', eval: '#comparison' };
  expect(holds(comparison, output, values)).toBe(true);
});

test('a rule with a list is applied once for each of its elements', () => {
  const rules = [{ rule: 'Gi1/0/<!port!>', eval: 'contains' }];
  const reported = applyRules(rules, OUTPUT, { port: [1, 2, 3] });
  expect(reported.map(({ rule, result }) => [rule, result])).toEqual([
    ['Gi1/0/1', true],
    ['Gi1/0/2', true],
    ['Gi1/0/3', false],
  ]);
});

test('a rule keeps its fields, and has the severity error unless it names another', () => {
  expect(held({ rule: '15.2', eval: 'contains' })).toEqual({
    rule: '15.2',
    eval: 'contains',
    severity: 'error',
    result: false,
  });
});

test('an expression that would backtrack without end ends quickly', () => {
  const began = cpuTime();
  expect(holds({ rule: '^(a+)+$', eval: 'RegEx' }, `${'a'.repeat(50_000)}b`)).toBe(false);
  expect(cpuTime() - began).toBeLessThan(5000);
});

test('a search that could take too long is not started, and that is reported', () => {
  const reported = held({ rule: '(a?){300}b', eval: '!RegEx' }, 'a'.repeat(2_000_000));
  expect(reported).toMatchObject({ result: false, error: expect.stringContaining('too long') });
});

test('where warnings are ignored, only rules of severity error fail a command', () => {
  const rule = (result: boolean, severity: 'error' | 'warning' | 'info') => ({
    rule: 'x',
    eval: 'contains',
    severity,
    result,
  });
  const mixed = [rule(true, 'error'), rule(false, 'warning'), rule(false, 'info')];
  expect(commandPasses({ passRule: true, ignoreWarnings: true }, mixed)).toBe(true);
  expect(commandPasses({ passRule: true, ignoreWarnings: false }, mixed)).toBe(false);
  expect(commandPasses({ passRule: true, ignoreWarnings: null }, mixed)).toBe(false);
  expect(commandPasses({ passRule: false }, mixed)).toBe(true);
  expect(commandPasses({ passRule: true, ignoreWarnings: true }, [rule(false, 'error'), ...mixed])).toBe(
    false,
  );
  expect(commandPasses({ passRule: false }, [rule(false, 'error'), rule(false, 'warning')])).toBe(false);
  expect(commandPasses({}, [rule(true, 'error'), rule(false, 'error')])).toBe(false);
});

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '.', '(', '\n', ' ', '\\'), maxLength: 6 });
const output = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '.', '(', '\n', ' ', '\\'), maxLength: 60 });
const flags = fc.record({ case: fc.boolean(), multiline: fc.boolean(), global: fc.boolean() });

test('law: contains and !contains are opposites, and so are RegEx and !RegEx of an expression that is one', () => {
  fc.assert(
    fc.property(text, output, flags, (rule, shown, how) => {
      const one = (kind: string) => held({ rule, eval: kind, flags: how }, shown);
      expect(one('contains')?.result).toBe(!one('!contains')?.result);
      const [yes, no] = [one('RegEx'), one('!RegEx')];
      expect(yes?.error).toBe(no?.error);
      expect(yes?.result).toBe(yes?.error === undefined ? !no?.result : false);
    }),
  );
});

test('law: contains1 means contains, and a quoted variable is found by RegEx where contains finds it', () => {
  fc.assert(
    fc.property(text, output, fc.boolean(), (value, shown, ignoring) => {
      const one = (kind: string) =>
        holds({ rule: '<!v!>', eval: kind, flags: { case: ignoring } }, shown, { v: value });
      if (one('contains1')) expect(one('contains')).toBe(true);
      expect(one('RegEx')).toBe(one('contains'));
    }),
  );
});

test('law: of two numbers just one of <, = and > holds, and the other operators follow from them', () => {
  const number = fc.oneof(
    fc.maxSafeInteger().map(String),
    fc.float({ noNaN: true, noDefaultInfinity: true }).map((n) => n.toFixed(3)),
  );
  fc.assert(
    fc.property(number, number, (a, b) => {
      const shown = `a ${a} b ${b}`;
      const one = (evaluator: string) =>
        holds({ rule: '/a (\\S+)/', ruleB: '/b (\\S+)/', eval: '#comparison', evaluator }, shown);
      expect([one('<'), one('='), one('>')].filter(Boolean)).toHaveLength(1);
      expect(one('!=')).toBe(!one('='));
      expect(one('<=')).toBe(!one('>'));
      expect(one('>=')).toBe(!one('<'));
    }),
  );
});
