import { expect, test } from 'vitest';
import type { ApiOperation } from '#server/domains/integrations/api-operation.ts';
import {
  type AdapterInstance,
  chooseInstance,
  effectThrough,
  stubOf,
} from '#server/domains/integrations/types/adapter-type.ts';
import { effectOf } from '#server/domains/workflow/jobs/execution/task-executor.ts';

const instance = (name: string, more: Partial<AdapterInstance> = {}): AdapterInstance => ({
  name,
  active: true,
  type: 'NetBox:4.1',
  face: null,
  provider: 'none',
  ...more,
});
const chosen = (found: ReturnType<typeof chooseInstance>) =>
  'fault' in found ? found.fault : found.instance.name;

test.each([
  ['', [instance('east')], 'east'],
  [null, [instance('east'), instance('west', { active: false })], 'east'],
  [undefined, [], 'no adapter of the type NetBox:4.1 is running'],
  ['', [instance('east', { active: false })], 'no adapter of the type NetBox:4.1 is running'],
  [
    '',
    [instance('west'), instance('east')],
    'several adapters of the type NetBox:4.1 are running: set adapter_id to one of east, west',
  ],
  ['west', [instance('west'), instance('east')], 'west'],
  ['north', [instance('east')], 'adapter north does not exist'],
  ['east', [instance('east', { active: false })], 'adapter east is stopped'],
  ['jira', [instance('jira', { type: 'Jira:3' })], 'adapter jira is of the type Jira:3, not NetBox:4.1'],
  ['jira', [instance('jira', { type: 'Jira:3', face: 'NetBox:4.1' })], 'jira'],
  [7, [instance('east')], 'adapter_id must be the name of an adapter'],
])('adapter_id %j among %j chooses: %s', (named, instances, expected) => {
  const type = { type: 'NetBox:4.1', provider: 'document' } as const;
  expect(chosen(chooseInstance(type, instances, named))).toBe(expected);
});

test('an adapter of the model Rest serves a type without a provider, and no other', () => {
  const rest = [instance('any', { type: 'Rest' })];
  expect(chosen(chooseInstance({ type: 'Tickets', provider: 'none' }, rest, 'any'))).toBe('any');
  expect(chosen(chooseInstance({ type: 'Tickets', provider: 'none' }, rest, ''))).toContain('is running');
  expect(chosen(chooseInstance({ type: 'any', provider: 'none' }, rest, ''))).toBe('any');
  expect(chosen(chooseInstance({ type: 'Tickets', provider: 'package' }, rest, 'any'))).toContain(
    'of the type Rest',
  );
});

test('settings of an adapter change the effect of its tasks, and only for a task that names it', () => {
  const call = { provider: 'document', model: 'NetBox:4.1', operation: {} as ApiOperation } as const;
  const create = { name: 'create', effect: 'unsafe', call } as const;
  expect(effectThrough(create, {})).toBe('unsafe');
  expect(effectThrough(create, { reads: ['create'] })).toBe('read');
  expect(effectThrough(create, { reads: ['other'], idempotencyHeader: 'Key' })).toBe('keyed');
  expect(effectThrough({ ...create, effect: 'read' }, { idempotencyHeader: 'Key' })).toBe('read');
  // A package sends no key of the platform.
  const method = {
    provider: 'package',
    package: 'P',
    method: 'create',
    inputs: [],
    output: 'result',
  } as const;
  expect(effectThrough({ ...create, call: method }, { idempotencyHeader: 'Key' })).toBe('unsafe');

  const workflowOf = { name: 'create', app: 'NetBox:4.1' };
  const planned = {
    type: 'NetBox:4.1',
    name: 'create',
    effect: 'unsafe',
    call,
    effects: { east: 'keyed' },
  } as const;
  expect(effectOf(workflowOf, planned, 'east')).toBe('keyed');
  expect(effectOf(workflowOf, planned, 'west')).toBe('unsafe');
  expect(effectOf(workflowOf, planned, '')).toBe('unsafe');
  expect(effectOf(workflowOf, planned, 'constructor')).toBe('unsafe');
});

test('a stub finishes as it says, within a minute, and only for its own task', () => {
  const stubs = { get: { finish: 'error', outgoing: { a: 1 }, delay: 600 }, put: {} };
  expect(stubOf(stubs, 'get')).toEqual({ finish: 'error', outgoing: { a: 1 }, delayMs: 60_000 });
  expect(stubOf(stubs, 'put')).toEqual({ finish: 'success', outgoing: {}, delayMs: 0 });
  expect(stubOf(stubs, 'toString')).toBeUndefined();
  expect(stubOf(null, 'get')).toBeUndefined();
});
