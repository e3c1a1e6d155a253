import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newId } from '#db/ids.ts';
import { type Doc, day, issuesOf, openOperations } from '../../helpers/operations.ts';

const service = await openOperations();
const { send, done, store, automation, trigger } = service;

type TriggerResult = { success: boolean; message: string; data: Doc; automaticChanges: string[] };
type Result = TriggerResult & { triggers: TriggerResult[] };

const unique = (word: string) => `${word}-${randomUUID()}`;
const flow = await store('workflow', 'Flow of all');
const form = await store('jsonForm', 'Ports to open');

const importAll = async (...automations: unknown[]) =>
  (await done<Result[]>('PUT', '/automations', { automations })).data;
const importOne = async (automationFile: unknown): Promise<Result> => {
  const [result] = await importAll(automationFile);
  if (!result) throw new Error('nothing was told');
  return result;
};

/** An export that was made elsewhere. */
const file = (name: string, more: Record<string, unknown> = {}) => ({
  _id: newId(),
  name,
  description: 'From elsewhere',
  componentName: flow.name,
  componentType: 'workflows',
  gbac: { write: [], read: [] },
  created: '2025-03-04T05:06:07.891Z',
  createdBy: 'ops@elsewhere',
  lastUpdated: '2025-04-05T06:07:08.912Z',
  lastUpdatedBy: 'ops@elsewhere',
  triggers: [] as Record<string, unknown>[],
  ...more,
});

const manual = (more: Record<string, unknown> = {}) => ({
  _id: newId(),
  name: 'by hand',
  type: 'manual',
  enabled: true,
  description: '',
  actionType: 'automations',
  formId: form.name,
  formData: null,
  legacyWrapper: false,
  migrationVersion: 3,
  created: '2025-03-04T05:06:07.891Z',
  createdBy: null,
  lastUpdated: '2025-04-05T06:07:08.912Z',
  lastUpdatedBy: null,
  ...more,
});

test('an export names its component and groups, and leaves out what only this system knows', async () => {
  const group = await service.groupOf('designer');
  const made = await automation(unique('exported'), {
    componentId: flow.id,
    gbac: { read: [group], write: [group] },
  });
  await trigger(made._id, {
    name: 'clock',
    type: 'schedule',
    firstRunAt: Date.now() + day,
    repeatUnit: 'day',
  });
  await trigger(made._id, { name: 'event', type: 'eventSystem', source: 's', topic: 't' });
  const { message, data, metadata } = await done('GET', `/automations/${made._id}/export`);
  expect({ message, metadata }).toEqual({ message: 'Successfully exported automation', metadata: {} });
  const named = { name: `group ${group}`, provenance: 'local', description: `Members of ${group}` };
  const { componentId, ...rest } = made;
  expect(data).toEqual({
    ...rest,
    componentName: flow.name,
    gbac: { read: [named], write: [named] },
    triggers: [
      expect.objectContaining({ name: 'clock', actionId: made._id }),
      expect.objectContaining({ name: 'event' }),
    ],
  });
  for (const one of data.triggers as object[]) {
    for (const kept of ['lastExecuted', 'nextRunAt', 'locked']) expect(one).not.toHaveProperty(kept);
  }
});

test('an import keeps ids, stamps and unknown properties', async () => {
  const given = file(unique('kept'), { colour: 'teal', triggers: [manual({ mood: 'calm' })] });
  const { success, data, triggers, automaticChanges } = await importOne(given);
  expect({ success, automaticChanges }).toEqual({ success: true, automaticChanges: [] });
  const { triggers: _, ...own } = given;
  expect(data).toEqual({ ...own, componentId: flow.id });
  expect(triggers).toEqual([
    {
      success: true,
      message: 'Successfully imported trigger',
      data: {
        ...given.triggers[0],
        actionId: given._id,
        lastExecuted: null,
        runAs: (await service.callerWith('admin')).caller.id,
      },
      automaticChanges: [],
    },
  ]);
  expect((await done('GET', `/automations/${given._id}`)).data).toEqual(data);
});

test('empty text and 0 where no value may be mean that there is none, in an import', async () => {
  const unset = { created: '', lastUpdated: '' };
  const clock = {
    ...unset,
    ...{ _id: '', type: 'schedule', name: 'once', enabled: true, firstRunAt: Date.now() + day },
    ...{ formId: '', formSchemaHash: '', processMissedRuns: '' },
    ...{ repeatUnit: '', repeatFrequency: 0, repeatInterval: 0 },
  };
  const { data, triggers } = await importOne(file(unique('unset'), { _id: '', ...unset, triggers: [clock] }));
  expect(data).toMatchObject({ _id: expect.stringMatching(/^[0-9a-f]{24}$/), created: expect.any(String) });
  expect(triggers).toMatchObject([{ success: true, data: { firstRunAt: clock.firstRunAt } }]);
  for (const name of ['formId', 'processMissedRuns', 'repeatUnit', 'repeatFrequency', 'repeatInterval']) {
    expect(triggers[0]?.data).not.toHaveProperty(name);
  }
  const single = { ...clock, name: 'alone', actionId: data._id };
  expect((await done<Result[]>('PUT', '/triggers', { triggers: [single] })).data).toMatchObject([
    { success: true },
  ]);
  // A new trigger, or a change, is written by hand: there it is a mistake.
  expect((await send('POST', '/triggers', { ...clock, _id: undefined, actionId: data._id })).status).toBe(
    400,
  );
  expect((await send('PATCH', `/triggers/${triggers[0]?.data._id}`, { repeatUnit: '' })).status).toBe(400);
});

test('an export says that the input is wrapped, where a trigger leaves it open', async () => {
  const made = await automation(unique('wrapped'), { componentId: flow.id });
  await trigger(made._id, { name: 'open', type: 'manual' });
  await trigger(made._id, { name: 'bare', type: 'manual', legacyWrapper: false });
  const { data } = await done('GET', `/automations/${made._id}/export`);
  expect(data.triggers).toMatchObject([
    { name: 'open', legacyWrapper: true },
    { name: 'bare', legacyWrapper: false },
  ]);
});

test('the same id and name is an update; another name, or a taken one, becomes a copy', async () => {
  const given = file(unique('again'), { triggers: [manual(), manual({ name: 'other' })] });
  await importOne(given);
  const updated = await importOne({ ...given, description: 'second', triggers: given.triggers.slice(0, 1) });
  expect(updated).toMatchObject({
    success: true,
    message: 'Successfully updated automation',
    automaticChanges: [],
  });
  expect(updated.data).toMatchObject({
    _id: given._id,
    description: 'second',
    created: given.created,
    createdBy: 'ops@elsewhere',
  });
  expect(updated.data.lastUpdated).not.toBe(given.lastUpdated);
  expect(updated.triggers[0]?.data._id).toBe(given.triggers[0]?._id);
  expect((await done('GET', `/triggers?actionId=${given._id}`)).metadata.total).toBe(2);

  const renamed = await importOne({ ...given, name: unique('renamed') });
  expect(renamed.data._id).not.toBe(given._id);
  expect(renamed.automaticChanges).toEqual([expect.stringContaining(`Id ${given._id} is taken`)]);
  expect(renamed.triggers.map(({ automaticChanges }) => automaticChanges)).toEqual([
    [expect.stringContaining('is taken')],
    [expect.stringContaining('is taken')],
  ]);
  const copy = await importOne({ ...given, _id: newId(), triggers: [] });
  expect(copy.data.name).toBe(`${given.name} (1)`);
  expect(copy.automaticChanges).toEqual([expect.stringContaining(`${given.name} (1)`)]);
  expect((await importOne({ ...given, _id: undefined, triggers: undefined })).data.name).toBe(
    `${given.name} (2)`,
  );
});

test('a taken route gets a free suffix, and that is reported', async () => {
  const route = (routeName: string) => ({
    ...manual(),
    name: 'call',
    type: 'endpoint',
    verb: 'POST',
    routeName,
    formId: undefined,
  });
  const routeName = unique('route');
  const first = await importOne(file(unique('a'), { triggers: [route(routeName)] }));
  const second = await importOne(file(unique('b'), { triggers: [route(routeName), route(routeName)] }));
  expect(first.triggers[0]).toMatchObject({ data: { routeName }, automaticChanges: [] });
  expect(second.triggers).toMatchObject([
    { data: { routeName: `${routeName}-1` }, automaticChanges: [expect.stringContaining(routeName)] },
    { data: { routeName: `${routeName}-2` } },
  ]);
});

test('each automation, and each trigger, is stored or rejected separately', async () => {
  const names = { good: unique('good'), lost: unique('lost'), half: unique('half') };
  const plan = file(unique('plan'), { componentType: 'ucm_compliance_plan' });
  const results = await importAll(
    file(names.good),
    file(names.lost, { componentName: 'No such flow' }),
    file(names.half, {
      triggers: [
        manual({ name: 'formless', formId: 'No such form' }),
        manual({ name: 'fine' }),
        manual({ name: 'clockless', type: 'schedule', formId: null }),
      ],
    }),
    plan,
  );
  expect(results.map(({ success }) => success)).toEqual([true, false, true, false]);
  expect(results[1]).toMatchObject({
    message: expect.stringContaining('No such flow'),
    data: { name: names.lost },
    triggers: [],
  });
  expect(results[2]?.triggers.map(({ success }) => success)).toEqual([true, true, false]);
  expect(results[2]?.triggers[2]).toMatchObject({
    message: expect.stringContaining('firstRunAt'),
    data: { name: 'clockless', type: 'schedule' },
  });
  expect(results[3]?.message).toContain('Compliance plan');
  const total = async (name: string) =>
    (await done('GET', `/automations?equals=${name}&equalsField=name`)).metadata.total;
  expect([await total(names.good), await total(names.lost), await total(names.half)]).toEqual([1, 0, 1]);
});

test('a trigger whose form or transformation is missing is kept, disabled until that exists', async () => {
  const gone = { form: unique('Form to come'), turn: newId() };
  const { triggers } = await importOne(
    file(unique('early'), {
      triggers: [
        manual({ name: 'formless', formId: gone.form, formData: { port: 1 } }),
        manual({ name: 'turned', type: 'eventSystem', source: 's', topic: 't', jst: gone.turn }),
        manual({ name: 'fine' }),
      ],
    }),
  );
  const disabled = (what: string) => [`Disabled: ${what}, which the trigger references, does not exist here`];
  expect(triggers).toMatchObject([
    {
      success: true,
      data: { enabled: false, formId: gone.form, formData: { port: 1 } },
      automaticChanges: disabled(`JSON form ${gone.form}`),
    },
    {
      success: true,
      data: { enabled: false, jst: gone.turn },
      automaticChanges: disabled(`Transformation ${gone.turn}`),
    },
    { success: true, data: { enabled: true }, automaticChanges: [] },
  ]);
  const at = `/triggers/${triggers[0]?.data._id}`;
  const rejected = await send('PATCH', at, { enabled: true });
  expect([rejected.status, rejected.text]).toEqual([422, expect.stringContaining(gone.form)]);
  await store('jsonForm', gone.form);
  expect((await done('PATCH', at, { enabled: true })).data).toMatchObject({ enabled: true });
});

test('groups are found by id or by name and provenance; an unknown one rejects the automation', async () => {
  const group = await service.groupOf();
  const named = { name: `group ${group}`, provenance: 'local', description: 'Envelope otherwise' };
  const ids = { read: [group], write: [group] };
  for (const gbac of [
    { read: [named], write: [named] },
    { read: [group], write: [named] },
    { read: [{ name: named.name }], write: [{ _id: group, name: 'another' }] },
  ]) {
    expect((await importOne(file(unique('groups'), { gbac }))).data.gbac).toEqual(ids);
  }
  for (const stranger of ['65f000000000000000000000', { name: 'nobody' }, { ...named, provenance: 'ldap' }]) {
    const result = await importOne(file(unique('strange'), { gbac: { read: [], write: [named, stranger] } }));
    expect(result).toMatchObject({ success: false, message: expect.stringContaining('does not exist') });
  }
  const open = await importOne(file(unique('open'), { gbac: { read: [named], write: [] } }));
  expect(open).toMatchObject({ success: false, message: expect.stringContaining('write') });
});

test('a file that is none is rejected whole, with all that is wrong', async () => {
  const body = {
    automations: [{ name: 5 }, file('x', { triggers: [{ type: 'manual' }, { name: 'y', type: 'none' }] })],
  };
  const answer = await send('PUT', '/automations', body);
  expect(answer.status).toBe(400);
  expect(issuesOf(answer).map((one) => one.split(':')[0])).toEqual([
    'automations.0.name',
    'automations.1.triggers.0.name',
    'automations.1.triggers.1.type',
  ]);
  expect((await send('PUT', '/automations', { automations: [], more: 1 })).status).toBe(400);
  expect(await done('PUT', '/automations', { automations: [] })).toMatchObject({ data: [] });
});

test('documents that the caller may not see or write are neither updated nor mentioned', async () => {
  const group = await service.groupOf('designer');
  const given = file(unique('closed'), { gbac: { read: [group], write: [group] }, triggers: [manual()] });
  await importOne(given);
  const put = async (automations: unknown[]) =>
    (await done<Result[]>('PUT', '/automations', { automations }, { as: 'engineering' })).data[0];
  const hidden = await put([{ ...given, gbac: undefined }]);
  expect(hidden).toMatchObject({ success: true, data: { name: `${given.name} (1)` } });
  const guarded = file(unique('guarded'), { gbac: { read: [], write: [group] } });
  await importOne(guarded);
  expect(await put([guarded])).toMatchObject({
    success: false,
    message: expect.stringContaining(guarded.name),
  });
});

test('triggers are exported and imported by themselves', async () => {
  const made = await automation(unique('owner'), { componentId: flow.id });
  const own = await trigger(made._id, {
    name: 'clock',
    type: 'schedule',
    firstRunAt: Date.now() + day,
    repeatUnit: 'day',
    mood: 'calm',
  });
  const { data: exported } = await done('GET', `/triggers/${own._id}/export`);
  const { lastExecuted, nextRunAt, locked, runAs, ...rest } = own;
  expect(exported).toEqual({ ...rest, legacyWrapper: true });

  await done('DELETE', `/triggers/${own._id}`);
  const put = async (...triggers: unknown[]) =>
    (await done<TriggerResult[]>('PUT', '/triggers', { triggers })).data;
  expect(await put(exported)).toEqual([
    {
      success: true,
      message: 'Successfully imported trigger',
      data: { ...own, legacyWrapper: true },
      automaticChanges: [],
    },
  ]);
  const [updated, copy, lost, homeless] = await put(
    { ...exported, description: 'second' },
    { ...exported, name: 'another' },
    { ...exported, actionId: newId() },
    { ...exported, actionId: undefined },
  );
  expect(updated).toMatchObject({ success: true, data: { _id: own._id, description: 'second', nextRunAt } });
  expect(copy).toMatchObject({ success: true, automaticChanges: [expect.stringContaining(own._id)] });
  expect(lost).toMatchObject({
    success: false,
    data: { type: 'schedule' },
    message: expect.stringContaining('Automation'),
  });
  expect(homeless).toMatchObject({ success: false, message: expect.stringContaining('actionId') });
});
