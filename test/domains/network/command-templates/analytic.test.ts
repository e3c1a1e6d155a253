import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AnalyticRule, AnalyticTemplate } from '#db/schemas/network/mop-template.ts';
import { compareRuns } from '#server/domains/network/command-templates/rules/analytic.ts';

const COMMAND = 'show interface <!port!>';
const entry = (response: string, change: object = {}) => ({
  raw: COMMAND,
  evaluated: 'show interface Gi1',
  device: 'edge-1',
  response,
  ...change,
});
const template = (rules: AnalyticRule[], change: object = {}): AnalyticTemplate => ({
  name: 'Kept',
  prepostCommands: [{ preRawCommand: COMMAND, postRawCommand: COMMAND, rules }],
  ...change,
});

const comparing = (rule: AnalyticRule, pre: string, post: string, values = { port: 'Gi1' }) => {
  const reported = compareRuns(template([rule]), { pre: [entry(pre)], post: [entry(post)] }, values, {
    byDevice: false,
  });
  if (reported.issues) throw new Error(JSON.stringify(reported.issues));
  return reported.answer.analytic_result[0]?.rules[0];
};
const both = (expression: string, change: object = {}) => ({
  type: 'matches',
  preRegex: expression,
  postRegex: expression,
  evaluator: '=',
  ...change,
});

const UP = 'Gi1 is up, 100 routes\n10.0.0.0/8 via 1\n10.1.0.0/16 via 2';
const DOWN = 'Gi1 is down, 80 routes\n10.1.0.0/16 via 2\n10.0.0.0/8 via 1';

test.each([
  ['matches', '/is (\\w+)/', '=', false],
  ['matches', '/is (\\w+)/', '!=', true],
  ['!matches', '/is (\\w+)/', '=', true],
  ['regex', '/(\\d+) routes/', '>', true],
  ['matches', '(\\d+) routes', '<=', false],
  ['!matches', '(\\d+) routes', '<=', true],
  ['matches', '(\\d+) routes', '%', true],
  ['matches', 'routes', '=', true],
  ['table', '/^(\\S+) via (\\d)/', '=', true],
  ['table', '/via (\\d)/', '<', false],
])('type %s of %s by %s is %j', (type, expression, evaluator, wanted) => {
  expect(
    comparing(both(expression, { type, evaluator, flags: { multiline: true } }), UP, DOWN),
  ).toMatchObject({
    type,
    evaluator,
    result: wanted,
  });
});

test('the answer has the fields that clients read', () => {
  const rules = [both('/is (\\w+)/')];
  const reported = compareRuns(
    template(rules),
    { pre: [entry(UP)], post: [entry(DOWN)] },
    { port: 'Gi1' },
    { byDevice: false },
  );
  expect(reported).toEqual({
    answer: {
      name: 'Kept',
      result: false,
      analytic_result: [
        {
          device: 'edge-1',
          command: COMMAND,
          result: false,
          rules: [{ type: 'matches', pre: 'up', post: 'down', evaluator: '=', result: false }],
        },
      ],
    },
  });
});

test('without expressions the whole answers are compared', () => {
  expect(comparing({ type: 'matches' }, UP, UP)).toMatchObject({ result: true, evaluator: '=', pre: UP });
  expect(comparing({ type: 'table' }, UP, `${UP}\nmore`)).toMatchObject({ result: false });
});

test('what cannot be compared does not hold, and says why', () => {
  const why = (rule: AnalyticRule, pre = UP, post = DOWN) => {
    const reported = comparing(rule, pre, post);
    expect(reported?.result).toBe(false);
    return reported?.error;
  };
  expect(why(both('/never (\\d)/'))).toBe('preRegex and postRegex matches nothing');
  expect(why(both('/never (\\d)/', { type: '!matches' }))).toContain('matches nothing');
  expect(why(both('(?=x)'))).toContain('look-arounds');
  expect(why(both('<!absent!>'))).toBe('variable absent has no value');
  expect(why(both('is (\\w+)', { type: 'diff' }))).toContain('the rule type diff');
  expect(why(both('is (\\w+)', { evaluator: '~' }))).toContain('operator ~');
  expect(why(both('is (\\w+)', { evaluator: '>' }))).toContain('not a number');
});

test('a command that a run holds more than once is reported, each by its run', () => {
  const requested = (pre: object[], post: object[], byDevice = false) =>
    compareRuns(template([both('x')]), { pre: pre as never, post: post as never }, {}, { byDevice });
  expect(requested([], [entry(UP), entry(UP)]).issues).toMatchObject([
    { path: ['pre', 'commands_results'], code: 'not_exactly_one' },
    { path: ['post', 'commands_results'], message: expect.stringContaining('found 2 times') },
  ]);
  const two = [entry(UP), entry(UP, { device: 'edge-2' })];
  expect(requested(two, two).issues).toHaveLength(2);
  expect(requested(two, two, true).issues).toBeUndefined();
  expect(requested(two, [two[0] as object], true).issues).toMatchObject([
    { path: ['post', 'commands_results'], message: expect.stringContaining('edge-2') },
  ]);
});

test('a device that gave no answer is no match, whatever the rules say', () => {
  const down = entry('', { error: 'no route' });
  for (const passRule of [true, false]) {
    const requested = template([], { passRule });
    const reported = compareRuns(requested, { pre: [entry(UP)], post: [down] }, {}, { byDevice: true });
    expect(reported).toMatchObject({ answer: { result: false } });
  }
});

test('law: matches and !matches are opposites wherever both can say', () => {
  const word = fc.constantFrom('1', '2', '10', 'up', 'down', '1.50');
  fc.assert(
    fc.property(word, word, fc.constantFrom('=', '!=', '<', '>', '<=', '>=', '%'), (a, b, evaluator) => {
      const rule = (type: string) => comparing(both('is (\\S+)', { type, evaluator }), `is ${a}`, `is ${b}`);
      const [yes, no] = [rule('matches'), rule('!matches')];
      expect(yes?.error).toBe(no?.error);
      if (yes?.error === undefined) expect(yes?.result).toBe(!no?.result);
    }),
  );
});

test('law: a run compared with itself keeps everything, and only that', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (shown) => {
      for (const type of ['matches', 'table', 'regex']) {
        expect(comparing({ type, evaluator: '=' }, shown, shown)?.result).toBe(true);
      }
      expect(comparing({ type: '!matches' }, shown, shown)?.result).toBe(false);
    }),
  );
});
