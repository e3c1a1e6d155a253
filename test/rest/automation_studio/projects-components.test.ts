import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { inTransaction, rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { Asset } from '#server/domains/assets/stored/kinds.ts';
import { recordReferences, tableOf } from '#server/domains/assets/stored/references.service.ts';
import { asset, childJob, EVERY_KIND, task, workflow } from '../../helpers/documents/assets.ts';
import { type ApiError, openStudio } from '../../helpers/documents/projects.ts';

const { create, done, get, send, store, service, db } = await openStudio();

const stored = async (kind: ComponentType, id: string) => {
  const [row] = await rows<{ doc: string; projectId: string | null }>(
    db,
    sql`select doc::text as doc, project_id as "projectId" from ${tableOf(kind)} where id = ${id}`,
  );
  return row && { doc: JSON.parse(row.doc) as Asset, projectId: row.projectId };
};
type Tasks = Record<string, { variables: { incoming: Record<string, unknown> } }>;
const incomingOf = (doc: Asset | undefined, id: string) => {
  const tasks = (doc?.tasks ?? {}) as Tasks;
  return tasks[id]?.variables.incoming;
};

/** Store an automation that starts a workflow. */
async function automate(name: string, componentId: string): Promise<string> {
  const id = newId();
  const doc = { _id: id, name, componentType: 'workflows', componentId, componentName: 'as it was' };
  await inTransaction(db, async (tx) => {
    await tx.execute(sql`insert into automations (id, doc) values (${id}, ${JSON.stringify(doc)}::jsonb)`);
    await recordReferences(tx, 'automation', [{ id, doc }]);
  });
  return id;
}

/** A parent that names one asset of every other kind. */
async function family(name: string) {
  const child = await store('workflow', workflow(`${name} child`));
  const form = await store('jsonForm', asset('jsonForm', `${name} form`));
  const builder = await store('transformation', asset('transformation', `${name} builder`));
  const check = await store('mopCommandTemplate', asset('mopCommandTemplate', `${name} check`));
  const compare = await store('mopAnalyticTemplate', asset('mopAnalyticTemplate', `${name} compare`));
  const config = await store('template', asset('template', `${name} config`));
  const parent = await store(
    'workflow',
    workflow(`${name} parent`, [
      childJob(`${name} child`),
      task('ShowJSONForm', { formId: form }),
      task('transformation', { tr_id: builder }),
      task('RunCommandTemplate', { template: `${name} check` }),
      task('runAnalyticsTemplate', { analytic_template_name: `${name} compare` }),
      task('renderJinjaTemplate', { name: `${name} config` }),
    ]),
  );
  const components = [
    { type: 'workflow', reference: parent, folder: '/Main' },
    { type: 'workflow', reference: child },
    { type: 'jsonForm', reference: form },
    { type: 'transformation', reference: builder },
    { type: 'mopCommandTemplate', reference: check },
    { type: 'mopAnalyticTemplate', reference: compare },
    { type: 'template', reference: config },
  ];
  return { parent, child, components };
}

describe('taking assets into a project', () => {
  test('copies them: the copies name each other, the originals stay as they are', async () => {
    const { parent, components } = await family('Copied');
    const before = await stored('workflow', parent);
    const { _id } = await create('Copies');
    const { data, metadata } = await done('POST', `/${_id}/components/add`, { components });
    expect(metadata).toEqual({ renamed: [] });
    expect(data.components?.map(({ iid }) => iid)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(data.components?.[0]).toMatchObject({ name: `@${_id}: Copied parent`, folder: '/Main' });
    expect(await stored('workflow', parent)).toEqual(before);
    const references = data.components?.map(({ reference }) => reference) ?? [];
    for (const { reference } of components.filter(({ type }) => !type.startsWith('mop'))) {
      expect(references).not.toContain(reference);
    }
    const copy = await stored('workflow', references[0] ?? '');
    expect(copy?.projectId).toBe(_id);
    expect(copy?.doc.namespace).toEqual({ type: 'project', _id, name: 'Copies' });
    expect(copy?.doc.name).toBe(`@${_id}: Copied parent`);
    expect(incomingOf(copy?.doc, '1')?.workflow).toBe(`@${_id}: Copied child`);
    expect(incomingOf(copy?.doc, '2')?.formId).toBe(references[2]);
    expect(incomingOf(copy?.doc, '3')?.tr_id).toBe(references[3]);
    expect(incomingOf(copy?.doc, '4')?.template).toBe(`@${_id}: Copied check`);
    expect(references[4]).toBe(`@${_id}: Copied check`);
    expect(incomingOf(copy?.doc, '5')?.analytic_template_name).toBe(`@${_id}: Copied compare`);
    expect(incomingOf(copy?.doc, '6')?.name).toBe(`@${_id}: Copied config`);
  });

  test('moves them, and every reference to them stays valid', async () => {
    const { parent, child, components } = await family('Moved');
    const outside = await store('workflow', workflow('Outside of Moved', [childJob('Moved child')]));
    const automation = await automate('Starts Moved', parent);
    const { _id } = await create('Moves');
    const { data } = await done('POST', `/${_id}/components/add`, { components, mode: 'move' });
    expect(data.components?.map(({ reference }) => reference).slice(0, 2)).toEqual([parent, child]);
    expect(data.components?.[4]?.reference).toBe(`@${_id}: Moved check`);
    const moved = await stored('workflow', parent);
    expect(moved?.projectId).toBe(_id);
    expect(incomingOf(moved?.doc, '1')?.workflow).toBe(`@${_id}: Moved child`);
    expect(incomingOf(moved?.doc, '4')?.template).toBe(`@${_id}: Moved check`);
    expect(incomingOf((await stored('workflow', outside))?.doc, '1')?.workflow).toBe(`@${_id}: Moved child`);
    const [row] = await rows<{ name: string }>(
      db,
      sql`select doc ->> 'componentName' as name from automations where id = ${automation}`,
    );
    expect(row?.name).toBe(`@${_id}: Moved parent`);
    expect(await stored('mopCommandTemplate', 'Moved check')).toBeUndefined();
  });

  test('numbers names that the project has already', async () => {
    const reference = await store('template', asset('template', 'Numbered'));
    const { _id } = await create('Numbers');
    const components = [{ type: 'template', reference }];
    await done('POST', `/${_id}/components/add`, { components });
    const { data, metadata } = await done('POST', `/${_id}/components/add`, { components, mode: 'move' });
    expect(metadata).toEqual({ renamed: [{ type: 'template', from: 'Numbered', to: 'Numbered (1)' }] });
    expect(data.components?.map(({ name }) => name)).toEqual([`@${_id}: Numbered`, `@${_id}: Numbered (1)`]);
  });

  test('does not find missing documents, nor invisible ones, and then changes nothing', async () => {
    const project = await create('Searching');
    const reference = await store('template', asset('template', 'Found'));
    const others = await create('Other people’s', { components: [{ type: 'template', reference }] }, 'admin');
    const hidden = others.components?.[0]?.reference ?? '';
    for (const missing of [newId(), hidden]) {
      const components = [
        { type: 'template', reference },
        { type: 'template', reference: missing },
      ];
      const answer = await send('POST', `/${project._id}/components/add`, { components });
      expect(answer.status).toBe(404);
      expect((answer.json as ApiError).message).toContain(missing);
    }
    expect(await get(project._id)).toEqual(project);
  });

  test('does not move what belongs to a project, nor the same twice', async () => {
    const reference = await store('template', asset('template', 'Owned'));
    const [one, other] = [await create('Owner'), await create('Not the owner')];
    const components = [{ type: 'template', reference }];
    await done('POST', `/${one._id}/components/add`, { components, mode: 'move' });
    for (const project of [one, other]) {
      const again = await send('POST', `/${project._id}/components/add`, { components, mode: 'move' });
      expect(again.status).toBe(409);
      expect((again.json as ApiError).message).toContain('Owned');
    }
    const twice = await send('POST', `/${other._id}/components/add`, {
      components: [...components, ...components],
      mode: 'move',
    });
    expect(twice.status).toBe(400);
  });

  test('assigns every number once, also to concurrent requests', async () => {
    const reference = await store('jsonForm', asset('jsonForm', 'Often'));
    const { _id } = await create('Crowded');
    const components = [{ type: 'jsonForm', reference }];
    await Promise.all(
      Array.from({ length: 6 }, () => done('POST', `/${_id}/components/add`, { components })),
    );
    const project = await get(_id);
    expect(project.components?.map(({ iid }) => iid)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(new Set(project.components?.map(({ name }) => name)).size).toBe(6);
  });
});

describe('taking a component out (contract/endpoints#4.7)', () => {
  test.each(EVERY_KIND)('a %s that is moved out stays as a global one, without prefix', async (kind) => {
    const name = `Out ${kind}`;
    const reference = await store(kind, asset(kind, name));
    const { _id } = await create(`Leaving ${kind}`, { components: [{ type: kind, reference }] });
    // The original has the name.
    const { data, metadata } = await done('DELETE', `/${_id}/components/1`, { options: { mode: 'move' } });
    expect(data.components).toEqual([]);
    expect(metadata).toMatchObject({ renamed: [{ type: kind, from: name, to: `${name} (1)` }] });
    const found = await rows<{ namespace: string | null; projectId: string | null }>(
      db,
      sql`select doc ->> 'namespace' as namespace, project_id as "projectId" from ${tableOf(kind)}
          where name = ${`${name} (1)`}`,
    );
    expect(found).toEqual([{ namespace: null, projectId: null }]);
  });

  test.each(EVERY_KIND)('a %s that is deleted is gone, by query as by body', async (kind) => {
    const reference = await store(kind, asset(kind, `Gone ${kind}`));
    const { _id, components } = await create(`Losing ${kind}`, { components: [{ type: kind, reference }] });
    const answer = await send('DELETE', `/${_id}/components/1?mode=delete`);
    expect(answer.status, answer.text).toBe(200);
    expect(await stored(kind, components?.[0]?.reference ?? '')).toBeUndefined();
    expect((await get(_id)).components).toEqual([]);
  });

  test('a number is never given out twice', async () => {
    const reference = await store('template', asset('template', 'Numbered once'));
    const components = [{ type: 'template', reference }];
    const { _id } = await create('Counting', { components: [...components, ...components] });
    await done('DELETE', `/${_id}/components/2`, { options: { mode: 'delete' } });
    const { data } = await done('POST', `/${_id}/components/add`, { components });
    expect(data.components?.map(({ iid }) => iid)).toEqual([1, 3]);
    expect(data.componentIidIndex).toBe(3);
  });

  test('references inside the project follow a component that is moved out', async () => {
    const { components } = await family('Followed');
    const { _id } = await create('Following');
    const { data } = await done('POST', `/${_id}/components/add`, { components });
    await done('DELETE', `/${_id}/components/2`, { options: { mode: 'move' } });
    await done('DELETE', `/${_id}/components/5`, { options: { mode: 'move' } });
    const parent = await stored('workflow', data.components?.[0]?.reference ?? '');
    expect(incomingOf(parent?.doc, '1')?.workflow).toBe('Followed child (1)');
    expect(incomingOf(parent?.doc, '4')?.template).toBe('Followed check (1)');
  });

  test('deletes nothing that an automation or a workflow elsewhere uses; a sibling that does is reported', async () => {
    const { parent, child, components } = await family('Used');
    const { _id } = await create('Users');
    await done('POST', `/${_id}/components/add`, { components, mode: 'move' });
    await automate('Starts Used', parent);
    await store('workflow', workflow('Uses Used', [childJob(`@${_id}: Used child`)]));
    for (const [iid, user] of [
      [1, 'Starts Used'],
      [2, 'Uses Used'],
    ] as const) {
      const answer = await send('DELETE', `/${_id}/components/${iid}`, { options: { mode: 'delete' } });
      expect(answer.status).toBe(409);
      expect((answer.json as ApiError).message).toContain(user);
    }
    expect(await stored('workflow', child)).toBeDefined();
    const { metadata } = await done('DELETE', `/${_id}/components/3`, { options: { mode: 'delete' } });
    expect(metadata.warnings).toEqual(['JSON form Used form is still referenced by Used parent']);
  });

  test('rejects an unknown mode, and a number that is no component', async () => {
    const { _id } = await create('Empty');
    expect((await send('DELETE', `/${_id}/components/1`)).status).toBe(400);
    expect((await send('DELETE', `/${_id}/components/1`, { options: { mode: 'burn' } })).status).toBe(400);
    expect((await send('DELETE', `/${_id}/components/x?mode=move`)).status).toBe(400);
    const both = await send('DELETE', `/${_id}/components/1?mode=move`, { options: { mode: 'delete' } });
    expect(both.status).toBe(400);
    expect((await send('DELETE', `/${_id}/components/1?mode=move`)).status).toBe(404);
  });
});

describe('deleting a project', () => {
  test('includes its assets and lists them', async () => {
    const { components } = await family('Deleted');
    const { _id } = await create('To delete');
    const { data } = await done('POST', `/${_id}/components/add`, { components });
    const { metadata } = await done<{ metadata: { deletedComponents: unknown[] } }>('DELETE', `/${_id}`);
    expect(metadata.deletedComponents).toHaveLength(7);
    for (const { type, reference } of data.components ?? []) {
      expect(await stored(type, reference)).toBeUndefined();
    }
    expect((await send('GET', `/${_id}`)).status).toBe(404);
    const left = await rows(db, sql`select from asset_references where target_name like ${`@${_id}%`}`);
    expect(left).toEqual([]);
  });

  test('is rejected while something outside uses one, which names what the caller may see', async () => {
    const { parent, child, components } = await family('Kept');
    const { _id } = await create('Not to delete');
    await done('POST', `/${_id}/components/add`, { components, mode: 'move' });
    await automate('Starts Kept', parent);
    const secret = await store('workflow', workflow('Secret user', [childJob(`@${_id}: Kept child`)]));
    await create('Secret', {}, 'admin').then((project) =>
      done(
        'POST',
        `/${project._id}/components/add`,
        { components: [{ type: 'workflow', reference: secret }], mode: 'move' },
        'admin',
      ),
    );
    const answer = await send('DELETE', `/${_id}`);
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('Starts Kept');
    expect(answer.text).toContain('1 other');
    expect(answer.text).not.toContain('Secret user');
    expect(await stored('workflow', child)).toBeDefined();
  });
});

describe('what uses an asset', () => {
  test('is reported by kind, id and name', async () => {
    const child = await store('workflow', workflow('Asked child'));
    const parent = await store('workflow', workflow('Asked parent', [childJob('Asked child')]));
    const automation = await automate('Asked automation', child);
    const answer = await service.send(
      'designer',
      'GET',
      `/automation-studio/references-to?target-type=workflow&target-identifiers[]=${child}`,
    );
    expect(answer.status, answer.text).toBe(200);
    expect((answer.json as { data: unknown }).data).toEqual([
      { type: 'automation', _id: automation, name: 'Asked automation' },
      { type: 'workflow', _id: parent, name: 'Asked parent' },
    ]);
  });
});
