import { expect, test } from 'vitest';
import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { task, workflow } from '../../helpers/assets.ts';
import { issuesOf } from '../../helpers/configuration.ts';
import { openStudio } from '../../helpers/studio.ts';
import { body, input, method, result } from '../../helpers/transformations.ts';

const { send, done } = await openStudio();

const PATH = '/transformations';
const NOBODY = '65a000000000000000000000';

let counter = 0;
const length = method(1, 'Array.length', [input('ports')]);
const drawn = body({ ports: { type: 'array' }, site: { type: 'string', default: 'lab' } }, [length], {
  count: result(length),
  site: input('site'),
});
const placesOf = (answer: Parameters<typeof issuesOf>[0]) =>
  issuesOf(answer).map((issue) => issue.slice(0, issue.indexOf(': ')));
const create = async (doc: object = drawn) =>
  (await done<Transformation>('POST', PATH, { name: `Count ports ${counter++}`, ...doc }))._id;

test('a stored transformation runs on what the body brings, as a builder, an operator or a support engineer', async () => {
  const id = await create();
  const incoming = { ports: ['a', 'b'] };
  expect(await done('POST', `${PATH}/${id}`, { incoming })).toEqual({ count: 2 });
  expect(await done('POST', `${PATH}/${id}`, incoming)).toEqual({ count: 2 });
  const options = { revertToDefaultValue: true, extractOutput: true };
  expect(await done('POST', `${PATH}/${id}`, { incoming, options }, { as: 'support' })).toEqual({
    count: 2,
    site: 'lab',
  });
});

test('inputs may have the names of members and of the path', async () => {
  const id = await create(body(['id', 'options'], [], { id: input('id'), o: input('options') }));
  expect(await done('POST', `${PATH}/${id}`, { id: 7, options: [1] })).toEqual({ id: 7, o: [1] });
  expect(await done('POST', `${PATH}/${id}`, { incoming: { id: 8 } })).toEqual({ id: 8 });
});

test('the only output can be had by itself, whatever it is', async () => {
  const id = await create(body(['a'], [], { out: input('a') }));
  const extracted = (a?: unknown) =>
    done('POST', `${PATH}/${id}`, {
      incoming: a === undefined ? {} : { a },
      options: { extractOutput: true },
    });
  expect(await extracted('text')).toBe('text');
  expect(await extracted([1])).toEqual([1]);
  expect(await extracted()).toBe(null);
  expect(await done('POST', `${PATH}/${id}`, {})).toEqual({});
});

test('a step that cannot be done is 400, and named', async () => {
  const id = await create({ ...drawn, name: 'Count nothing' });
  const answer = await send('POST', `${PATH}/${id}`, { incoming: { ports: null } });
  const message =
    'transformation "Count nothing": step 1 (Array.length): a value is expected as argument 0, found null';
  expect(answer.status).toBe(400);
  expect(answer.json).toMatchObject({ code: 'BAD_REQUEST', message });
  expect(issuesOf(answer)).toEqual([`transformation: ${message}`]);
});

test('inputs that do not fit are 400, all of them, when they are to be checked', async () => {
  const id = await create();
  const sent = { incoming: { ports: 'a', site: 5 }, options: { validateIncoming: true } };
  const answer = await send('POST', `${PATH}/${id}`, sent);
  expect(answer.status).toBe(400);
  expect(placesOf(answer)).toEqual(['incoming.ports', 'incoming.site']);
});

test('a draft that could not run is stored, and says why it does not run', async () => {
  const id = await create(body([], [method(1, 'Array.shuffle', []), method(2, 'Text.upper', [])], {}));
  const answer = await send('POST', `${PATH}/${id}`, {});
  expect(answer.status).toBe(400);
  expect(issuesOf(answer)).toEqual([
    'transformation.steps.0.method: the method Array.shuffle is not known',
    'transformation.steps.1.method: the method Text.upper is not known',
  ]);
});

test.each<[string, unknown, string[]]>([
  ['a list', [1], ['']],
  ['a flag that is no flag', { incoming: {}, options: { extractOutput: 'yes' } }, ['options.extractOutput']],
  ['inputs that are no object', { incoming: 7 }, ['incoming']],
])('%s is 400', async (_, sent, places) => {
  const answer = await send('POST', `${PATH}/${await create()}`, sent);
  expect(answer.status).toBe(400);
  expect(placesOf(answer)).toEqual(places);
});

test('one that is not there is 404', async () => {
  expect((await send('POST', `${PATH}/${NOBODY}`, {})).status).toBe(404);
});

test('a workflow that calls one which could not run has that among its errors, until it can', async () => {
  const strange = body([], [method(1, 'Array.shuffle', [])], {});
  const id = await create({ ...strange, name: 'Shuffle' });
  const calls = workflow(`Shuffles ${counter++}`, [task('transformation', { tr_id: id })]);
  const made = await done<{ created: Workflow }>('POST', '/automation-studio/automations', {
    automation: calls,
  });
  const fault = `variables.incoming.tr_id: transformation ${id} cannot run: steps.0.method: the method Array.shuffle is not known`;
  const messages = ({ errors }: Pick<Workflow, 'errors'>) => (errors ?? []).map(({ message }) => message);
  expect(messages(made.created)).toContain(fault);
  await done('PUT', `${PATH}/${id}`, { ...drawn, name: 'Shuffle' });
  const path = `/automation-studio/workflows/detailed/${encodeURIComponent(made.created.name)}`;
  expect(messages(await done<Workflow>('GET', path))).not.toContain(fault);
});
