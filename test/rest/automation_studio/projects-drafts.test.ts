import { describe, expect, test } from 'vitest';
import type { Project } from '#db/schemas/assets/project.ts';
import { asset, childJob, objectId, task, uuid, workflow } from '../../helpers/documents/assets.ts';
import { realExports } from '../../helpers/documents/exported-projects.ts';
import { type ApiError, openImports, projectFileOf } from '../../helpers/documents/projects.ts';
import { isLong } from '../../helpers/long.ts';

const { call, done, exported, importing, send } = await openImports();

type Json = Record<string, unknown>;

const fn = (id: number, name: string, functions: Json[] = []) => ({
  ...{ id, name, functions },
  ...{ incoming: [], outgoing: [], steps: [] },
});
const start = (name: string) => call('POST', '/operations-manager/jobs/start', { workflow: name });

describe('a faulty document of a project file', () => {
  test('is stored as a draft that names its faults, and the rest of the file unchanged', async () => {
    const file = projectFileOf((own) => [
      [
        'transformation',
        asset('transformation', 'Turn', { functions: [fn(1, 'Flatten'), fn(2, 'Flatten')] }),
      ],
      [
        'workflow',
        workflow('Nowhere', [], {
          transitions: { workflow_start: { ff: { type: 'standard', state: 'success' } } },
        }),
      ],
      [
        'mopCommandTemplate',
        asset('mopCommandTemplate', 'Check', {
          commands: [{ command: 'x', rules: [{ rule: 'y', eval: 'resembles' }] }],
        }),
      ],
      ['template', asset('template', 'Open', { template: '{% for x in y %}' })],
      ['jsonForm', asset('jsonForm', 'Form', { errors: [{ path: [], message: 'stale', code: 'x' }] })],
      ['jsonForm', asset('jsonForm', 'Bent', { schema: { type: 'objekt' } })],
      [
        'mopAnalyticTemplate',
        asset('mopAnalyticTemplate', 'Compare', {
          prepostCommands: [
            { preRawCommand: 'x', postRawCommand: 'x', rules: [{ type: 'resembles', preRegex: '(' }] },
          ],
        }),
      ],
      ['workflow', workflow('Sound', [childJob(own('Nowhere'))])],
    ]);
    const { data, metadata } = await importing(file);
    expect(data.components).toHaveLength(8);
    expect(metadata.failedComponents).toEqual([]);
    expect(metadata.drafts.map(({ type, name, errors }) => [type, name, errors[0]?.path])).toEqual([
      ['transformation', 'Turn', ['functions', 1, 'name']],
      ['workflow', 'Nowhere', expect.anything()],
      ['mopCommandTemplate', 'Check', ['commands', 0, 'rules', 0, 'eval']],
      ['template', 'Open', ['template']],
      ['jsonForm', 'Bent', ['schema']],
      ['mopAnalyticTemplate', 'Compare', ['prepostCommands', 0, 'rules', 0, 'type']],
    ]);
    expect(metadata.draftsTotal).toBe(6);
    // A file says nothing about errors, and none is exported.
    for (const { document } of (await exported(file._id)).components ?? []) {
      expect(document).not.toHaveProperty('errors');
    }
  });

  test('does not run and says why, until it is repaired', async () => {
    const file = projectFileOf(() => [
      [
        'transformation',
        asset('transformation', 'Turn', { functions: [fn(1, 'Flatten'), fn(2, 'Flatten')] }),
      ],
      [
        'mopCommandTemplate',
        asset('mopCommandTemplate', 'Check', {
          commands: [{ command: 'x', rules: [{ rule: 'y', eval: 'resembles' }] }],
        }),
      ],
      [
        'workflow',
        workflow('Nowhere', [], {
          transitions: { workflow_start: { ff: { type: 'standard', state: 'success' } } },
        }),
      ],
    ]);
    const [turn, check] = file.components;
    const calling = workflow('Calls', [
      task('transformation', { tr_id: turn?.reference, variableMap: {}, options: {} }),
    ]);
    file.components.push({ iid: 3, type: 'workflow', reference: uuid(), document: calling });
    const { metadata } = await importing(file);
    expect(metadata.drafts.find(({ name }) => name === 'Calls')?.errors).toMatchObject([
      { message: expect.stringContaining('cannot run: functions.1.name: "Flatten" occurs twice') },
    ]);

    const run = await call('POST', `/transformations/${turn?.reference}`, { incoming: {} });
    expect(run.status).toBe(400);
    expect((run.json as ApiError).message).toContain('"Flatten" occurs twice');
    const started = await start(`@${file._id}: Calls`);
    expect(started.status).toBe(409);
    expect(started.text).toContain('cannot run: functions.1.name');
    expect((await start(`@${file._id}: Nowhere`)).status).toBe(409);
    const sent = await call('POST', '/mop/RunCommandTemplate', {
      template: check?.reference,
      devices: ['edge-1'],
      variables: {},
    });
    expect(sent.status).toBe(409);
    expect((sent.json as ApiError).message).toContain('is a draft and cannot run: commands.0.rules.0.eval');

    const stored = (await call('GET', `/transformations/${turn?.reference}`)).json as { errors: Json[] };
    expect(stored.errors).toMatchObject([{ path: ['functions', 1, 'name'], code: 'duplicate' }]);
    const same = await call('PUT', `/transformations/${turn?.reference}`, stored);
    expect(same.status).toBe(400);
    const repaired = { ...stored, functions: [fn(1, 'Flatten'), fn(2, 'Fold')] };
    const written = await call('PUT', `/transformations/${turn?.reference}`, repaired);
    expect(written.status, written.text).toBe(200);
    expect(written.json).not.toHaveProperty('errors');
    expect((await call('POST', `/transformations/${turn?.reference}`, { incoming: {} })).status).toBe(200);
  });

  test('stays a draft in a copy, and until its text changes', async () => {
    const file = projectFileOf(() => [
      ['template', asset('template', 'Open', { template: '{% for x in y %}' })],
    ]);
    const { data } = await importing(file);
    const [template] = file.components;
    const path = `/automation-studio/templates/${template?.reference}`;
    const described = await call('PUT', path, { update: { description: 'Lists ports' } });
    expect((described.json as { updated: Json }).updated.errors).toHaveLength(1);
    const { data: other } = await done('POST', '', { name: `Copy ${objectId()}` });
    const copied = await done<{ data: Project }>('POST', `/${other._id}/components/add`, {
      components: [{ type: 'template', reference: template?.reference }],
    });
    const copy = copied.data.components?.[0]?.reference;
    expect(((await call('GET', `/automation-studio/templates/${copy}`)).json as Json).errors).toHaveLength(1);
    const closed = await call('PUT', path, { update: { template: '{% for x in y %}{% endfor %}' } });
    expect((closed.json as { updated: Json }).updated).not.toHaveProperty('errors');
    expect(data.components).toHaveLength(1);
  });

  test('is rejected beyond a limit, with everything else that cannot be stored', async () => {
    let deep = fn(0, 'Innermost');
    for (let level = 1; level <= 11; level++) deep = fn(level, `Level ${level}`, [deep]);
    const file = projectFileOf(() => [
      ['transformation', asset('transformation', 'Deep', { functions: [deep] })],
      ['transformation', asset('transformation', 'Twice', { functions: [fn(1, 'A'), fn(2, 'A')] })],
      ['jsonForm', asset('jsonForm', 'Form', { schema: [] })],
    ]);
    const rejected = await send('POST', '/import', { project: file });
    expect(rejected.status).toBe(400);
    const { issues = [] } = rejected.json as ApiError;
    expect(issues.map(({ path, code }) => [path[2], code])).toEqual([
      [0, 'too_deep'],
      [2, 'invalid_type'],
    ]);
    expect((await send('GET', `/${file._id}`)).status).toBe(404);
    const { metadata } = await importing(file, { options: { partial: true } });
    expect([metadata.failedComponents.length, metadata.drafts.map(({ name }) => name)]).toEqual([
      2,
      ['Twice'],
    ]);
  });
});

describe('a child workflow that does not exist', () => {
  const calling = (child: string, ...others: string[]) =>
    projectFileOf((own) => [
      [
        'workflow',
        workflow('Upgrade device', [
          childJob(own(child)),
          childJob(child),
          task('newVariable', { name: 'x', value: own(child) }),
        ]),
      ],
      ...others.map((name): [string, Json] => ['workflow', workflow(name)]),
    ]);

  test('is offered under its present name, in the errors and in the missing parts', async () => {
    const file = calling('Run checks on host - IAG', 'Run checks on host', 'Run step');
    const { metadata } = await importing(file);
    expect(metadata.relinked).toEqual([]);
    const [own, global] = [`@${file._id}: Run checks on host - IAG`, 'Run checks on host - IAG'];
    const offered = metadata.missing.filter(({ type }) => type === 'workflow');
    expect(offered.map(({ name, candidates }) => [name, candidates?.map((one) => one.name)])).toEqual([
      [own, ['Run checks on host']],
      [global, ['Run checks on host']],
    ]);
    expect(offered[0]?.candidates?.[0]?._id).toBe(file.components[1]?.reference);
    expect(metadata.drafts[0]?.errors.map(({ message }) => message)).toEqual([
      `variables.incoming.workflow: workflow ${own} does not exist; its project has Run checks on host`,
      `variables.incoming.workflow: workflow ${global} does not exist; its project has Run checks on host`,
    ]);
  });

  test('is replaced with relink in every reference, where exactly one workflow may be meant', async () => {
    const file = calling('Run checks on host - IAG', 'Run checks on host', 'Run step');
    const { metadata } = await importing(file, { relink: true });
    expect(metadata.relinked).toEqual([
      { from: 'Run checks on host - IAG', to: 'Run checks on host', uses: 2 },
      { from: 'Run checks on host - IAG', to: 'Run checks on host', uses: 1 },
    ]);
    expect([metadata.missing, metadata.drafts]).toEqual([[], []]);
    const [first] = (await exported(file._id)).components ?? [];
    expect(JSON.stringify(first?.document)).not.toContain('IAG');
    expect(JSON.stringify(first?.document).split(`@${file._id}: Run checks on host"`)).toHaveLength(4);
  });

  test('is not replaced where several may be meant, nor by the workflow that runs it', async () => {
    const several = calling('Run checks on host - IAG', 'Run checks', 'Run checks on host');
    const reported = (await importing(several, { relink: true })).metadata;
    expect(reported.relinked).toEqual([]);
    expect(reported.missing[0]?.candidates?.map(({ name }) => name)).toEqual([
      'Run checks',
      'Run checks on host',
    ]);
    const itself = calling('Upgrade device - F5');
    const { metadata } = await importing(itself, { relink: true });
    expect(metadata.relinked).toEqual([]);
    expect(metadata.missing.map(({ candidates }) => candidates)).not.toContainEqual(expect.anything());
  });

  test('may be one that the existing project has', async () => {
    const file = calling('Unrelated', 'Run checks on host');
    await importing(file);
    const document = workflow('Added', [childJob(`@${file._id}: Run checks on host - IAG`)]);
    const more = { ...file, components: [{ iid: 9, type: 'workflow', reference: uuid(), document }] };
    const { metadata } = await importing(more, { relink: true });
    expect(metadata.relinked).toMatchObject([{ to: 'Run checks on host', uses: 1 }]);
  });

  test('is replaced in the public project that names one by its older name', async () => {
    for (const { project } of realExports().filter(({ file }) => file.includes('Workflow Utilities'))) {
      const { metadata } = await importing(project, { relink: true, dryRun: true });
      expect(metadata.relinked).toEqual([
        { from: 'Chunk Array Wrapper - IAP', to: 'Chunk Array Wrapper', uses: 1 },
      ]);
    }
  });
});

test.skipIf(!isLong)(
  'every public project is imported whole when each transformation has a doubled function and input',
  async () => {
    for (const { project } of realExports()) {
      const _id = objectId();
      const components = (project.components ?? []).map((one) => {
        if (one.type !== 'transformation') return one;
        const { functions = [], incoming = [] } = one.document as { functions?: Json[]; incoming?: Json[] };
        const double = [fn(9001, 'Doubled'), fn(9002, 'Doubled')];
        const inputs = [...incoming, { $id: 'doubled' }, { $id: 'doubled' }];
        return {
          ...one,
          document: { ...one.document, functions: [...functions, ...double], incoming: inputs },
        };
      });
      const faulty = components.filter(({ type }) => type === 'transformation').length;
      const file = JSON.parse(JSON.stringify({ ...project, components }).replaceAll(project._id ?? '', _id));
      const { data, metadata } = await importing(file, { assignNewReferences: true });
      expect(data.components).toHaveLength(components.length);
      const drafts = metadata.drafts.filter(({ type }) => type === 'transformation');
      expect(drafts.map(({ errors }) => errors.length)).toEqual(Array.from({ length: faulty }, () => 2));
    }
  },
);
