import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import type { Project } from '#db/schemas/assets/project.ts';
import { asset } from '../../helpers/documents/assets.ts';
import { type ApiError, openStudio } from '../../helpers/documents/projects.ts';

const studio = await openStudio();
const { create, done, get, send, store, callerWith, db } = studio;

const idOf = async (...roles: Parameters<typeof callerWith>) => (await callerWith(...roles)).caller.id;
/** A call of an admin outside the studio. */
const requested = (method: string, path: string, body?: unknown) =>
  studio.service.send('admin', method, path, body);
const READER = ['apiread', 'apiwrite'] as const;
const entry = (iid: number) => ({ nodeType: 'component', iid });

describe('a new project', () => {
  test('belongs to its creator, and has the next number', async () => {
    const one = await create('First', { description: 'For tests', backgroundColor: '#aabbcc' });
    const other = await create('Second');
    const owner = await idOf('designer');
    expect(one).toMatchObject({
      name: 'First',
      description: 'For tests',
      backgroundColor: '#aabbcc',
      components: [],
      componentIidIndex: 0,
      members: [{ type: 'account', reference: owner, role: 'owner', missing: false, provenance: 'local' }],
      accessControl: {
        read: [`account:${owner}`],
        write: [`account:${owner}`],
        execute: [`account:${owner}`],
        manage: [`account:${owner}`],
      },
      createdBy: { _id: owner, provenance: 'local' },
    });
    expect(other.iid).toBe(Number(one.iid) + 1);
    expect(other.description).toBe('');
    expect(await get(one._id)).toEqual(one);
  });

  test('has a unique name', async () => {
    await create('Once');
    const again = await send('POST', '', { name: 'Once' });
    expect(again.status).toBe(409);
    expect((again.json as ApiError).message).toContain('Once');
  });

  test('includes copies of assets', async () => {
    const reference = await store('jsonForm', asset('jsonForm', 'Taken along'));
    const project = await create('With parts', {
      components: [{ type: 'jsonForm', reference, folder: '/Forms' }],
    });
    expect(project.components).toMatchObject([
      { iid: 1, type: 'jsonForm', name: `@${project._id}: Taken along`, folder: '/Forms' },
    ]);
    expect(project.components?.[0]?.reference).not.toBe(reference);
  });

  test('is rejected with every issue', async () => {
    const answer = await send('POST', '', { name: ' ', thumbnail: 'http://x', colour: 'red' });
    expect(answer.status).toBe(400);
    expect((answer.json as ApiError).issues?.map(({ path }) => path.join('.')).sort()).toEqual([
      'colour',
      'name',
      'thumbnail',
    ]);
  });

  test('numbers stay unique under concurrent requests', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, (_, at) => create(`At once ${at}`)));
    expect(new Set(made.map(({ iid }) => iid)).size).toBe(8);
  });
});

describe('who sees a project', () => {
  test('are its members and admins: others do not find it, and totals leave it out', async () => {
    const project = await create('Hidden');
    type Page = { data: Project[]; metadata: { total: number } };
    const query = '?equals[name]=Hidden';
    const listed = (as: 'admin' | 'designer' | typeof READER) => done<Page>('GET', query, undefined, as);
    expect((await listed('designer')).metadata.total).toBe(1);
    expect((await listed('admin')).metadata.total).toBe(1);
    expect(await listed(READER)).toMatchObject({ data: [], metadata: { total: 0 } });
    for (const [method, path, body] of [
      ['GET', ''],
      ['GET', '/export'],
      ['GET', '/thumbnail'],
      ['PUT', '/thumbnail', { imageData: '' }],
      ['PATCH', '', { name: 'Mine' }],
      ['DELETE', ''],
      ['DELETE', '/components/1', { options: { mode: 'delete' } }],
      ['POST', '/components/add', { components: [{ type: 'workflow', reference: 'x' }] }],
    ] as const) {
      const answer = await send(method, `/${project._id}${path}`, body, READER);
      expect(answer.status, `${method} ${path}`).toBe(404);
    }
  });

  test('lists come as stored but for their authors in full, filtered and sorted in brackets', async () => {
    for (const name of ['Sorted b', 'Sorted a', 'Sorted c']) await create(name);
    const page = await done<{ data: Project[]; metadata: object }>(
      'GET',
      '?starts-with[name]=sorted&sort=name&order=-1&limit=2',
    );
    expect(page.data.map(({ name }) => name)).toEqual(['Sorted c', 'Sorted b']);
    expect(page.data[0]?.members?.[0]).not.toHaveProperty('username');
    const author = { _id: await idOf('designer'), username: expect.any(String), provenance: 'local' };
    for (const one of page.data) expect(one).toMatchObject({ createdBy: author, lastUpdatedBy: author });
    const { data } = await done<{ data: Project[] }>('GET', '?starts-with[name]=sorted&include=name&limit=1');
    expect(Object.keys(data[0] ?? {}).toSorted()).toEqual(['_id', 'name']);
    expect(page.metadata).toEqual({
      total: 3,
      skip: 0,
      limit: 2,
      currentPageSize: 2,
      nextPageSkip: 2,
      previousPageSkip: null,
      hints: [],
    });
    const wrong = await send('GET', '?equals=x&equalsField=colour');
    expect(wrong.status).toBe(400);
  });

  test.each([
    ['viewer', { read: 200, write: 403, manage: 403 }],
    ['operator', { read: 200, write: 403, manage: 403 }],
    ['editor', { read: 200, write: 200, manage: 403 }],
    ['owner', { read: 200, write: 200, manage: 200 }],
  ] as const)('a member who is %s may do what that includes', async (role, may) => {
    const project = await create(`For a ${role}`);
    const [owner, other] = [await idOf('designer'), await idOf(READER)];
    const members = [
      { type: 'account', reference: owner, role: 'owner' },
      { type: 'account', reference: other, role },
    ];
    const { data } = await done('PATCH', `/${project._id}`, { members });
    const key = `account:${other}`;
    expect(data.accessControl?.read).toContain(key);
    expect(data.accessControl?.execute?.includes(key)).toBe(role !== 'viewer');
    const path = `/${project._id}`;
    expect((await send('GET', path, undefined, READER)).status).toBe(may.read);
    expect((await send('PATCH', path, { description: 'x' }, READER)).status).toBe(may.write);
    const fewer = [
      { type: 'account', reference: owner, role: 'owner' },
      { type: 'account', reference: other, role: 'owner' },
    ];
    if (role !== 'owner')
      expect((await send('PATCH', path, { members: fewer }, READER)).status).toBe(may.manage);
    expect((await send('DELETE', path, undefined, READER)).status).toBe(may.manage);
  });
});

describe('changing a project', () => {
  test('replaces the given fields, keeps the rest, and reports ignored fields', async () => {
    const project = await create('Changing', { description: 'before' });
    const { data, metadata } = await done('PATCH', `/${project._id}`, {
      name: 'Changed',
      backgroundColor: null,
      iid: 99,
      _id: newId(),
      accessControl: {},
      created: 'x',
    });
    expect(metadata).toEqual({ ignored: ['_id', 'iid', 'accessControl', 'created'] });
    expect(data).toMatchObject({
      name: 'Changed',
      description: 'before',
      iid: project.iid,
      created: project.created,
    });
    expect(Date.parse(String(data.lastUpdated))).toBeGreaterThan(Date.parse(String(project.lastUpdated)));
    const unknown = await send('PATCH', `/${project._id}`, { colour: 'red', versionHistory: [] });
    expect(unknown.status).toBe(400);
    expect((unknown.json as ApiError).issues?.map(({ path }) => path[0])).toEqual([
      'colour',
      'versionHistory',
    ]);
  });

  test('keeps at least one owner that exists, no account twice, none unknown', async () => {
    const project = await create('Owned');
    const owner = await idOf('designer');
    const nobody = newId();
    const answer = await send('PATCH', `/${project._id}`, {
      members: [
        { type: 'account', reference: owner, role: 'editor' },
        { type: 'account', reference: owner, role: 'viewer' },
        { type: 'group', reference: nobody, role: 'owner' },
      ],
    });
    expect(answer.status).toBe(400);
    const { issues } = answer.json as ApiError;
    expect(issues?.map(({ path }) => path.join('.'))).toEqual([
      'members.1.reference',
      'members.2.reference',
      'members',
    ]);
    expect(issues?.[1]?.message).toContain(nobody);
    expect((await get(project._id)).members).toHaveLength(1);
  });

  test('members come back by name, and may be sent back so', async () => {
    const project = await create('Named');
    const group = newId();
    await rows(
      db,
      sql`insert into groups (id, doc) values (${group}, ${JSON.stringify({ _id: group, name: 'Night shift', provenance: 'local' })}::jsonb)`,
    );
    const owner = await idOf('designer');
    const { data } = await done('PATCH', `/${project._id}`, {
      members: [
        { type: 'account', reference: owner, role: 'owner' },
        { type: 'group', reference: group, role: 'viewer' },
      ],
    });
    expect(data.members).toMatchObject([
      { username: expect.any(String), missing: false },
      { name: 'Night shift', provenance: 'local', missing: false },
    ]);
    const again = await done('PATCH', `/${project._id}`, { members: data.members });
    expect(again.data.members).toEqual(data.members);
    await rows(db, sql`delete from groups where id = ${group}`);
    expect((await get(project._id)).members?.[1]).toMatchObject({ missing: true, reference: group });
  });

  test('a new name is shown by its assets', async () => {
    const reference = await store('template', asset('template', 'Tells'));
    const project = await create('Before the rename', { components: [{ type: 'template', reference }] });
    await done('PATCH', `/${project._id}`, { name: 'After the rename' });
    const [row] = await rows<{ namespace: string }>(
      db,
      sql`select doc ->> 'namespace' as namespace from templates where project_id = ${project._id}`,
    );
    expect(JSON.parse(row?.namespace ?? '')).toEqual({
      type: 'project',
      _id: project._id,
      name: 'After the rename',
    });
  });

  test('rejects the second of two concurrent edits and overwrites nothing', async () => {
    const project = await create('Contended');
    const tag = { 'If-Match': `"${project.lastUpdated}"` };
    const [one, two] = await Promise.all(
      ['one', 'two'].map((description) => send('PATCH', `/${project._id}`, { description }, 'designer', tag)),
    );
    expect([one?.status, two?.status].sort()).toEqual([200, 409]);
    const winner = one?.status === 200 ? 'one' : 'two';
    expect((await get(project._id)).description).toBe(winner);
    const late = await send('DELETE', `/${project._id}`, undefined, 'designer', tag);
    expect(late.status).toBe(409);
  });
});

describe('the folders of a project', () => {
  const forms = async (name: string, count: number) => {
    const components = [];
    for (let at = 0; at < count; at++) {
      components.push({
        type: 'jsonForm',
        reference: await store('jsonForm', asset('jsonForm', `${name} ${at}`)),
      });
    }
    return create(name, { components });
  };

  test('are a tree; what it leaves out is at its top, and paths follow', async () => {
    const project = await forms('Tree', 3);
    const folders = [
      { nodeType: 'folder', name: 'A', children: [{ nodeType: 'folder', name: 'B', children: [entry(2)] }] },
      entry(3),
    ];
    const { data } = await done('PATCH', `/${project._id}`, { folders });
    expect(data.folders).toEqual([...folders, entry(1)]);
    expect(data.components?.map(({ folder }) => folder)).toEqual(['/', '/A/B', '/']);
  });

  test('follow the paths of components, which may change their order as well', async () => {
    const project = await forms('Order', 3);
    const { data } = await done('PATCH', `/${project._id}`, {
      components: [{ iid: 3, folder: '/New' }, { iid: 1 }, { iid: 2, folder: '/New/Deep' }],
    });
    expect(data.components?.map(({ iid, folder }) => [iid, folder])).toEqual([
      [3, '/New'],
      [1, '/'],
      [2, '/New/Deep'],
    ]);
    expect(data.folders).toEqual([
      entry(1),
      {
        nodeType: 'folder',
        name: 'New',
        children: [entry(3), { nodeType: 'folder', name: 'Deep', children: [entry(2)] }],
      },
    ]);
    const same = await done('PATCH', `/${project._id}`, { components: data.components });
    expect(same.data.folders).toEqual(data.folders);
  });

  test('are rejected with every entry that shows nothing, or something twice', async () => {
    const project = await forms('Refused', 2);
    const answer = await send('PATCH', `/${project._id}`, {
      folders: [entry(1), { nodeType: 'folder', name: 'A', children: [entry(1), entry(9)] }],
    });
    expect(answer.status).toBe(400);
    expect((answer.json as ApiError).issues?.map(({ path }) => path.join('.'))).toEqual([
      'folders.1.children.0.iid',
      'folders.1.children.1.iid',
    ]);
    const dropped = await send('PATCH', `/${project._id}`, { components: [{ iid: 2 }] });
    expect(dropped.status).toBe(409);
    expect((dropped.json as ApiError).message).toContain('1');
    const stranger = await send('PATCH', `/${project._id}`, {
      components: [{ iid: 1 }, { iid: 2 }, { iid: 7 }],
    });
    expect(stranger.status).toBe(400);
  });
});

describe('the picture of a project', () => {
  test('is a data URL of at most 256 KiB', async () => {
    const project = await create('Pictured');
    const imageData = 'data:image/png;base64,iVBORw0KGgo=';
    const path = `/${project._id}/thumbnail`;
    expect((await done<{ data: object }>('GET', path)).data).toEqual({ imageData: '' });
    expect((await done<{ data: object }>('PUT', path, { imageData })).data).toEqual({ imageData });
    expect((await done<{ data: object }>('GET', path)).data).toEqual({ imageData });
    expect((await get(project._id)).thumbnail).toBe(imageData);
    const large = `data:image/png;base64,${'A'.repeat(256 * 1024)}`;
    for (const wrong of [large, 'javascript:alert(1)', 'data:text/html;base64,AAAA']) {
      expect((await send('PUT', path, { imageData: wrong })).status).toBe(400);
    }
  });
});

describe('deleting a group', () => {
  const shared = async (name: string, role: string) => {
    const made = await requested('POST', '/authorization/groups', { group: { name } });
    const group = (made.json as { data: { _id: string } }).data._id;
    const project = await create(`Shared with ${name}`);
    const owner = await idOf('designer');
    await done('PATCH', `/${project._id}`, {
      members: [
        ...(role === 'owner' ? [] : [{ type: 'account', reference: owner, role: 'owner' }]),
        { type: 'group', reference: group, role },
      ],
    });
    return { group, project };
  };

  test('removes it from projects', async () => {
    const { group, project } = await shared('Leavers', 'editor');
    expect((await requested('DELETE', `/authorization/groups/${group}`)).status).toBe(200);
    const left = await get(project._id, 'admin');
    expect(left.members?.map(({ type }) => type)).toEqual(['account']);
    expect(JSON.stringify(left.accessControl)).not.toContain(group);
  });

  test('is rejected while it is the only owner of one', async () => {
    const { group, project } = await shared('Keepers', 'owner');
    const answer = await requested('DELETE', `/authorization/groups/${group}`);
    expect(answer.status).toBe(409);
    expect((answer.json as ApiError).message).toContain(project.name);
    expect((await get(project._id, 'admin')).members).toMatchObject([{ type: 'group', missing: false }]);
  });
});
