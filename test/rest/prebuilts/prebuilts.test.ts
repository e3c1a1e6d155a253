import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { find } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import { tableOf } from '#server/domains/assets/stored/references.service.ts';
import { asset } from '../../helpers/documents/assets.ts';
import { completePrebuilt, prebuilt } from '../../helpers/documents/prebuilts.ts';
import { sentJson } from '../../helpers/json.ts';
import { lawRuns } from '../../helpers/long.ts';
import { type Doc, issuesOf, openOperations } from '../../helpers/operations.ts';

const service = await openOperations();
const { sendAt, done } = service;

const NOBODY = '65f000000000000000000000';
const unique = (word: string) => `${word}-${randomUUID()}`;

type Stored = Doc & { components: { id: string; name: string; type: string }[]; lastUpdated: string };
type Package = ReturnType<typeof prebuilt>;

const install = (given: unknown, options?: object) =>
  sendAt('admin', 'POST', '/prebuilts/import', { prebuilt: given, ...(options && { options }) });
const installed = async (given: unknown, options?: object) => {
  const answer = await install(given, options);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json as { status: string; message: string; data: Stored };
};
const read = async <Body>(path: string) => (await sendAt('apiread', 'GET', `/prebuilts${path}`)).json as Body;
const stored = (kind: ComponentType, id: string) => find(service.db, tableOf(kind), id);
const count = async (kind: ComponentType, name: string) =>
  (await rows(service.db, sql`select from ${tableOf(kind)} where name = ${name}`)).length;

const called = (name: string) => `?equals=${encodeURIComponent(name)}&equalsField=name`;

test('a package is validated without being stored', async () => {
  const { given } = completePrebuilt(randomUUID());
  const validate = (body: unknown) => sendAt('admin', 'PUT', '/prebuilts/import/validation', body);
  expect(await validate({ prebuilt: given })).toMatchObject({
    status: 200,
    json: { status: 'Created', message: expect.stringContaining(given.metadata.name) },
  });
  expect(await read(called(given.metadata.name))).toEqual({ results: [], total: 0 });
  const broken = {
    ...given,
    metadata: { ...given.metadata, version: 'one', license: undefined },
    bundles: [],
    readme: 5,
  };
  const answer = await validate({ prebuilt: broken });
  expect(answer.status).toBe(400);
  const members = issuesOf(answer).map((one) => one.split(':')[0]);
  expect(members.slice(0, 3).toSorted()).toEqual([
    'prebuilt.metadata.license',
    'prebuilt.metadata.version',
    'prebuilt.readme',
  ]);
  expect(members).toHaveLength(3 + given.bundles.length);
  for (const body of [{}, { prebuilt: 5 }, { prebuilt: given, more: 1 }])
    expect((await validate(body)).status).toBe(400);
});

test('a package whose documents are mere stubs is valid; the message has what an import rejects', async () => {
  const stub = (type: string) => ({ type, data: { _id: unique(type), name: unique(type) } });
  const bundles = ['workflow', 'template', 'golden-config', 'automation', 'mop-template'].map(stub);
  const given = prebuilt(unique('Stubs'), bundles);
  const validated = await sendAt('admin', 'PUT', '/prebuilts/import/validation', { prebuilt: given });
  expect(validated).toMatchObject({ status: 200, json: { status: 'Created' } });
  const { message } = validated.json as { message: string };
  expect(message).toContain('an import would reject its documents: bundles.0.data.tasks is required');
  const imported = await sendAt('admin', 'POST', '/prebuilts/import', { prebuilt: given });
  expect(imported.status).toBe(400);
  expect(issuesOf(imported)[0]).toContain('prebuilt.bundles.0.data.tasks');

  const { data } = await installed(prebuilt(unique('Package')));
  const updated = await sendAt('admin', 'PUT', `/prebuilts/${data._id}`, {
    prebuilt: { bundles, manifest: given.manifest },
  });
  expect(updated).toMatchObject({ status: 200, json: { status: 'OK', data: { bundles } } });
});

test('every bundle goes to its area, under its own id, and names what came with it', async () => {
  const { given, ids, named } = completePrebuilt(randomUUID());
  const { status, message, data } = await installed(given);
  expect(status).toBe('Created');
  for (const kept of ['Integration', 'Model', 'Catalog']) expect(message).toContain(named(kept));
  const { IAPDependencies, ...metadata } = given.metadata;
  expect(data).toMatchObject({
    ...metadata,
    IAPDependencies: {},
    manifest: given.manifest,
    readme: given.readme,
    installed: expect.any(String),
    installedBy: (await service.callerWith('admin')).caller.id,
  });
  expect(data.components.map(({ type }) => type)).toEqual([
    'workflow',
    'workflow',
    'transformation',
    'template',
    'forms',
    'json-forms',
    'mop-template',
    'mop-analytic-template',
    'automation',
    'golden-config',
  ]);
  expect(data.components[0]).toEqual({ id: ids.flow, name: named('Flow'), type: 'workflow' });
  expect(await stored('workflow', ids.flow)).toMatchObject({ doc: { name: named('Flow') } });
  expect(await stored('mopCommandTemplate', named('Commands'))).toBeDefined();
  expect((await done('GET', `/automations/${ids.automation}`)).data).toMatchObject({
    componentId: ids.flow,
    componentName: named('Flow'),
  });
  expect((await done<Doc[]>('GET', `/triggers?actionId=${ids.automation}`)).data).toMatchObject([
    { formId: ids.form },
    { jst: ids.turn },
  ]);
  const tree = data.components.find(({ type }) => type === 'golden-config');
  expect((await sendAt('apiread', 'GET', `/configuration_manager/configs/${tree?.id}`)).status).toBe(200);
  expect(await read(`/${data._id}`)).toEqual(data);
  expect(await read(called(named('Package')))).toEqual({ results: [data], total: 1 });
});

test('assets that got other ids are named by these', async () => {
  const { given, ids, named } = completePrebuilt(randomUUID());
  await service.store('workflow', named('In the way'), { _id: ids.flow });
  await service.store('jsonForm', named('In the way'), { _id: ids.form, id: ids.form });
  const { data } = await installed(given);
  const idOf = (name: string) => data.components.find((one) => one.name === named(name))?.id;
  expect(idOf('Flow')).not.toBe(ids.flow);
  const automation = (await done('GET', `/automations/${ids.automation}`)).data;
  expect(automation.componentId).toBe(idOf('Flow'));
  const [hand] = (await done<Doc[]>('GET', `/triggers?actionId=${ids.automation}`)).data;
  expect(hand?.formId).toBe(idOf('Form'));
});

test('exports a prebuilt as it was imported', async () => {
  const { given } = completePrebuilt(randomUUID());
  const { data } = await installed(given);
  expect(await read(`/${data._id}/export`)).toEqual(JSON.parse(JSON.stringify(given)));
});

const json = sentJson();
const strange = fc.dictionary(
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((name) => `x ${name}`),
  json,
  { maxKeys: 2, noNullPrototype: true },
);
const KINDS = {
  workflow: 'workflow',
  transformation: 'transformation',
  template: 'template',
  forms: 'jsonForm',
  'mop-template': 'mopCommandTemplate',
} as const;

test('an export of an import is the same package, unknown fields included', async () => {
  const bundle = fc.tuple(
    fc.constantFrom('workflow', 'transformation', 'template', 'forms', 'mop-template', 'service-catalog'),
    strange,
    strange,
  );
  const parts = fc.tuple(fc.array(bundle, { maxLength: 4 }), strange, strange, strange);
  await fc.assert(
    fc.asyncProperty(parts, async ([bundles, more, odd, rare]) => {
      const made = bundles.map(([type, beside, inside]) => {
        const name = unique(type);
        const id = type === 'mop-template' ? name : type === 'workflow' ? randomUUID() : newId();
        const kind = type === 'service-catalog' ? null : KINDS[type];
        const base = kind ? asset(kind, name) : { name };
        return { ...beside, type, data: { ...inside, ...base, _id: id, ...(type === 'forms' && { id }) } };
      });
      const plain = prebuilt(unique('Package'), made);
      const given = {
        ...more,
        ...plain,
        metadata: { ...odd, ...plain.metadata },
        manifest: { ...rare, ...plain.manifest },
      };
      const { data } = await installed(given);
      expect(await read(`/${data._id}/export`)).toEqual(given);
    }),
    lawRuns(30),
  );
});

test('a package that says nothing of dependencies is exported with none', async () => {
  const { metadata, ...rest } = prebuilt(unique('Plain'));
  const { IAPDependencies, ...without } = metadata;
  const { data } = await installed({ ...rest, metadata: without });
  expect(await read(`/${data._id}/export`)).toEqual({ ...rest, metadata });
});

test('a package is installed once, unless it may be overwritten', async () => {
  const { given, ids, named } = completePrebuilt(randomUUID());
  const { data: first } = await installed(given);
  expect(await install(given)).toMatchObject({
    status: 409,
    json: { message: `Prebuilt ${given.metadata.name} is already installed` },
  });
  const renamed = { ...given, metadata: { ...given.metadata, version: '2.0.0' }, readme: 'second' };
  const { data: second } = await installed(renamed, { overwrite: true });
  expect(second).toMatchObject({ _id: first._id, version: '2.0.0', components: first.components });
  expect(await count('workflow', named('Flow'))).toBe(1);
  expect((await done('GET', `/triggers?actionId=${ids.automation}`)).metadata.total).toBe(2);
  expect((await read<Package>(`/${first._id}/export`)).readme).toBe('second');
});

test.each(['workflow', 'forms', 'mop-template', 'automation', 'golden-config'])(
  'an asset of type %s whose name is taken is a rejection that stores nothing',
  async (type) => {
    const { given, named } = completePrebuilt(randomUUID());
    const first = given.bundles.filter((bundle) => bundle.type === type).slice(0, 1);
    const inTheWay = first.map((bundle) => ({ ...bundle, data: { ...bundle.data } }));
    if (type === 'automation') await service.automation(String(first[0]?.data.name), { componentId: null });
    else await installed(prebuilt(unique('First'), inTheWay));
    const answer = await install(given);
    expect(answer).toMatchObject({
      status: 409,
      json: { message: expect.stringContaining(String(first[0]?.data.name)) },
    });
    expect(await count('transformation', named('Turn'))).toBe(0);
    expect(await read(called(named('Package')))).toMatchObject({ total: 0 });
    expect((await install(given, { overwrite: true })).status).toBe(200);
  },
);

test('documents that their area would reject are reported, each by its place, and nothing is stored', async () => {
  const { given, named } = completePrebuilt(randomUUID());
  const broken = given.bundles.map((bundle) =>
    bundle.type === 'workflow' && bundle.data.name === named('Child')
      ? { ...bundle, data: { ...bundle.data, tasks: 5 } }
      : bundle.type === 'automation'
        ? { ...bundle, data: { ...bundle.data, triggers: [{ type: 'none' }] } }
        : bundle.type === 'golden-config'
          ? { ...bundle, data: { ...bundle.data, data: [{ treeId: bundle.data._id }] } }
          : bundle,
  );
  const answer = await install({ ...given, bundles: broken });
  expect(answer.status).toBe(400);
  const members = issuesOf(answer).map((one) => one.split(':')[0]);
  expect(members).toContain('prebuilt.bundles.1.data.tasks');
  expect(members).toContain('prebuilt.bundles.8.data.triggers.0.type');
  expect(members.some((one) => one?.startsWith('prebuilt.bundles.9.data.'))).toBe(true);
  expect(await count('workflow', named('Flow'))).toBe(0);
});

test('an automation or trigger that names a missing document rolls back the installation', async () => {
  const { given, named } = completePrebuilt(randomUUID());
  const lost = (change: object) => ({
    ...given,
    bundles: given.bundles.map((bundle) =>
      bundle.type === 'automation' ? { ...bundle, data: { ...bundle.data, ...change } } : bundle,
    ),
  });
  const flowless = await install(lost({ componentName: 'No such flow' }));
  expect(flowless).toMatchObject({ status: 422, json: { message: expect.stringContaining('No such flow') } });
  const formless = await install(lost({ triggers: [{ name: 'x', type: 'manual', formId: 'No such form' }] }));
  expect(formless).toMatchObject({ status: 422, json: { message: expect.stringContaining('No such form') } });
  expect(await count('workflow', named('Flow'))).toBe(0);
});

test('all packages are listed in one call', async () => {
  for (let made = 0; made < 30; made++) await installed(prebuilt(unique('Many'), [], { readme: '' }));
  const { results, total } = await read<{ results: Stored[]; total: number }>(
    '?contains=many&containsField=name',
  );
  expect([results.length, total]).toEqual([30, 30]);
  expect((await sendAt('apiread', 'GET', '/prebuilts?sort=nonsense')).status).toBe(400);
});

test('an unknown package is named', async () => {
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['GET', '/export', undefined],
    ['PUT', '', { prebuilt: {} }],
    ['DELETE', '', undefined],
  ] as const) {
    expect(await sendAt('admin', method, `/prebuilts/${NOBODY}${path}`, body)).toMatchObject({
      status: 404,
      json: { message: `Prebuilt ${NOBODY} does not exist` },
    });
  }
});
