import { describe, expect, test } from 'vitest';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { Role } from '#server/kernel/roles.ts';
import { issuesOf } from '../../helpers/configuration.ts';
import { asset } from '../../helpers/documents/assets.ts';
import { openStudio } from '../../helpers/studio.ts';

const { send, createProject, addToProject } = await openStudio();

type Request = { method: string; path: string; body?: unknown };
type Doc = Record<string, unknown>;

/** How a document of each kind is listed, read, written over and deleted. */
type Kind = {
  kind: ComponentType;
  list: Request;
  read: (id: string) => Request;
  update: (id: string, doc: Doc) => Request;
  remove: (id: string) => Request;
};

const encoded = encodeURIComponent;
const mop = (kind: ComponentType, word: '' | 'Analytic', wrapper: string, a: string): Kind => ({
  kind,
  list: { method: 'GET', path: `/mop/list${word}Templates` },
  read: (id) => ({ method: 'GET', path: `/mop/list${a}${word}Template/${encoded(id)}` }),
  update: (id, doc) => ({
    method: 'PUT',
    path: `/mop/update${word}Template/${encoded(id)}`,
    body: { [wrapper]: doc },
  }),
  remove: (id) => ({ method: 'POST', path: `/mop/delete${word}Template/${encoded(id)}` }),
});

const KINDS: Kind[] = [
  {
    kind: 'template',
    list: { method: 'GET', path: '/automation-studio/templates?limit=1000' },
    read: (id) => ({ method: 'GET', path: `/automation-studio/templates/${id}` }),
    update: (id, update) => ({ method: 'PUT', path: `/automation-studio/templates/${id}`, body: { update } }),
    remove: (id) => ({ method: 'DELETE', path: `/automation-studio/templates/${id}` }),
  },
  {
    kind: 'transformation',
    list: { method: 'GET', path: '/transformations?limit=1000' },
    read: (id) => ({ method: 'GET', path: `/transformations/${id}` }),
    update: (id, body) => ({ method: 'PUT', path: `/transformations/${id}`, body }),
    remove: (id) => ({ method: 'DELETE', path: `/transformations/${id}` }),
  },
  {
    kind: 'jsonForm',
    list: { method: 'GET', path: '/json-forms/forms' },
    read: (id) => ({ method: 'GET', path: `/json-forms/forms/${id}` }),
    update: (id, body) => ({ method: 'PUT', path: `/json-forms/forms/${id}`, body }),
    remove: (id) => ({ method: 'DELETE', path: `/json-forms/forms?ids=${id}` }),
  },
  mop('mopCommandTemplate', '', 'mop', 'A'),
  mop('mopAnalyticTemplate', 'Analytic', 'template', 'An'),
];

const ask = ({ method, path, body }: Request, as: Role | readonly Role[] = 'admin') =>
  send(method, path, body, { as });

describe.each(KINDS)('a $kind of a project', ({ kind, list, read, update, remove }) => {
  test('is visible to members of its project alone', async () => {
    const projectId = await createProject(`Seen ${kind}`, { read: ['apiread'] });
    const one = await addToProject(projectId, kind, asset(kind, 'Secret'));
    expect(one.name).toBe(`@${projectId}: Secret`);
    for (const as of ['admin', 'apiread'] as const) {
      expect((await ask(read(one.id), as)).text).toContain(one.name);
      expect((await ask(list, as)).text).toContain(one.name);
    }
    expect((await ask(read(one.id), 'designer')).status).toBe(404);
    expect((await ask(list, 'designer')).text).not.toContain('Secret');
  });

  test('is written by editors of its project, keeps its prefix and its owner, and is not deleted while it is a component', async () => {
    const projectId = await createProject(`Written ${kind}`, { read: ['designer'], write: ['apiwrite'] });
    const one = await addToProject(projectId, kind, asset(kind, 'Shared'));
    const writer = ['apiwrite', 'admin'] as const;
    const next = { ...asset(kind, one.name), description: 'changed', namespace: null };
    expect((await ask(update(one.id, next), 'designer')).status).toBe(403);
    const gone = await ask(remove(one.id), 'designer');
    expect(gone.status).toBe(403);

    const bare = await ask(update(one.id, { ...next, name: 'Shared' }), writer);
    expect(bare.status).toBe(400);
    expect(issuesOf(bare)[0]).toContain(`must begin with "@${projectId}: "`);

    expect((await ask(update(one.id, next), 'apiwrite')).status).toBe(200);
    const { text } = await ask(read(one.id));
    expect(JSON.parse(text)).toMatchObject(
      kind.startsWith('mop')
        ? [{ description: 'changed', namespace: { _id: projectId } }]
        : { description: 'changed', namespace: { _id: projectId } },
    );
    expect(await ask(remove(one.id), 'apiwrite')).toMatchObject({
      status: 409,
      json: {
        message: expect.stringContaining(`is used by project Written ${kind}`),
        data: { ids: [one.id] },
      },
    });
    expect((await ask(read(one.id))).status).toBe(200);
  });

  test('cannot be deleted or written by an account that cannot see it', async () => {
    const projectId = await createProject(`Hidden ${kind}`);
    const one = await addToProject(projectId, kind, asset(kind, 'Hidden'));
    expect((await ask(update(one.id, asset(kind, one.name)), 'designer')).status).toBe(404);
    // Some kinds answer a deletion of what is not there with success.
    await ask(remove(one.id), 'designer');
    expect((await ask(read(one.id))).status).toBe(200);
  });
});
