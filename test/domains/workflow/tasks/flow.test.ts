import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jobWith, ran, refusalOf } from '../../../helpers/jobs/task-runs.ts';

const fixed = (variable: unknown) => ({ task: 'static', variable });
const compare = (left: unknown, operator: string, right: unknown, more = {}) => ({
  operand_1: fixed(left),
  operator,
  operand_2: fixed(right),
  ...more,
});
const groups = (...all: { evaluations: object[]; all_true_flag?: boolean }[]) => all;
const evaluated = (evaluation_groups: unknown, all_true_flag: unknown = false) =>
  ran('evaluation', { evaluation_groups, all_true_flag }).finish;
const holds = (left: unknown, operator: string, right: unknown) =>
  evaluated(groups({ evaluations: [compare(left, operator, right)] }));

test.each<[unknown, string, unknown, boolean]>([
  [5, '==', 5, true],
  ['5', '==', 5, true],
  [5, '==', '5.0', true],
  ['1.10', '==', '1.1', false],
  [true, '==', 'true', true],
  ['false', '==', false, true],
  ['true', '==', 'True', false],
  [null, '==', undefined, true],
  [null, '!=', '', true],
  ['null', '==', null, true],
  [0, '==', '', false],
  [[], '==', [], true],
  [[1, { a: 2 }], '==', [1, { a: 2 }], true],
  ['[1, 2]', '==', [1, 2], true],
  [{ a: 1, b: 2 }, '==', { b: 2, a: 1 }, true],
  [{ a: 1 }, '!=', { a: 1, b: null }, true],
  [2, '<', 10, true],
  ['2', '<', '10', true],
  ['b', '<', 'a', false],
  ['edge-2', '>', 'edge-10', true],
  [3, '>=', 3, true],
  [3, '<=', '2', false],
  [null, '<', 5, false],
  [null, '>=', 0, false],
  [[1], '<', [2], false],
  ['no provider here', 'contains', 'provider', true],
  ['no provider here', 'contains', 'p.*r h', true],
  ['1+1=2', 'contains', '1+1', true],
  ['(a', 'contains', '(b', false],
  ['a', '!contains', 'b', true],
  [['FAILURE', 'SUCCESS'], 'contains', 'SUCCESS', true],
  [['FAILURE', 'SUCCESS'], 'contains', 'SUCC', false],
  [[{ a: 1 }], 'contains', { a: 1 }, true],
  [{ name: 'edge-1' }, 'contains', 'name', true],
  [{ name: 'edge-1' }, 'contains', 'toString', false],
  [{ message: 'The device did not answer' }, 'contains', 'did not answer', true],
  [undefined, 'contains', 'a', false],
  [42, 'contains', '4', true],
])('%j %s %j is %j', (left, operator, right, result) => {
  expect(holds(left, operator, right)).toBe(result ? 'success' : 'failure');
  expect(ran('decision', { operand_1: left, operator, operand_2: right }).finish).toBe(
    result ? 'success' : 'failure',
  );
});

test('each comparison is the opposite of its negation', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
      expect(holds(left, '==', right)).not.toBe(holds(left, '!=', right));
      expect(holds(left, 'contains', right)).not.toBe(holds(left, '!contains', right));
      expect(holds(left, '==', left)).toBe('success');
      if (holds(left, '<', right) === 'success') expect(holds(right, '>', left)).toBe('success');
    }),
  );
});

test('one comparison of a group is enough unless the group wants all, and one group unless all are wanted', () => {
  const yes = compare(1, '==', 1);
  const no = compare(1, '==', 2);
  const either = { evaluations: [yes, no], all_true_flag: false };
  const both = { evaluations: [yes, no], all_true_flag: true };
  expect(evaluated(groups(either))).toBe('success');
  expect(evaluated(groups(both))).toBe('failure');
  expect(evaluated(groups(either, both))).toBe('success');
  expect(evaluated(groups(either, both), true)).toBe('failure');
  expect(evaluated(groups(either, either), 'true')).toBe('success');
  expect(evaluated(groups({ evaluations: [no] }), true)).toBe('failure');
});

test('operands are variables of the job, results of tasks or fixed values, each as far as its query says', () => {
  const job = jobWith(
    { site: { name: 'oslo' } },
    { a1: { stdout: { rows: [{ status: 'SUCCESS' }, { status: 'FAILURE' }] } } },
  );
  const one = (operand_1: object, query: string, operator: string, operand_2: object, rightQuery = '') =>
    ran(
      'evaluation',
      { evaluation_groups: [{ evaluations: [{ operand_1, query, operator, operand_2, rightQuery }] }] },
      job,
    ).finish;
  const stdout = { task: 'a1', variable: 'stdout' };
  expect(one({ task: 'job', variable: 'site' }, 'name', '==', fixed('oslo'))).toBe('success');
  expect(one(fixed('oslo'), '', '==', { task: 'job', variable: 'site' }, 'name')).toBe('success');
  expect(one(stdout, 'rows[*].status', '!contains', fixed('FAILURE'))).toBe('failure');
  expect(one(stdout, 'rows[*][status=FAILURE].status', '!=', fixed('FAILURE'))).toBe('failure');
  expect(one({ task: 'a1', variable: 'gone' }, 'a.b', '==', fixed(null))).toBe('success');
});

test.each([
  [{ evaluation_groups: [] }, 'evaluation_groups must have at least one group'],
  [{}, 'evaluation_groups is missing'],
  [{ evaluation_groups: 'x' }, 'evaluation_groups must be a list, but is a string'],
  [{ evaluation_groups: [{}] }, 'evaluation_groups.0.evaluations must have at least one comparison'],
  [{ evaluation_groups: [null] }, 'evaluation_groups.0 must be an object'],
  [
    { evaluation_groups: [{ evaluations: [compare(1, 'like', 1)] }] },
    'evaluation_groups.0.evaluations.0.operator must be one of contains !contains < <= > >= == !=',
  ],
  [
    { evaluation_groups: [{ evaluations: [compare(1, '==', 1, { query: 'a[' })] }] },
    'query [ at 2 is not closed',
  ],
  [
    { evaluation_groups: [{ evaluations: [compare(1, '==', 1)] }], all_true_flag: 7 },
    'all_true_flag must be true or false',
  ],
])('an evaluation that cannot be done ends in error: %#', (incoming, message) => {
  expect(refusalOf('evaluation', incoming)).toContain(message);
});

test('a query finishes with failure when it finds nothing, unless nothing is passed on', () => {
  const obj = { a: [{ b: 0 }] };
  expect(ran('query', { obj, query: 'a[0].b', pass_on_null: false })).toEqual({
    finish: 'success',
    outgoing: { return_data: 0 },
  });
  expect(ran('query', { obj, query: 'c' })).toEqual({ finish: 'failure', outgoing: { return_data: null } });
  expect(ran('query', { obj, query: 'c', pass_on_null: true })).toEqual({
    finish: 'success',
    outgoing: { return_data: null },
  });
  expect(ran('query', { query: 'c' }).finish).toBe('failure');
  expect(ran('query', { obj, query: '' }).outgoing.return_data).toBe(obj);
  expect(ran('query', { obj: 'text', query: 'a.b' }).finish).toBe('failure');
  expect(refusalOf('query', { obj, query: 'a[' })).toBe('query [ at 2 is not closed');
  expect(refusalOf('query', { obj, query: 5 })).toBe('query must be a string, but is a number');
});

test('a value is modified where a query matches, and unchanged elsewhere', () => {
  const value = { site: { name: 'oslo' }, up: true };
  expect(
    ran('modify', { object_to_update: value, query: 'site.name', new_value: 'bergen' }).outgoing
      .updated_object,
  ).toEqual({
    site: { name: 'bergen' },
    up: true,
  });
  expect(value.site.name).toBe('oslo');
  expect(
    ran('modify', { object_to_update: 'old', query: '', new_value: [1] }).outgoing.updated_object,
  ).toEqual([1]);
  expect(ran('modify', { object_to_update: value, query: 'site.city', new_value: 1 })).toEqual({
    finish: 'failure',
    outgoing: { updated_object: value },
  });
  expect(refusalOf('modify', { query: 'a', new_value: 1 })).toBe('object_to_update is missing');
});

const entry = (key: string | null, variable: unknown, task = 'static') => ({
  key,
  value: { task, variable },
});
const merged = (name: string, entries: unknown[], job = jobWith()) =>
  ran(name, { data_to_merge: entries }, job).outgoing.merged_object;

test('values are merged by their keys; a key that comes twice holds a list; without keys all is a list', () => {
  const job = jobWith({ site: 'oslo' }, { a1: { rows: [1] } });
  const entries = [
    entry('site', 'site', 'job'),
    entry('rows', 'rows', 'a1'),
    entry('code', 200),
    entry('gone', 'gone', 'a1'),
  ];
  expect(merged('merge', entries, job)).toEqual({ site: 'oslo', rows: [1], code: 200, gone: null });
  expect(merged('merge', [entry('a', 1), entry('b', 2), entry('a', [3]), entry('a', 4)])).toEqual({
    a: [1, [3], 4],
    b: 2,
  });
  expect(merged('merge', [entry('', 1), entry(null, 2)])).toEqual([1, 2]);
  expect(merged('merge', [entry('only', 1)])).toEqual({ only: 1 });
  expect(merged('merge', [entry('none', 'none', 'job'), entry('a', 1)])).toEqual({ a: 1 });
  expect(merged('merge', [{ key: 'a', value: { task: 'job', value: 'site' } }], job)).toEqual({ a: 'oslo' });
  expect(merged('merge', [])).toEqual({});
});

test('objects are laid over each other, the last one wins', () => {
  expect(
    merged('deepmerge', [
      entry('', { a: { b: 1, c: [1] }, d: 1 }),
      entry('', { a: { c: [2], e: 3 } }),
      entry('', 'text'),
    ]),
  ).toEqual({
    a: { b: 1, c: [2], e: 3 },
    d: 1,
  });
  expect(merged('deepmerge', [entry('site', { name: 'oslo' }), entry('site', { id: 1 })])).toEqual({
    site: { name: 'oslo', id: 1 },
  });
});

const objects = fc.dictionary(
  fc.string().filter((name) => name !== '__proto__'),
  fc.jsonValue(),
  { noNullPrototype: true },
);

test('merging distinct keys returns each value; overlays apply layer by layer, and an empty overlay changes nothing', () => {
  fc.assert(
    fc.property(objects, (members) => {
      const entries = Object.entries(members).filter(([key]) => key !== '');
      fc.pre(entries.length > 0 && !JSON.stringify(members).includes('__proto__'));
      expect(
        merged(
          'merge',
          entries.map(([key, value]) => entry(key, value)),
        ),
      ).toEqual(Object.fromEntries(entries));
    }),
  );
  const laid = (...layers: unknown[]) =>
    merged(
      'deepmerge',
      layers.map((layer) => entry('', layer)),
    );
  fc.assert(
    fc.property(objects, objects, objects, (a, b, c) => {
      fc.pre(!JSON.stringify([a, b, c]).includes('__proto__'));
      expect(laid(a, b, c)).toEqual(laid(laid(a, b), c));
      expect(laid(a, {})).toEqual(a);
      expect(laid(a, a)).toEqual(a);
    }),
  );
});

test.each([
  [{}, 'data_to_merge is missing'],
  [{ data_to_merge: {} }, 'data_to_merge must be a list, but is an object'],
  [{ data_to_merge: ['a'] }, 'data_to_merge.0 must be an object {key, value}'],
  [{ data_to_merge: [{ key: 5, value: 1 }] }, 'data_to_merge.0.key must be a string'],
  [{ data_to_merge: [entry('a', 1), entry('', 2)] }, 'entries with a key and entries without one'],
  [{ data_to_merge: [entry('__proto__', { polluted: true })] }, 'which cannot be the name of a field'],
])('a merge that cannot be done ends in error: %#', (incoming, message) => {
  expect(refusalOf('merge', incoming)).toContain(message);
  expect({}).not.toHaveProperty('polluted');
});

test('a variable is set, appended to and taken from, without changing the list that was there', () => {
  expect(ran('newVariable', { name: 'status', value: 'done' })).toEqual({
    finish: 'success',
    outgoing: { value: 'done' },
    variables: { status: 'done' },
  });
  expect(ran('newVariable', { name: 'status' }).variables).toEqual({ status: null });
  const results = [1, 2];
  const job = jobWith({ results });
  expect(ran('push', { job_variable: 'results', item_to_push: 3 }, job)).toEqual({
    finish: 'success',
    outgoing: { job_variable_value: [1, 2, 3] },
    variables: { results: [1, 2, 3] },
  });
  expect(ran('push', { job_variable: 'fresh', item_to_push: [3] }, job).variables).toEqual({ fresh: [[3]] });
  expect(ran('pop', { job_variable: 'results' }, job)).toMatchObject({
    outgoing: { item: 2 },
    variables: { results: [1] },
  });
  expect(ran('shift', { job_variable: 'results' }, job)).toMatchObject({
    outgoing: { item: 1 },
    variables: { results: [2] },
  });
  expect(ran('pop', { job_variable: 'none' }, jobWith({ none: [] })).outgoing).toEqual({ item: null });
  expect(results).toEqual([1, 2]);
});

test('pops the last pushed element first and shifts it last', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), (items, item) => {
      fc.pre(!JSON.stringify([items, item]).includes('__proto__'));
      const pushed = ran('push', { job_variable: 'a', item_to_push: item }, jobWith({ a: items }));
      const after = jobWith(pushed.variables);
      expect(ran('pop', { job_variable: 'a' }, after)).toMatchObject({
        outgoing: { item },
        variables: { a: items },
      });
      expect(ran('shift', { job_variable: 'a' }, after).outgoing.item).toEqual([...items, item][0]);
    }),
  );
});

test.each([
  ['newVariable', {}, 'name is missing'],
  ['newVariable', { name: '' }, 'name is empty'],
  ['newVariable', { name: '__proto__', value: { polluted: true } }, 'which cannot be the name of a field'],
  ['push', { job_variable: ['x'], item_to_push: 1 }, 'job_variable must be a string, but is a list'],
  ['push', { job_variable: 'site', item_to_push: 1 }, 'job_variable names site, which is not a list'],
  ['pop', { job_variable: 'gone' }, 'job_variable names gone, which the job does not have'],
  ['shift', { job_variable: 'constructor' }, 'which the job does not have'],
  ['updateJobDescription', { description: 5 }, 'description must be a string, but is a number'],
])('%s with invalid values ends in error: %#', (name, incoming, message) => {
  expect(refusalOf(name, incoming, jobWith({ site: 'oslo' }))).toContain(message);
});

test('an error that the look-up of a value throws reaches the engine', () => {
  const lost = new Error('a large value is not here');
  const job = {
    ...jobWith(),
    resolve: () => {
      throw lost;
    },
  };
  expect(() => ran('merge', { data_to_merge: [entry('a', 'a', 'job')] }, job)).toThrow(lost);
});
