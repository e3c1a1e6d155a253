import { expect, test } from 'vitest';
import { newId } from '#db/ids.ts';
import { asset, childJob, workflow } from '../../helpers/documents/assets.ts';
import { prebuilt } from '../../helpers/documents/prebuilts.ts';
import { openStudio } from '../../helpers/studio.ts';

const { send, done } = await openStudio();

type Doc = Record<string, unknown> & { _id: string; name: string };
const unique = (word: string) => `${word} ${newId()}`;
const at = (path: string, name: string) => `${path}/${encodeURIComponent(name)}`;

test('every answer that shows a project names its components with the prefix, as their documents are named', async () => {
  type Shown = { data: { _id: string; components: { name?: string; iid: number; reference: string }[] } };
  const [flow, check] = [unique('Flow'), unique('Check')];
  const made = await done<{ created: Doc }>('POST', '/automation-studio/automations', {
    automation: workflow(flow),
  });
  await done('POST', '/mop/createTemplate', { mop: asset('mopCommandTemplate', check) });
  const projects = '/automation-studio/projects';
  const components = [{ type: 'workflow', reference: made.created._id, folder: '/' }];
  const created = await done<Shown>('POST', projects, { name: unique('Project'), components });
  const own = `${projects}/${created.data._id}`;
  const added = await done<Shown>('POST', `${own}/components/add`, {
    components: [{ type: 'mopCommandTemplate', reference: check, folder: '/' }],
  });
  const reported = [
    added,
    await done<Shown>('GET', own),
    await done<Shown>('PATCH', own, { description: 'seen' }),
    await done<Shown>('POST', `${projects}/import`, {
      project: (await done<Shown>('GET', `${own}/export`)).data,
      conflictMode: 'overwrite',
    }),
  ];
  const named = (name: string) => `@${created.data._id}: ${name}`;
  expect(created.data.components.map(({ name }) => name)).toEqual([named(flow)]);
  for (const { data } of reported) {
    expect(data.components.map(({ name }) => name)).toEqual([named(flow), named(check)]);
  }
  expect(added.data.components[1]?.reference).toBe(named(check));
  const { items } = await done<{ items: Doc[] }>(
    'GET',
    `/automation-studio/workflows?equals[_id]=${added.data.components[0]?.reference}`,
  );
  expect(items[0]?.name).toBe(named(flow));
  const left = await done<Shown>('DELETE', `${own}/components/${added.data.components[0]?.iid}?mode=delete`);
  expect(left.data.components.map(({ name }) => name)).toEqual([named(check)]);
});

test('a write to the studio is answered with the address where users edit the document', async () => {
  const name = unique('Ring: A/B');
  const studio = '/automation-studio';
  const template = asset('template', name);
  type Edited = { created: Doc; edit: string };
  const flow = await done<Edited>('POST', `${studio}/automations`, { automation: workflow(name) });
  const text = await done<Edited>('POST', `${studio}/templates`, { template });
  const answers = [
    flow,
    await done<Edited>('PUT', `${studio}/automations/${flow.created._id}`, { update: { description: 'x' } }),
    await done<Edited>('POST', '/workflow_builder/workflows/save', { workflow: workflow(name) }),
    text,
    await done<Edited>('PUT', `${studio}/templates/${text.created._id}`, { update: { description: 'x' } }),
  ];
  const at = (kind: string) => `${studio}/#/edit?${kind}=${encodeURIComponent(name)}`;
  expect(answers.map(({ edit }) => edit)).toEqual([
    ...[at('automation'), at('automation'), at('automation')],
    ...[at('template'), at('template')],
  ]);
});

test('a form whose id is expected is also found by its name: read, written, checked and deleted', async () => {
  const name = unique('Form');
  const { doc } = await done<{ doc: Doc }>('POST', '/json-forms/forms', asset('jsonForm', name));
  const path = at('/json-forms/forms', name);
  expect(await done('GET', path)).toEqual(doc);
  const written = await done<{ doc: Doc }>('PUT', path, { options: { ...doc, description: 'anew' } });
  expect(written.doc).toMatchObject({ _id: doc._id, name, description: 'anew' });
  expect(await done('POST', at('/json-forms/validate-form', name), { data: {} })).toMatchObject({
    isValid: true,
  });
  expect(await done('DELETE', '/json-forms/forms', { ids: [name, doc._id] })).toMatchObject({ n: 1 });
  expect((await send('GET', path)).status).toBe(404);
});

test('a template whose id is expected is also found by its name, unless several groups have the name', async () => {
  const path = '/automation-studio/templates';
  const name = unique('Template');
  const create = async (group: string) =>
    (await done<{ created: Doc }>('POST', path, { template: asset('template', name, { group }) })).created;
  const one = await create('A');
  expect(await done('GET', at(path, name))).toEqual(one);
  expect(await done('GET', `${at(path, name)}/export`)).toEqual(one);
  const { updated } = await done<{ updated: Doc }>('PUT', at(path, name), {
    update: { description: 'anew' },
  });
  expect(updated).toMatchObject({ _id: one._id, description: 'anew' });
  const other = await create('B');
  expect((await send('GET', at(path, name))).status).toBe(409);
  await done('DELETE', `${path}/${other._id}`);
  await done('DELETE', at(path, name));
  expect((await send('GET', `${path}/${one._id}`)).status).toBe(404);
});

test('a name that is the id of another document means that other document', async () => {
  const target = await done<{ doc: Doc }>('POST', '/json-forms/forms', asset('jsonForm', unique('Meant')));
  await done('POST', '/json-forms/forms', asset('jsonForm', target.doc._id));
  expect(await done('GET', `/json-forms/forms/${target.doc._id}`)).toEqual(target.doc);
});

test.each([
  ['/authorization/roles', { limit: 2, sort: 'name', order: -1 }],
  ['/applications', { equals: 'MOP', equalsField: 'name' }],
  ['/operations-manager/automations', { contains: 'x', containsField: 'name' }],
])('GET %s reads its options as queryParameters and as options, too', async (path, options) => {
  const query = (name: (option: string) => string) =>
    Object.entries(options)
      .map(([option, value]) => `${name(option)}=${value}`)
      .join('&');
  const expected = await done('GET', `${path}?${query((option) => option)}`);
  expect(await done('GET', `${path}?${query((option) => `queryParameters[${option}]`)}`)).toEqual(expected);
  expect(await done('GET', path, { queryParameters: options })).toEqual(expected);
  expect(await done('GET', `${path}?${query((option) => `options[${option}]`)}`)).toEqual(expected);
  expect(await done('GET', path, { options })).toEqual(expected);
  const twice = await send('GET', `${path}?limit=2&queryParameters[limit]=1`);
  expect([twice.status, twice.text]).toEqual([400, expect.stringContaining('given twice')]);
  const wrong = await send('GET', `${path}?queryParameters[colour]=red`);
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('colour')]);
});

test('lists of applications and adapters are sorted by the names that their health has for the same fields', async () => {
  type Page = { results: { data: { name: string; model: string } }[] };
  const health = await done<{ results: { id: string }[] }>('GET', '/health/applications?sort=id&order=-1');
  const applications = await done<Page>('GET', '/applications', { queryOptions: { sort: 'id', order: -1 } });
  expect(applications.results.length).toBeGreaterThan(1);
  expect(applications.results.map(({ data }) => data.name)).toEqual(health.results.map(({ id }) => id));
  const path = '/adapters?equals[package_id]=@vendor/adapter-gateway&sort=package_id&limit=50';
  const adapters = await done<Page>('GET', path);
  expect(adapters.results.map(({ data }) => data.model)).toEqual(['@vendor/adapter-gateway']);
});

test('states are given as a list, as one text or as texts separated by commas, in a query and in a body', async () => {
  const path = '/operations-manager/jobs';
  const flow = unique('Started');
  await done('POST', '/automation-studio/automations', { automation: workflow(flow) });
  await done('POST', `${path}/start`, { workflow: flow, options: {} });
  const answers = [
    await done('GET', `${path}?in[status]=running&in[status]=paused`),
    await done('GET', `${path}?in[status]=running,paused`),
    await done('GET', path, { queryParameters: { in: { status: 'running,paused' } } }),
    await done('GET', path, { queryParameters: { in: { status: ['running', 'paused'] } } }),
  ];
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  expect(answers[0]).toMatchObject({ data: [{ name: flow, status: 'running' }] });
  expect(await done('GET', path, { queryParameters: { in: { status: 'running' } } })).toEqual(answers[0]);
  const wrong = await send('GET', `${path}?in[status]=running,stopped`);
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('(got \\"stopped\\")')]);
  // A name may contain a comma.
  const name = unique('Core, edge');
  await done('POST', '/automation-studio/automations', { automation: workflow(name) });
  const found = await done<{ items: Doc[] }>(
    'GET',
    `/automation-studio/workflows?in[name]=${encodeURIComponent(name)}`,
  );
  expect(found.items.map((one) => one.name)).toEqual([name]);
});

test('numbers of a query are text, epoch milliseconds among them; devices take it in the body as well', async () => {
  const job = `gt[metrics.start_time]=${Date.now()}&skip=0&limit=5`;
  expect(await done('GET', `/operations-manager/jobs?${job}`)).toMatchObject({ data: [] });
  const page = { options: { start: '0', limit: '5' } };
  expect(await done('POST', '/configuration_manager/devices', page)).toMatchObject({ start_index: 0 });
  for (const [name, value] of [
    ['start', 'x'],
    ['limit', ''],
  ] as const) {
    const answer = await send('POST', '/configuration_manager/devices', { options: { [name]: value } });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(`options.${name}`)]);
  }
});

test('booleans of a query may be written as Python writes them; other words are rejected', async () => {
  const parsers = '/configuration_manager/configurations/parser';
  expect(await done('GET', `${parsers}?regex=True&filter[name]=^json$`)).toEqual(
    await done('GET', `${parsers}?regex=true&filter[name]=^json$`),
  );
  const accounts = '/authorization/accounts';
  const active = await done('GET', `${accounts}?inactive=false`);
  expect(await done('GET', `${accounts}?inactive=False`)).toEqual(active);
  expect(await done('GET', `${accounts}?equals=False&equalsField=inactive`)).toEqual(active);
  for (const word of ['TRUE', 'yes', '1']) {
    expect((await send('GET', `${parsers}?regex=${word}`)).status).toBe(400);
    expect((await send('GET', `${accounts}?equals=${word}&equalsField=inactive`)).status).toBe(400);
  }
});

test('a bundle list that is null is one that is absent: an update keeps the bundles, an import misses them', async () => {
  const name = unique('package').replaceAll(' ', '-');
  const { data } = await done<{ data: Doc }>('POST', '/prebuilts/import', {
    prebuilt: prebuilt(name, [
      { type: 'workflow', data: { ...workflow(unique('Flow')), _id: crypto.randomUUID() } },
    ]),
  });
  const updated = await done<{ data: { bundles: unknown[]; readme: string } }>(
    'PUT',
    `/prebuilts/${data._id}`,
    {
      prebuilt: { bundles: null, readme: 'new' },
    },
  );
  expect(updated.data).toMatchObject({ bundles: [{ type: 'workflow' }], readme: 'new' });
  const { bundles: _, ...absent } = prebuilt(`${name}-2`);
  const answers = [];
  for (const given of [absent, { ...absent, bundles: null }]) {
    for (const [method, path] of [
      ['POST', '/prebuilts/import'],
      ['PUT', '/prebuilts/import/validation'],
    ] as const) {
      const { status, json } = await send(method, path, { prebuilt: given });
      answers.push([status, (json as { issues: unknown }).issues]);
    }
  }
  expect(answers[0]?.[0]).toBe(400);
  for (const one of answers) expect(one).toEqual(answers[0]);
});

test('a command template that is read carries description and namespace', async () => {
  const name = unique('Checks');
  const reported = { description: '', namespace: null };
  const { ops } = await done<{ ops: Doc[] }>('POST', '/mop/createTemplate', {
    mop: asset('mopCommandTemplate', name),
  });
  expect(ops).toEqual(await done('GET', at('/mop/listATemplate', name)));
  expect(ops).toMatchObject([reported]);
  expect((await done<Doc[]>('GET', '/mop/listTemplates')).find((one) => one.name === name)).toMatchObject(
    reported,
  );
  expect(await done('POST', '/mop/export', { type: 'templates', options: { name } })).toMatchObject(reported);
  const other = unique('Told');
  await done('POST', '/mop/createTemplate', {
    mop: asset('mopCommandTemplate', other, { description: 'why' }),
  });
  expect(await done('GET', at('/mop/listATemplate', other))).toMatchObject([
    { description: 'why', namespace: null },
  ]);
});

test.each([
  ['/workflow_builder/import', (one: object) => ({ workflow: one })],
  ['/automation-studio/automations/import', (one: object) => ({ automations: [one] })],
])('POST %s replaces a workflow that is used, and its users follow', async (path, body) => {
  const [name, parent] = [unique('Child'), unique('Parent')];
  const studio = '/automation-studio/automations';
  const { created } = await done<{ created: Doc }>('POST', studio, { automation: workflow(name) });
  await done('POST', studio, { automation: workflow(parent, [childJob(name)]) });
  const automation = { name: unique('Runs it'), componentType: 'workflows', componentId: created._id };
  const { data } = await done<{ data: Doc }>('POST', '/operations-manager/automations', automation);

  const anew = workflow(name, [], { description: 'anew' });
  expect((await send('POST', path, body(anew))).status).toBe(409);
  const replaced = await done<Doc>('POST', path, { ...body(anew), options: { overwrite: true } });
  expect(replaced).toMatchObject({ _id: created._id, name, description: 'anew', created: created.created });

  const renamed = { ...anew, _id: created._id, name: `${name} b` };
  await done('POST', path, { ...body(renamed), options: { overwrite: true } });
  const user = await done<Doc>('GET', at('/automation-studio/workflows/detailed', parent));
  expect(user).toMatchObject({
    errors: [],
    tasks: { 1: { variables: { incoming: { workflow: `${name} b` } } } },
  });
  expect(
    (await done<{ data: Doc }>('GET', `/operations-manager/automations/${data._id}`)).data,
  ).toMatchObject({
    componentId: created._id,
    componentName: `${name} b`,
  });
});

test('a workflow of a project is not replaced by an import that goes beside the project', async () => {
  const project = { _id: newId(), name: unique('Owner') };
  const reference = crypto.randomUUID();
  const components = [{ type: 'workflow', reference, document: workflow('Inside') }];
  await done('POST', '/automation-studio/projects/import', { project: { ...project, components } });
  const given = { ...workflow(unique('Beside')), _id: reference };
  const made = await done<Doc>('POST', '/workflow_builder/import', {
    workflow: given,
    options: { overwrite: true },
  });
  expect(made._id).not.toBe(reference);
  const inside = await done<Doc>(
    'GET',
    at('/automation-studio/workflows/detailed', `@${project._id}: Inside`),
  );
  expect(inside._id).toBe(reference);
});

test('a golden configuration that a plan uses is replaced by an import, and the plan still names its nodes', async () => {
  const cm = '/configuration_manager';
  const [{ name: deviceType }] = await done<[Doc]>('GET', `${cm}/configurations/parser?limit=1`);
  const tree = await done<{ id: string; root: { attributes: { configId: string } } }>(
    'POST',
    `${cm}/configs`,
    {
      name: unique('Tree'),
      deviceType,
    },
  );
  const node = { treeId: tree.id, version: 'initial', nodeId: tree.root.attributes.configId };
  const plan = await done<{ id: string; nodes: object[] }>('POST', `${cm}/compliance_plans`, {
    name: unique('Plan'),
    options: { nodes: [node] },
  });
  const { data } = await done<{ data: object[] }>('POST', `${cm}/export/goldenconfigs`, { treeId: tree.id });
  const trees = [{ data: data.map((one) => ({ ...one, variables: { site: 'anew' } })), overwrite: true }];
  await done('POST', `${cm}/import/goldenconfigs`, { trees });
  expect(await done('GET', `${cm}/configs/${tree.id}/initial`)).toMatchObject({
    variables: { site: 'anew' },
  });
  expect(await done('GET', `${cm}/compliance_plans/${plan.id}`)).toMatchObject({ nodes: [node] });
});

test.each([
  '/operations-manager/jobs?like[name]=x',
  '/automation-studio/projects?foo[name]=x',
  '/operations-manager/automations?endsWith=x&endsWithField=name',
  '/automation-studio/workflows?ends-with[name]=x',
])('GET %s is rejected, and names the unknown operator', async (path) => {
  const operator = /\?([\w-]+)/.exec(path)?.[1] ?? '';
  const { status, json } = await send('GET', path);
  expect(status).toBe(400);
  expect(JSON.stringify((json as { issues: { path: unknown }[] }).issues.map((one) => one.path))).toContain(
    operator,
  );
});

test.each(['/automation-studio/workflows', '/operations-manager/jobs', '/automation-studio/projects'])(
  'GET %s reads the fields to return as one text and as a repeated parameter',
  async (path) => {
    await done('POST', '/automation-studio/projects', { name: unique('Shown'), description: 'x' });
    const rowsOf = async (query: string) => {
      const { items, data } = await done<{ items?: Doc[]; data?: Doc[] }>('GET', `${path}?${query}&limit=1`);
      return items ?? data;
    };
    const expected = await rowsOf('include=name,description');
    const forms = ['include=name&include=description', 'include[]=name&include[]=description'];
    for (const form of [...forms, 'include[0]=name&include[1]=description'])
      expect(await rowsOf(form)).toEqual(expected);
    expect(await rowsOf('exclude=name&exclude=description')).toEqual(
      await rowsOf('exclude=name,description'),
    );
    const wrong = await send('GET', `${path}?include=name&include=colour`);
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('colour')]);
  },
);
