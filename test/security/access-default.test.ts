import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeOfKind } from '../helpers/lists/kinds.ts';
import { createGroup, createPerson, sendAs, signIn } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const PATH = '/authorization/access_default';
const decide = (unlisted: string) => service.send('admin', 'PUT', PATH, { unlisted });

const KINDS = ['tree', 'deviceGroup', 'host', 'backup'] as const;
const ids: Record<string, { open: string; listed: string }> = {};

/** A tree must be whole to be shown, so it is created as users do. */
async function createTree(name: string, gbac: object): Promise<string> {
  const tree = { name: `quarry tree ${name}`, deviceType: 'cisco-ios' };
  const made = await service.send('admin', 'POST', '/configuration_manager/configs', tree);
  const { id } = made.json as { id: string };
  const path = `/configuration_manager/configs/${id}`;
  const changed = await service.send('admin', 'PUT', path, { options: { gbac } });
  if (changed.status !== 200) throw new Error(`${made.text} ${changed.text}`);
  return id;
}

let member = '';
let stranger = '';

beforeAll(async () => {
  const group = await createGroup(service);
  for (const kind of KINDS) {
    const store = (name: string, gbac: object) =>
      kind === 'tree'
        ? createTree(name, gbac)
        : storeOfKind(service.db, kind, {
            doc: { name: `quarry ${kind} ${name}`, host: '192.0.2.1', port: 22, devices: [], gbac },
          });
    ids[kind] = {
      open: await store('open', { read: [], write: [] }),
      listed: await store('listed', { read: [group], write: [group] }),
    };
  }
  member = await signIn(
    service,
    await createPerson(service, ['apiread'], { memberOf: [{ groupId: group }] }),
  );
  stranger = await signIn(service, await createPerson(service, ['apiread']));
});
afterAll(() => decide('readers'));

type Listed = { total?: number; list?: { name: string }[]; results?: { name: string }[] };
const nameOf = ({ name }: { name: string }) => name.split(' ').at(-1);

/** What a caller finds of each kind: in lists and their totals, and by a search over all kinds. */
async function found(token: string) {
  const get = async (path: string) => (await sendAs(service, token, 'GET', path)).json;
  const post = async (path: string) =>
    (await sendAs(service, token, 'POST', path, { options: {} })).json as Listed;
  const [devices, backups] = [
    await post('/configuration_manager/devices'),
    await post('/configuration_manager/backups'),
  ];
  const searched = (await get('/search?q=quarry&limit=100')) as {
    results: { name: string }[];
    total: number;
  };
  const trees = (await get('/configuration_manager/configs')) as { name: string }[];
  const groups = (await get('/configuration_manager/deviceGroups')) as { name: string }[];
  return {
    trees: trees.map(nameOf).sort(),
    groups: groups.map(nameOf).sort(),
    devices: [devices.list?.map(nameOf).sort(), devices.total],
    backups: [backups.list?.map(nameOf).sort(), backups.total],
    searched: searched.results.map(nameOf).filter((name) => name === 'open').length,
  };
}

const BOTH = ['listed', 'open'];

test('at first readers find documents without an access list', async () => {
  expect((await service.send('admin', 'GET', PATH)).json).toEqual({
    unlisted: 'readers',
    configurationSecrets: 'shown',
  });
  expect(await found(stranger)).toMatchObject({
    trees: ['open'],
    groups: ['open'],
    devices: [['open'], 1],
    backups: [['open'], 1],
  });
  expect(await found(member)).toMatchObject({ trees: BOTH, devices: [BOTH, 2], backups: [BOTH, 2] });
});

test('once they are for administrators, lists, totals, search and single reads agree for everybody else', async () => {
  expect((await decide('administrators')).status).toBe(200);
  const none = { trees: [], groups: [], devices: [[], 0], backups: [[], 0], searched: 0 };
  expect(await found(stranger)).toEqual(none);
  expect(await found(member)).toMatchObject({
    trees: ['listed'],
    groups: ['listed'],
    devices: [['listed'], 1],
    backups: [['listed'], 1],
    searched: 0,
  });
  const paths = [
    `/configuration_manager/configs/${ids.tree?.open}`,
    `/configuration_manager/deviceGroups/${ids.deviceGroup?.open}`,
    `/configuration_manager/backups/${ids.backup?.open}`,
    '/configuration_manager/devices/quarry%20host%20open',
  ];
  for (const path of paths) expect((await sendAs(service, stranger, 'GET', path)).status, path).toBe(404);
});

test('an administrator finds everything, and the decision can be reverted', async () => {
  const admin = await signIn(service, await createPerson(service, ['admin']));
  await decide('administrators');
  expect(await found(admin)).toMatchObject({ trees: BOTH, devices: [BOTH, 2], backups: [BOTH, 2] });
  await decide('readers');
  expect(await found(stranger)).toMatchObject({ trees: ['open'], devices: [['open'], 1] });
});

test('a decision from a stale version is rejected, and an unknown one names its field', async () => {
  const stale = await service.send(
    'admin',
    'PUT',
    PATH,
    { unlisted: 'readers' },
    { headers: { 'If-Match': '"none"' } },
  );
  expect(stale.status).toBe(409);
  expect((await decide('everybody')).text).toContain('unlisted');
  for (const role of ['apiread', 'engineering', 'designer'] as const)
    expect((await service.send(role, 'PUT', PATH, { unlisted: 'readers' })).status).toBe(403);
});
