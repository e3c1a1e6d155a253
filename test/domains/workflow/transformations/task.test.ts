import { expect, test } from 'vitest';
import { optionsOf, transformationOutcome } from '#server/domains/workflow/transformations/task.ts';
import { AROUND, body, input, method, result } from '../../../helpers/documents/transformations.ts';

const ID = '65f0c1d2e3a4b5c6d7e8f901';
const length = method(1, 'Array.length', [input('ports')]);
const document = {
  name: 'Count ports',
  ...body({ ports: { type: 'array' }, site: { type: 'string', default: 'lab' } }, [length], {
    count: result(length),
    site: input('site'),
    nothing: input('ports', '/nothing'),
  }),
};
const task = (variableMap: unknown, options: unknown = '') =>
  transformationOutcome(document, { tr_id: ID, variableMap, options }, AROUND);

test('a transformation task returns its outputs by name; undefined ones are null', () => {
  expect(task({ ports: [1, 2] })).toEqual({
    finish: 'success',
    outgoing: { count: 2, site: null, nothing: null },
  });
  expect(task({ ports: [1], site: null }, { revertToDefaultValue: true }).outgoing).toMatchObject({
    site: null,
  });
  expect(task({ ports: [1] }, { revertToDefaultValue: true }).outgoing).toMatchObject({ site: 'lab' });
});

test('extractOutput changes nothing for the names of results', () => {
  const one = body(['a'], [], { only: input('a') });
  const options = { extractOutput: true, validateIncoming: true, revertToDefaultValue: true };
  expect(transformationOutcome(one, { tr_id: ID, variableMap: { a: 1 }, options }).outgoing).toEqual({
    only: 1,
  });
});

test('a step that fails makes the task fail, with the step named and no results', () => {
  const { finish, outgoing, error } = task({ ports: null });
  expect({ finish, outgoing }).toEqual({ finish: 'error', outgoing: {} });
  expect(error?.message).toBe(
    'transformation "Count ports": step 1 (Array.length): a value is expected as argument 0, found null',
  );
  expect(error).toMatchObject({ step: '1', operation: 'Array.length', argument: 0 });
});

test('inputs that do not fit make the task fail, with input and place named', () => {
  const { finish, error } = task({ ports: 'many' }, { validateIncoming: true });
  expect(finish).toBe('error');
  expect(error?.message).toBe('transformation "Count ports": ports: must be array');
});

test('a missing document, and variables that are no object, are reported', () => {
  expect(transformationOutcome(undefined, { tr_id: ID })).toEqual({
    finish: 'error',
    outgoing: {},
    error: { message: `transformation ${ID} not found` },
  });
  expect(task(['x']).error?.message).toBe('variableMap must be an object');
  expect(task('').error?.message).toContain('step 1');
});

test.each<[unknown, boolean]>([
  ['', false],
  [undefined, false],
  [null, false],
  [{}, false],
  [{ extractOutput: true, validateIncoming: true, revertToDefaultValue: 'true' }, true],
])('the options %j set each of the three options to %j', (options, all) => {
  expect(optionsOf(options)).toEqual({
    extractOutput: all,
    validateIncoming: all,
    revertToDefaultValue: all,
  });
});
