import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import type { ExportedProject, Project } from '#db/schemas/assets/project.ts';
import { asset, childJob, workflow } from '../../helpers/documents/assets.ts';
import { prebuilt } from '../../helpers/documents/prebuilts.ts';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { issuesOf } from '../../helpers/operations.ts';
import { openService } from '../../helpers/service.ts';
import { runs, success, task, workflowOf } from '../../helpers/workflows.ts';

const maker = await openService();
const user = await openJobs();

type Service = Pick<typeof maker, 'send' | 'db'>;
type Json = Record<string, unknown>;
type Installed = { _id: string; version: string; components: { id: string; type: string; name: string }[] };

async function reported<Answer = Json>(service: Service, method: string, path: string, body?: unknown) {
  const answer = await service.send('admin', method, path, body);
  expect(answer.status, answer.text.slice(0, 2000)).toBe(200);
  return answer.json as Answer;
}

const stored = async (automation: object) =>
  (
    await reported<{ created: { _id: string } }>(maker, 'POST', '/automation-studio/automations', {
      automation,
    })
  ).created;

/** Tables that record deeds, and ledgers whose sums are what counts. */
const TOLD = new Set([
  'audit',
  'events',
  'work_records',
  'event_outbox',
  'event_cursors',
  'imported_authors',
  'job_plans',
  'sessions',
  'throttle',
  'document_counts',
  'document_edits',
  'forgotten_edits',
  'job_counts',
]);

/** Every other table: what it holds, as a hash. */
async function world({ db }: Service): Promise<Record<string, string>> {
  const tables = await rows<{ name: string }>(
    db,
    sql`select table_name as name from information_schema.tables
        where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const found: Record<string, string> = {};
  for (const { name } of tables.filter((one) => !TOLD.has(one.name) && !one.name.startsWith('audit_'))) {
    const [row] = await rows<{ hash: string }>(
      db,
      sql`select md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as hash from ${sql.identifier(name)} t`,
    );
    found[name] = row?.hash ?? '';
  }
  return found;
}

const BUNDLE: Record<string, string> = {
  workflow: 'workflow',
  transformation: 'transformation',
  template: 'template',
  jsonForm: 'json-forms',
};

/** A package of what a project's export holds, and an automation that starts one of its workflows. */
function packed(project: ExportedProject, version: string, starts: string) {
  const bundles = (project.components ?? []).map(({ type, document = {} }) => ({
    type: BUNDLE[type] ?? type,
    data: document as Json,
  }));
  const automation = {
    _id: '65f0c1d2e3a4b5c6d7e8fa01',
    name: 'Count ports nightly',
    componentType: 'workflows',
    componentName: `@${project._id}: ${starts}`,
    triggers: [{ _id: newId(), name: 'by hand', type: 'manual', legacyWrapper: false }],
  };
  const given = prebuilt('Port counter', [...bundles, { type: 'automation', data: automation }]);
  return { ...given, metadata: { ...given.metadata, version } };
}

test('a package made from a project installs, runs its workflow, is updated, and leaves no trace', async () => {
  const turn = await reported<{ _id: string }>(
    maker,
    'POST',
    '/transformations',
    asset('transformation', 'Shape ports', {
      incoming: [{ $id: 'ports', type: 'array' }],
      outgoing: [{ $id: 'shaped', type: 'array' }],
      steps: [
        {
          id: 1,
          type: 'assign',
          from: { location: 'incoming', name: 'ports', ptr: '' },
          to: { location: 'outgoing', name: 'shaped', ptr: '' },
        },
      ],
    }),
  );
  const child = await stored(
    workflowOf('Count', {
      a: task('arrayLength', { arr: '$var.job.ports' }, { length: '$var.job.count' }),
    }),
  );
  const parent = await stored(
    workflowOf('Count ports', {
      a: task(
        'transformation',
        { tr_id: turn._id, variableMap: { ports: '$var.job.ports' } },
        { shaped: null },
      ),
      b: runs('Count', { ports: { task: 'a', value: 'shaped' } }),
      c: task(
        'query',
        { pass_on_null: false, query: 'count', obj: '$var.b.job_details' },
        { return_data: '$var.job.counted' },
      ),
    }),
  );
  const { data: project } = await reported<{ data: Project }>(maker, 'POST', '/automation-studio/projects', {
    name: 'Ports',
  });
  await reported(maker, 'POST', `/automation-studio/projects/${project._id}/components/add`, {
    mode: 'move',
    components: [
      { type: 'workflow', reference: parent._id },
      { type: 'workflow', reference: child._id },
      { type: 'transformation', reference: turn._id },
    ],
  });
  const { data: exported } = await reported<{ data: ExportedProject }>(
    maker,
    'GET',
    `/automation-studio/projects/${project._id}/export`,
  );

  // Whoever calls is somebody from the first call on.
  await reported(user, 'GET', '/prebuilts');
  const before = await world(user);
  const given = packed(exported, '1.0.0', 'Count ports');
  const newer = packed(exported, '1.1.0', 'Count ports');
  const { data } = await reported<{ data: Installed }>(user, 'POST', '/prebuilts/import', {
    prebuilt: given,
  });
  expect(data.components.map(({ type, name }) => `${type} ${name}`).sort()).toEqual([
    'automation Count ports nightly',
    'transformation Shape ports',
    'workflow Count',
    'workflow Count ports',
  ]);

  const started = await user.start('Count ports', { ports: ['ge-0', 'ge-1', 'ge-2'] });
  const done = await user.comes(started._id, 'complete');
  expect(done.variables).toMatchObject({ counted: 3 });
  const triggers = await user.done<{ _id: string }[]>('GET', '/triggers?limit=10');
  const run = await user.done<{ _id: string }>('POST', `/triggers/manual/${triggers[0]?._id}/run`, {
    formData: { ports: ['xe-0'] },
  });
  expect((await user.comes(run._id, 'complete')).variables).toMatchObject({ counted: 1 });

  const next = await reported<{ data: { metadata: { version: string } } }>(
    user,
    'PUT',
    `/prebuilts/${data._id}`,
    {
      prebuilt: newer,
    },
  );
  expect(next.data.metadata.version).toBe('1.1.0');
  expect(await reported(user, 'GET', `/prebuilts/${data._id}`)).toMatchObject({
    version: '1.1.0',
    components: data.components,
  });
  const out = await reported<Json>(user, 'GET', `/prebuilts/${data._id}/export`);
  expect(out).toEqual(JSON.parse(JSON.stringify(newer)));

  await reported(user, 'DELETE', `/prebuilts/${data._id}?deleteComponents=true`);
  const roots = await user.done<{ _id: string; parent?: unknown }[]>('GET', '/jobs?limit=100');
  await user.done('POST', '/jobs/delete', {
    jobIds: roots.filter(({ parent }) => !parent).map(({ _id }) => _id),
  });
  expect(await world(user)).toEqual(before);
});

test('mistakes in a package and in its documents are reported together, and nothing is imported', async () => {
  const { metadata, ...rest } = prebuilt('Broken', [
    { type: 'workflow', data: { ...workflowOf('Senseless'), tasks: 5 } },
    { type: 'transformation', data: { ...asset('transformation', 'T'), name: '' } },
    { type: 'automation', data: { name: 5 } },
  ]);
  const { name: _, ...nameless } = metadata;
  const answer = await maker.send('admin', 'POST', '/prebuilts/import', {
    prebuilt: { ...rest, metadata: nameless },
  });
  expect(answer.status).toBe(400);
  expect(issuesOf(answer).map((one) => one.split(':')[0])).toEqual(
    expect.arrayContaining([
      'prebuilt.metadata.name',
      'prebuilt.bundles.0.data.tasks',
      'prebuilt.bundles.1.data.name',
      'prebuilt.bundles.2.data.name',
    ]),
  );
});

test('documents of a package that cannot run are installed as drafts, and missing workflows are relinked on demand', async () => {
  const tag = randomUUID();
  const fold = { name: 'Fold', functions: [], incoming: [], outgoing: [], steps: [] };
  const functions = [
    { id: 1, ...fold },
    { id: 2, ...fold },
  ];
  const given = prebuilt(`Faulty ${tag}`, [
    {
      type: 'workflow',
      data: { ...workflowOf(`Astray ${tag}`), transitions: { a1: { workflow_end: success } } },
    },
    { type: 'transformation', data: asset('transformation', `Turn ${tag}`, { functions }) },
    { type: 'forms', data: asset('jsonForm', `Form ${tag}`, { schema: { type: 'objekt' } }) },
    { type: 'workflow', data: workflow(`Open port ${tag}`) },
    { type: 'workflow', data: workflow(`Calls ${tag}`, [childJob(`Open port ${tag} - IOS`)]) },
  ]);
  const valid = await maker.send('admin', 'PUT', '/prebuilts/import/validation', { prebuilt: given });
  expect(valid.status, valid.text).toBe(200);
  const options = { relink: true };
  const answer = await maker.send('admin', 'POST', '/prebuilts/import', { prebuilt: given, options });
  expect(answer.status, answer.text).toBe(200);
  const { metadata } = answer.json as { metadata: { drafts: Json[]; relinked: Json[]; draftsTotal: number } };
  expect(metadata.drafts.map(({ type, name }) => [type, name])).toEqual([
    ['workflow', `Astray ${tag}`],
    ['transformation', `Turn ${tag}`],
    ['jsonForm', `Form ${tag}`],
  ]);
  expect(metadata).toMatchObject({
    draftsTotal: 3,
    relinked: [{ from: `Open port ${tag} - IOS`, to: `Open port ${tag}`, uses: 1 }],
    missing: [],
  });
  const start = (name: string) =>
    maker.send('admin', 'POST', '/operations-manager/jobs/start', { workflow: name });
  expect((await start(`Astray ${tag}`)).status).toBe(409);
  expect((await start(`Calls ${tag}`)).status).toBe(200);
});
