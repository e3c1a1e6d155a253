import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import type { ExportedProject, Project } from '#db/schemas/assets/project.ts';
import { asset, childJob, objectId, task, uuid, workflow } from '../../helpers/documents/assets.ts';
import { toldOf } from '../../helpers/documents/exported-projects.ts';
import { fileOf } from '../../helpers/documents/project-files.ts';
import { openStudio } from '../../helpers/documents/projects.ts';

const { done, exported, send, store, callerWith, db } = await openStudio();

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

describe('a project that is imported', () => {
  test('and exported is the same to the letter, but for the numbers of this system', async () => {
    const file = fileOf('Round');
    const { data, metadata } = await importing(file);
    expect(metadata).toMatchObject({ failedComponents: [], renamed: [], warnings: [], relinked: [] });
    expect(data._id).toBe(file._id);
    const owner = (await callerWith('designer')).caller.id;
    expect(data.members).toMatchObject([{ type: 'account', reference: owner, role: 'owner' }]);
    expect(data.componentIidIndex).toBe(9);
    const out = await exported(data._id);
    expect(toldOf(out)).toEqual(toldOf(file as ExportedProject));
    expect(out.components?.map(({ reference }) => reference)).toEqual(
      file.components.map(({ reference }) => reference),
    );
    expect(out).toMatchObject({
      created: file.created,
      lastUpdated: file.lastUpdated,
      createdBy: file.createdBy,
    });
    expect(out.components?.[0]?.document).toMatchObject({
      created: '2026-01-01T00:00:00.000Z',
      last_updated_by: { username: 'somebody@elsewhere' },
      oddity: [1, { kept: null }],
    });
    for (const member of ['members', 'accessControl', 'componentIidIndex'])
      expect(out).not.toHaveProperty(member);
    for (const { type, document } of out.components ?? []) {
      expect(document).not.toHaveProperty('namespace');
      expect(Object.hasOwn(document ?? {}, '_id')).toBe(type === 'template' || type === 'transformation');
    }
  });

  test('may come without a wrapper, with names that bear the prefix already, without ids or folders', async () => {
    const file = fileOf('Bare');
    const bare = await done<Imported>('POST', '/import', file);
    expect(bare.data._id).toBe(file._id);
    const prefixed = fileOf('Prefixed');
    const components = prefixed.components.map(({ folder: _, ...one }) => ({
      ...one,
      document: { ...one.document, name: `@${prefixed._id}: ${one.document.name}` },
    }));
    const { data } = await importing({ ...prefixed, folders: null, components });
    expect(data.components?.map(({ name }) => name)).toEqual(
      prefixed.components.map(({ document }) => `@${prefixed._id}: ${document.name}`),
    );
    expect(data.components?.every(({ folder }) => folder === '/')).toBe(true);
    expect(data.folders).toBeNull();
    expect(await exported(data._id)).toMatchObject({ folders: [] });
    const { folders: _f, _id: _i, ...anonymous } = fileOf('Anonymous');
    const made = await importing(anonymous, { skipReferenceValidation: true });
    expect(made.data.folders).toMatchObject([
      { name: 'Main', children: [{ iid: 0 }] },
      { nodeType: 'component', iid: 9 },
      { name: 'Parts' },
    ]);
  });

  test('under ids that are taken gets others, and everything inside follows', async () => {
    const file = fileOf('Taken');
    await importing(file);
    const { data, metadata } = await importing(file, {}, STRANGER);
    expect(data._id).not.toBe(file._id);
    expect(metadata.renamed).toEqual([{ type: 'project', from: 'Taken', to: 'Taken (1)' }]);
    const out = await exported(data._id, STRANGER);
    expect(toldOf({ ...out, name: 'Taken' })).toEqual(toldOf(file as ExportedProject));
    const before = new Set(file.components.map(({ reference }) => reference));
    expect(out.components?.filter(({ reference }) => before.has(reference))).toEqual([]);
    const left = JSON.stringify(out.components);
    expect(left).not.toContain(file._id);
  });

  test('lists the references of its documents that resolve to nothing', async () => {
    const file = fileOf('Dangling');
    const gone = objectId();
    file.components.push({
      iid: 20,
      type: 'workflow',
      reference: uuid(),
      folder: '/',
      document: workflow('Dangler', [task('transformation', { tr_id: gone }), childJob('Nobody’s')]),
    });
    const { metadata } = await importing(file);
    expect(metadata.warnings).toEqual([
      `Workflow Dangler references transformation ${gone}, which does not exist here`,
      'Workflow Dangler references workflow Nobody’s, which does not exist here',
    ]);
    const quiet = await importing(fileOf('Quiet'), { skipReferenceValidation: true });
    expect(quiet.metadata.warnings).toEqual([]);
  });

  test('resolves the references that documents elsewhere had to it before', async () => {
    const file = fileOf('Awaited');
    const waiting = await store('workflow', workflow('Waiting', [childJob(`@${file._id}: Child`)]));
    await importing(file);
    const child = file.components[1];
    const answer = await send('DELETE', `/${file._id}/components/${child?.iid}?mode=delete`);
    expect(answer.status).toBe(409);
    expect(answer.text).toContain(waiting);
  });

  test('lists used assets outside with a hash that changes with their content', async () => {
    const outside = await store('transformation', asset('transformation', 'Outside'));
    const file = fileOf('Hashed');
    file.components.push({
      iid: 30,
      type: 'workflow',
      reference: uuid(),
      folder: '/',
      document: workflow('User', [task('transformation', { tr_id: outside })]),
    });
    await importing(file);
    const hashes = async () => (await exported(file._id)).referencedComponentHashes;
    const before = await hashes();
    expect(before).toMatchObject([{ type: 'transformation', reference: outside, name: 'Outside' }]);
    await rows(db, sql`update transformations set doc = doc || '{"steps":[{"id":1}]}' where id = ${outside}`);
    expect((await hashes())?.[0]?.hash).not.toBe(before?.[0]?.hash);
  });
});
