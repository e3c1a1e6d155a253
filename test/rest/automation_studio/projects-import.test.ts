import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import type { ComponentType, Project } from '#db/schemas/assets/project.ts';
import { tableOf } from '#server/domains/assets/stored/references.service.ts';
import { asset, childJob, EVERY_KIND, uuid, workflow } from '../../helpers/documents/assets.ts';
import { fileOf } from '../../helpers/documents/project-files.ts';
import { type ApiError, openStudio } from '../../helpers/documents/projects.ts';

const { create, done, exported, get, send, callerWith, db } = await openStudio();

const STRANGER = ['apiread', 'apiwrite'] as const;

type Imported = {
  data: Project;
  metadata: {
    failedComponents: { iid: number; name: string; issues: { path: unknown[] }[] }[];
    renamed: unknown[];
    warnings: string[];
  };
};

const importing = (project: object, options: object = {}, as: Parameters<typeof done>[3] = 'designer') =>
  done<Imported>('POST', '/import', { project, ...options }, as);

const countOf = async (kind: ComponentType) => {
  const [row] = await rows<{ n: number }>(db, sql`select count(*)::int as n from ${tableOf(kind)}`);
  return row?.n;
};
const counts = () => Promise.all(EVERY_KIND.map(countOf));

describe('an import onto an existing project', () => {
  test('adds new components and leaves the others unchanged', async () => {
    const file = fileOf('Grown');
    await importing(file);
    const before = await exported(file._id);
    const reference = uuid();
    const changed = {
      ...file,
      description: 'not taken over',
      components: [
        ...file.components.map((one) => ({
          ...one,
          document: { ...one.document, description: 'not taken over' },
        })),
        {
          iid: 0,
          type: 'workflow',
          reference,
          folder: '/',
          document: workflow('Added', [childJob(`@${file._id}: Child`)]),
        },
      ].filter(({ iid }, at) => iid !== 0 || at > 0),
      folders: [{ nodeType: 'folder', name: 'Main', children: [{ nodeType: 'component', iid: 0 }] }],
    };
    const { data } = await importing(changed);
    expect(data.description).toBe('An invented project');
    const added = data.components?.at(-1);
    expect(added).toMatchObject({
      iid: 10,
      reference,
      name: `@${file._id}: Added`,
      folder: '/Main',
    });
    const after = await exported(file._id);
    expect(after.components?.slice(0, -1)).toEqual(before.components);
    // The same file once more brings nothing.
    expect((await importing(file)).data.components).toHaveLength(8);
  });

  test('overwrites those of the same reference and removes nothing', async () => {
    const file = fileOf('Overwritten');
    await importing(file);
    const [parent, child] = file.components;
    const changed = {
      ...file,
      description: 'taken over',
      folders: null,
      components: [
        { ...child, iid: 4, folder: '/Elsewhere', document: workflow('Child v2', [], { fresh: true }) },
      ],
    };
    const { data } = await importing(changed, { conflictMode: 'overwrite' });
    expect(data.description).toBe('taken over');
    expect(data.components).toHaveLength(7);
    expect(data.components?.find(({ iid }) => iid === 9)).toMatchObject({
      reference: child?.reference,
      name: `@${data._id}: Child v2`,
      folder: '/Elsewhere',
    });
    const out = await exported(file._id);
    const reported = out.components?.find(({ reference }) => reference === parent?.reference);
    expect(JSON.stringify(reported)).toContain(`@${file._id}: Child v2`);
  });

  test('with new references adds copies of all', async () => {
    const file = fileOf('Doubled');
    await importing(file);
    const { data, metadata } = await importing(file, { assignNewReferences: true });
    expect(data.components).toHaveLength(14);
    expect(metadata.renamed).toHaveLength(7);
    expect(new Set(data.components?.map(({ iid }) => iid)).size).toBe(14);
    const parent = (await exported(file._id)).components?.[7];
    expect(JSON.stringify(parent?.document)).toContain(`@${file._id}: Child (1)`);
    expect(JSON.stringify(parent?.document)).not.toContain(`"@${file._id}: Child"`);
  });

  test('is available to accounts that may write it', async () => {
    const file = fileOf('Guarded');
    const { data } = await importing(file);
    const [owner, other] = [(await callerWith('designer')).caller.id, (await callerWith(STRANGER)).caller.id];
    await done('PATCH', `/${data._id}`, {
      members: [
        { type: 'account', reference: owner, role: 'owner' },
        { type: 'account', reference: other, role: 'viewer' },
      ],
    });
    expect((await send('POST', '/import', { project: file }, STRANGER)).status).toBe(403);
  });
});

describe('an import that is wrong', () => {
  const broken = () => {
    const file = fileOf('Broken');
    const [parent, child, form, , check] = file.components;
    if (!parent || !child || !form || !check) throw new Error('a file has components');
    child.iid = 0;
    parent.document = { ...parent.document, tasks: 'none' };
    form.document = { ...form.document, name: ' ', schema: [] };
    check.document = { name: 'Check', commands: [{ command: 5 }] };
    return file;
  };

  test('changes nothing, and says all that is wrong by its path', async () => {
    const file = broken();
    const before = await counts();
    const answer = await send('POST', '/import', { project: { ...file, name: '' } });
    expect(answer.status).toBe(400);
    const { issues, data } = answer.json as ApiError & { data: { failedComponents: { iid: number }[] } };
    expect(issues?.map(({ path }) => path.slice(1).join('.')).sort()).toEqual([
      'components.0.document.tasks',
      'components.1.iid',
      'components.2.document.name',
      'components.2.document.schema',
      'components.4.document.commands.0.command',
      'name',
    ]);
    expect(data.failedComponents.map(({ iid }) => iid)).toEqual([0, 0, 3, 5]);
    expect(await counts()).toEqual(before);
    expect((await send('GET', `/${file._id}`)).status).toBe(404);
  });

  test('in parts leaves those out and stores the rest', async () => {
    const file = broken();
    const { data, metadata } = await importing(file, { options: { partial: true } });
    expect(metadata.failedComponents.map(({ iid, name }) => [iid, name])).toEqual([
      [0, 'Parent'],
      [0, 'Child'],
      [3, ' '],
      [5, 'Check'],
    ]);
    expect(data.components?.map(({ iid }) => iid)).toEqual([4, 6, 7]);
    expect(data.folders).toMatchObject([
      { name: 'Main', children: [] },
      { name: 'Parts', children: [{ iid: 4 }, { iid: 6 }, { iid: 7 }] },
      { name: 'Empty' },
    ]);
  });

  test('in a dry run stores nothing, whatever it answers', async () => {
    const before = await counts();
    const file = fileOf('Dry');
    const { data, metadata } = await importing(file, { dryRun: true });
    expect(data.components).toHaveLength(7);
    expect(metadata.failedComponents).toEqual([]);
    expect((await send('POST', '/import', { project: broken(), dryRun: true })).status).toBe(400);
    expect(await counts()).toEqual(before);
    expect((await send('GET', `/${file._id}`)).status).toBe(404);
    expect((await importing(file)).data._id).toBe(file._id);
  });

  test('with a name that is taken gets a number', async () => {
    await create('Known already');
    const { data, metadata } = await importing({ name: 'Known already', components: [] });
    expect(data.name).toBe('Known already (1)');
    expect(metadata.renamed).toEqual([{ type: 'project', from: 'Known already', to: 'Known already (1)' }]);
  });

  test('with a common mistake is rejected with the reason, or repaired with a warning', async () => {
    const strange = [
      { project: { name: 'x'.repeat(300) } },
      {
        project: {
          name: 'Ids',
          components: [{ iid: 1.5, type: 'template', reference: newId(), document: asset('template', 'T') }],
        },
      },
      {
        project: { name: 'Kind', components: [{ iid: 1, type: 'golden', reference: newId(), document: {} }] },
      },
      { project: { name: 'Nothing', components: [{ iid: 1, type: 'template', reference: newId() }] } },
      { project: [] },
      { project: { name: 'Mode' }, conflictMode: 'replace' },
      { project: { name: 'Options' }, options: { force: true } },
    ];
    for (const body of strange) {
      const answer = await send('POST', '/import', body);
      expect(answer.status, JSON.stringify(body).slice(0, 200)).toBe(400);
    }
    const file = fileOf('Repaired');
    file.folders = [
      ...(file.folders ?? []),
      { nodeType: 'component', iid: 77 },
      { nodeType: 'component', iid: 9 },
    ];
    const { data, metadata } = await importing(file);
    expect(metadata.warnings).toHaveLength(2);
    expect(JSON.stringify(data.folders)).not.toContain('77');
    expect(await get(file._id)).toMatchObject({ name: 'Repaired' });
  });
});
