import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAdmin } from '#server/domains/identity/index.ts';
import { createPerson, sendAs, signIn } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const { send } = service;
await createAdmin(service.db, 'Walnut-bridge-72-sleet');

type Fields = Record<string, unknown>;
type Role = { _id: string; name: string; allowedMethods: { name: string; provenance: string }[] };

async function done<Answer = Fields>(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await send('admin', method, path, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as Answer;
}

const paths = {
  '/sites': { get: { operationId: 'listSites' }, post: { operationId: 'createSite' } },
};
const documentOf = (title: string, more: Fields = {}) => ({
  openapi: '3.0.3',
  info: { title, version: '1' },
  paths,
  ...more,
});
const create = (title: string) => done('POST', '/integration-models', { model: documentOf(title) });
const at = (id: string) => `/integration-models/${encodeURIComponent(id)}`;

const rolesOf = async (id: string) =>
  (
    await done<{ results: Role[] }>(
      'GET',
      `/authorization/roles?sort=name&equalsField=provenance&equals=${encodeURIComponent(id)}`,
    )
  ).results;

test('the account admin holds both roles of a model at once, and loses them with it', async () => {
  const assigned = async () => {
    const { results } = await done<{ results: { assignedRoles: { roleId: string }[] }[] }>(
      'GET',
      '/authorization/accounts?equalsField=username&equals=admin',
    );
    return results[0]?.assignedRoles.map(({ roleId }) => roleId) ?? [];
  };
  const before = await assigned();
  expect(before).toHaveLength(1);
  await create('Mine');
  const ids = (await rolesOf('Mine:1')).map(({ _id }) => _id);
  expect(await assigned()).toEqual([...before, ...ids]);
  await done('PUT', '/integration-models', { model: documentOf('Mine') });
  expect(await assigned()).toEqual([...before, ...ids]);
  await done('DELETE', at('Mine:1'));
  expect(await assigned()).toEqual(before);
});

test('the first role of a name in the default order is that of the platform', async () => {
  await create('Ahead');
  for (const query of ['', '?equalsField=name&equals=admin', '?limit=100']) {
    const { results } = await done<{ results: (Role & { provenance: string })[] }>(
      'GET',
      `/authorization/roles${query}`,
    );
    expect(results.find(({ name }) => name === 'admin')?.provenance, query).not.toContain(':');
  }
  await done('DELETE', at('Ahead:1'));
});

test('a client that keeps the last role of a name finds that of the platform in the reverse order', async () => {
  await create('Behind');
  const byName = async (query: string) => {
    const { results } = await done<{ results: (Role & { provenance: string })[] }>(
      'GET',
      `/authorization/roles${query}`,
    );
    return new Map(results.map((role) => [role.name, role]));
  };
  expect((await byName('?order=-1')).get('admin')?.provenance).not.toContain(':');
  // In the default order it gets a role of a model, which opens nothing of the platform.
  const kept = (await byName('')).get('admin');
  expect(kept?.provenance).toBe('Behind:1');
  const person = await createPerson(service, [], { assignedRoles: [{ roleId: kept?._id ?? '' }] });
  const token = await signIn(service, person);
  for (const path of ['/authorization/accounts', '/adapters', '/profiles'])
    expect([path, (await sendAs(service, token, 'GET', path)).status]).toEqual([path, 403]);
  await done('DELETE', at('Behind:1'));
});

test('the admin of a model is no admin of the platform, and is called by the name of the model', async () => {
  await create('Small');
  const [admin] = await rolesOf('Small:1');
  const person = await createPerson(service, [], { assignedRoles: [{ roleId: admin?._id ?? '' }] });
  const token = await signIn(service, person);
  expect((await sendAs(service, token, 'GET', '/authorization/accounts')).status).toBe(403);
  expect((await sendAs(service, token, 'GET', '/whoami')).json).toMatchObject({ roles: ['Small:1:admin'] });
});

test('a role of a model can be neither changed nor deleted', async () => {
  await create('Fixed');
  const [admin] = await rolesOf('Fixed:1');
  const rejected = { status: 403, json: { message: expect.stringContaining('comes with Fixed:1') } };
  const path = `/authorization/roles/${admin?._id}`;
  expect(await send('admin', 'PATCH', path, { updates: { description: 'mine' } })).toMatchObject(rejected);
  expect(await send('admin', 'DELETE', path)).toMatchObject(rejected);
});

test('a custom role can list single operations of a model, and loses those that the model loses', async () => {
  await create('Single');
  const grant = (name: string) => ({ name, provenance: 'Single:1' });
  const roleWith = (...names: string[]) =>
    send('admin', 'POST', '/authorization/roles', {
      role: { name: `role-${randomUUID()}`, allowedMethods: names.map(grant), allowedViews: [] },
    });
  expect(await roleWith('listSites', 'dropSites')).toMatchObject({
    status: 400,
    json: { issues: [{ path: ['role', 'allowedMethods', 1] }] },
  });
  const { data } = (await roleWith('listSites', 'createSite')).json as { data: Role };
  const grants = async () =>
    (await done<Role>('GET', `/authorization/roles/${data._id}`)).allowedMethods.map(({ name }) => name);
  expect(await grants()).toEqual(['listSites', 'createSite']);
  const fewer = { '/sites': { get: { operationId: 'listSites' } } };
  await done('PUT', '/integration-models', { model: documentOf('Single', { paths: fewer }) });
  expect(await grants()).toEqual(['listSites']);
  await done('DELETE', at('Single:1'));
  expect(await grants()).toEqual([]);
});

test('an account manager who is no admin cannot grant the operations of a model', async () => {
  await create('Guarded');
  const { data: manager } = await done<{ data: Role }>('POST', '/authorization/roles', {
    role: {
      name: 'manager',
      allowedMethods: [{ name: 'updateAccount', provenance: 'Authorization' }],
      allowedViews: [],
    },
  });
  const [admin] = await rolesOf('Guarded:1');
  const person = await createPerson(service, [], { assignedRoles: [{ roleId: manager._id }] });
  const token = await signIn(service, person);
  const assignedRoles = [{ roleId: manager._id }, { roleId: admin?._id }];
  const answer = await sendAs(service, token, 'PATCH', `/authorization/accounts/${person.id}`, {
    updates: { assignedRoles },
  });
  expect(answer).toMatchObject({
    status: 403,
    json: { message: expect.stringContaining('Guarded:1 admin') },
  });
});

test('a custom role of the same name and provenance is a conflict, and nothing is imported', async () => {
  await done('POST', '/authorization/roles', {
    role: { name: 'get', provenance: 'Taken:1', allowedMethods: [], allowedViews: [] },
  });
  expect(await send('admin', 'POST', '/integration-models', { model: documentOf('Taken') })).toMatchObject({
    status: 409,
  });
  expect((await send('admin', 'GET', at('Taken:1'))).status).toBe(404);
});
