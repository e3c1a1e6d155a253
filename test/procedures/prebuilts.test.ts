import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { completePrebuilt, prebuilt } from '../helpers/documents/prebuilts.ts';
import { issuePathsOf, NOBODY, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { prebuilts, automationStudio, operationsManager } = await service.as('admin');

const install = (given: unknown, options?: { overwrite: boolean }) =>
  prebuilts.importPrebuilt({ prebuilt: given as never, ...(options && { options }) });
const called = (name: string) =>
  prebuilts.listPrebuilts({ queryOptions: { equals: name, equalsField: 'name' } });

test('a package is validated without being stored, and everything that is wrong is reported', async () => {
  const { given } = completePrebuilt(randomUUID());
  expect(await prebuilts.validatePrebuilt({ prebuilt: given as never })).toMatchObject({
    message: expect.stringContaining(given.metadata.name),
  });
  expect(await called(given.metadata.name)).toEqual({ results: [], total: 0 });
  const metadata = { ...given.metadata, version: 'one', license: undefined };
  const broken = {
    ...given,
    metadata,
    readme: 5,
    manifest: { ...given.manifest, artifacts: [] },
    bundles: [],
  };
  expect((await issuePathsOf(prebuilts.validatePrebuilt({ prebuilt: broken as never }))).toSorted()).toEqual([
    'prebuilt.metadata.license',
    'prebuilt.metadata.version',
    'prebuilt.readme',
  ]);
});

test('an installed package stores its documents and is exported as it was imported', async () => {
  const { given, ids, named } = completePrebuilt(randomUUID());
  const { status, data } = await install(given);
  expect(status).toBe('Created');
  expect(data.components?.[0]).toEqual({ id: ids.flow, name: named('Flow'), type: 'workflow' });
  expect(await automationStudio.getWorkflow({ name: named('Flow') })).toMatchObject({ _id: ids.flow });
  expect((await operationsManager.getAutomation({ id: ids.automation })).data).toMatchObject({
    componentId: ids.flow,
  });
  expect(await called(named('Package'))).toEqual({ results: [data], total: 1 });
  expect(await prebuilts.getPrebuilt({ id: data._id })).toEqual(data);
  expect(await prebuilts.exportPrebuilt({ id: data._id })).toEqual(JSON.parse(JSON.stringify(given)));
});

test('a package is installed once, unless it may be overwritten', async () => {
  const given = prebuilt(unique('Package'));
  const { data: first } = await install(given);
  expect(await rejectionOf(install(given))).toMatchObject({
    code: 'CONFLICT',
    message: `Prebuilt ${given.metadata.name} is already installed`,
  });
  const { data: second } = await install({ ...given, readme: 'second' }, { overwrite: true });
  expect(second._id).toBe(first._id);
  expect((await prebuilts.exportPrebuilt({ id: first._id })).readme).toBe('second');
});

test('a package that cannot be installed whole stores nothing', async () => {
  const { given, named } = completePrebuilt(randomUUID());
  const lost = given.bundles.map((bundle) =>
    bundle.type === 'automation'
      ? { ...bundle, data: { ...bundle.data, componentName: 'No such flow' } }
      : bundle,
  );
  expect(await rejectionOf(install({ ...given, bundles: lost }))).toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
    message: expect.stringContaining('No such flow'),
  });
  expect(await rejectionOf(automationStudio.getWorkflow({ name: named('Flow') }))).toMatchObject({
    code: 'NOT_FOUND',
  });
  expect((await called(named('Package'))).total).toBe(0);
});

test('an update replaces parts of a package, which must be valid then', async () => {
  const { data } = await install(prebuilt(unique('Package')));
  const updated = await prebuilts.updatePrebuilt({ id: data._id, prebuilt: { readme: 'New' } as never });
  expect(updated.data).toMatchObject({ readme: 'New' });
  const broken = prebuilts.updatePrebuilt({ id: data._id, prebuilt: { metadata: {} } as never });
  expect(await rejectionOf(broken)).toMatchObject({ code: 'BAD_REQUEST' });
  expect((await prebuilts.exportPrebuilt({ id: data._id })).readme).toBe('New');
});

test('a deleted package leaves what it installed, unless that is to go too', async () => {
  const flowOf = async (deleteComponents: boolean) => {
    const { given, named } = completePrebuilt(randomUUID());
    const { data } = await install(given);
    await prebuilts.deletePrebuilt({ id: data._id, deleteComponents });
    expect(await rejectionOf(prebuilts.getPrebuilt({ id: data._id }))).toMatchObject({ code: 'NOT_FOUND' });
    return automationStudio.getWorkflow({ name: named('Flow') });
  };
  expect(await flowOf(false)).toMatchObject({ type: 'automation' });
  expect(await rejectionOf(flowOf(true))).toMatchObject({ code: 'NOT_FOUND' });
});

test('a package that does not exist is named in the message', async () => {
  const missing = { code: 'NOT_FOUND', message: `Prebuilt ${NOBODY} does not exist` };
  expect(await rejectionOf(prebuilts.getPrebuilt({ id: NOBODY }))).toMatchObject(missing);
  expect(await rejectionOf(prebuilts.exportPrebuilt({ id: NOBODY }))).toMatchObject(missing);
  expect(await rejectionOf(prebuilts.deletePrebuilt({ id: NOBODY }))).toMatchObject(missing);
});

test('apiread reads packages, only an admin installs and deletes them', async () => {
  expect(await rolesThatMay(service, (as) => as.prebuilts.listPrebuilts({}))).toEqual(['admin', 'apiread']);
  expect(await rolesThatMay(service, (as) => as.prebuilts.deletePrebuilt({ id: NOBODY }))).toEqual(['admin']);
});
