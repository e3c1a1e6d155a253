import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { asset } from '../../helpers/documents/assets.ts';
import { openService } from '../../helpers/service.ts';

const { db, send } = await openService();

type Doc = Record<string, unknown>;

const author = { username: 'ada', provenance: null };
const gbac = { read: null, write: [] };
const task = {
  name: 'stub',
  app: 'WorkFlowEngine',
  x: null,
  groups: null,
  nodeLocation: { x: null, y: 3 },
  retrySettings: null,
  variables: { incoming: { delay: 0, response: null }, outgoing: { response: null }, decorators: null },
};
const workflow = (name: string) => asset('workflow', name, { tasks: { ...drawnEnds, a: task } });
const drawnEnds = { workflow_start: { name: 'workflow_start' }, workflow_end: { name: 'workflow_end' } };
const mop = (name: string) =>
  asset('mopCommandTemplate', name, {
    commands: [
      {
        command: 'show clock',
        passRule: null,
        rules: [{ rule: 'UTC', eval: 'contains', severity: null, flags: { case: true, global: null } }],
      },
    ],
  });

/** The endpoints that import documents, a body for each, and the table that stores them. */
const IMPORTS: [string, string, (name: string) => object, string][] = [
  [
    'POST',
    '/automation-studio/automations/import',
    (name) => ({ automations: [workflow(name)] }),
    'workflows',
  ],
  ['POST', '/workflow_builder/import', (name) => ({ workflow: workflow(name) }), 'workflows'],
  [
    'POST',
    '/automation-studio/templates/import',
    (name) => ({ templates: [asset('template', name, { createdBy: author })] }),
    'templates',
  ],
  [
    'POST',
    '/transformations/import',
    (name) => asset('transformation', name, { createdBy: author }),
    'transformations',
  ],
  [
    'POST',
    '/json-forms/import/forms',
    (name) => ({ forms: [asset('jsonForm', name, { createdBy: author })] }),
    'forms',
  ],
  ['POST', '/mop/import', (name) => ({ type: 'templates', template: mop(name) }), 'command_templates'],
  ['PUT', '/operations-manager/automations', (name) => ({ automations: [{ name, gbac }] }), 'automations'],
  [
    'POST',
    '/configuration_manager/import/backups',
    (name) => ({ backups: [{ name, rawConfig: 'hostname x', gbac }] }),
    'backups',
  ],
  ['POST', '/configuration_manager/import/groups', (name) => ({ groups: [{ name, gbac }] }), 'device_groups'],
  [
    'POST',
    '/configuration_manager/import/templates',
    (name) => ({ templates: [{ name, template: 'a', gbac }] }),
    'device_templates',
  ],
  [
    'POST',
    '/configuration_manager/import/parsers',
    (name) => ({ parsers: [{ name, template: 'cisco-ios', gbac }] }),
    'parsers',
  ],
  [
    'POST',
    '/configuration_manager/import/plans',
    (name) => ({ plans: [{ name, gbac, nodes: [] }] }),
    'compliance_plans',
  ],
  [
    'POST',
    '/configuration_manager/import/goldenconfigs',
    (name) => ({
      trees: [
        {
          data: [
            {
              name,
              deviceType: 'cisco-ios',
              version: 'initial',
              gbac,
              root: { name: 'base', attributes: { devices: null, deviceGroups: null }, children: null },
            },
          ],
        },
      ],
    }),
    'golden_trees',
  ],
  [
    'POST',
    '/automationgateway/inventory/cli/import',
    (name) => ({
      hosts: [{ name, host: '192.0.2.7', device_type: 'cisco_ios', hostKey: { policy: null }, gbac }],
    }),
    'gateway_hosts',
  ],
  [
    'POST',
    '/adapters/import',
    (name) => ({
      properties: {
        name,
        model: 'Rest',
        loggerProps: { log_level: null },
        properties: {
          id: name,
          type: 'Rest',
          brokers: null,
          properties: { protocol: 'http', host: '192.0.2.9' },
        },
      },
    }),
    'adapters',
  ],
  [
    'POST',
    '/profiles/import',
    (name) => ({
      properties: { id: name, loggerProps: { log_level: null }, authenticationProps: { admins: null } },
    }),
    'profiles',
  ],
];

const storedIn = async (table: string, name: string): Promise<Doc | undefined> => {
  const [row] = await rows<{ doc: string }>(
    db,
    sql`select doc::text as doc from ${sql.identifier(table)} where doc ->> 'name' = ${name} or doc ->> 'id' = ${name}`,
  );
  return row && (JSON.parse(row.doc) as Doc);
};

test.each(IMPORTS)(
  '%s %s accepts nulls inside a document for fields that may be absent',
  async (method, path, body, table) => {
    const name = `Spelled out ${crypto.randomUUID().slice(0, 8)}`.replaceAll(' ', '-');
    const { status, text } = await send('admin', method, path, body(name));
    expect([200, 201].includes(status) ? '' : text).toBe('');
    expect(text).not.toContain('"success":false');
    expect(await storedIn(table, name)).toBeDefined();
  },
);

test('keeps a null that has a meaning: values of tasks, nullable fields and unknown fields', async () => {
  const one = { ...workflow('Kept nulls'), oddity: { deep: [null, { x: null }] } };
  await send('admin', 'POST', '/workflow_builder/import', { workflow: one });
  const stored = await storedIn('workflows', 'Kept nulls');
  expect(stored).toMatchObject({ oddity: one.oddity });
  const { a } = (stored?.tasks ?? {}) as Record<string, Doc>;
  expect(a).toMatchObject({
    retrySettings: null,
    nodeLocation: { y: 3 },
    variables: { incoming: { delay: 0, response: null }, outgoing: { response: null } },
  });
  expect(a).not.toHaveProperty('x');
  expect(a?.nodeLocation).not.toHaveProperty('x');
  expect(a?.variables).not.toHaveProperty('decorators');
});

test.each([
  [
    '/automation-studio/automations',
    (name: string) => ({ automation: workflow(name) }),
    ['automation', 'tasks', 'a', 'x'],
  ],
  ['/mop/createTemplate', (name: string) => ({ mop: mop(name) }), ['mop', 'commands', 0, 'passRule']],
])('POST %s rejects them where they occur: a handwritten null is deliberate', async (path, body, at) => {
  const { status, json } = await send('admin', 'POST', path, body('By hand'));
  expect(status).toBe(400);
  expect((json as { issues: { path: unknown[] }[] }).issues.map((one) => one.path)).toContainEqual(at);
});

test('a mistake in an import beside its nulls is reported by its path', async () => {
  const wrong = { ...workflow('Wrong'), tasks: { ...drawnEnds, a: { ...task, x: 'left' } } };
  const { status, json } = await send('admin', 'POST', '/workflow_builder/import', { workflow: wrong });
  expect([status, (json as { issues: { path: unknown[] }[] }).issues.map((one) => one.path)]).toEqual([
    400,
    [['workflow', 'tasks', 'a', 'x']],
  ]);
});

test('stamps of another version are kept in the form of their field: milliseconds as ISO 8601, an account as its id', async () => {
  const moment = Date.UTC(2020, 8, 13, 12, 26, 40);
  const iso = new Date(moment).toISOString();
  const name = (kind: string) => `Times-${kind}`;
  const form = asset('jsonForm', name('form'), { created: moment, lastUpdated: moment });
  const transformation = asset('transformation', name('transformation'), { created: moment });
  const flow = { ...workflow(name('flow')), created: moment, last_updated: moment };
  const trigger = { name: name('trigger'), type: 'manual', enabled: false, created: moment };
  const automation = { name: name('automation'), created: moment, triggers: [trigger] };
  const project = {
    name: name('project'),
    created: moment,
    components: [
      { iid: 1, type: 'mopCommandTemplate', document: { ...mop(name('mop')), created: iso } },
      { iid: 2, type: 'jsonForm', document: { ...form, name: name('part') } },
    ],
  };
  const tree = {
    name: name('tree'),
    deviceType: 'cisco-ios',
    version: 'initial',
    created: moment,
    createdBy: { ...author, _id: 'a1' },
    lastUpdatedBy: author,
    root: {
      name: 'base',
      attributes: { export: { template: 'ntp', lines: [], createdBy: author } },
      children: [],
    },
  };
  const bodies: [string, string, object][] = [
    ['POST', '/configuration_manager/import/goldenconfigs', { trees: [{ data: [tree] }] }],
    ['POST', '/json-forms/import/forms', { forms: [form] }],
    ['POST', '/transformations/import', transformation],
    ['POST', '/workflow_builder/import', { workflow: flow }],
    ['PUT', '/operations-manager/automations', { automations: [automation] }],
    ['POST', '/automation-studio/projects/import', { project }],
  ];
  for (const [method, path, body] of bodies) {
    const { status, text } = await send('admin', method, path, body);
    expect(status, `${path} ${text}`).toBe(200);
  }
  const times = { created: iso };
  expect(await storedIn('forms', form.name)).toMatchObject({ ...times, lastUpdated: iso });
  expect(await storedIn('transformations', transformation.name)).toMatchObject(times);
  expect(await storedIn('workflows', flow.name)).toMatchObject({ ...times, last_updated: iso });
  expect(await storedIn('automations', automation.name)).toMatchObject(times);
  expect(await storedIn('triggers', trigger.name)).toMatchObject(times);
  expect(await storedIn('projects', project.name)).toMatchObject(times);
  const stored = await storedIn('golden_trees', tree.name);
  expect(stored).toMatchObject({ ...times, createdBy: 'a1', lastUpdatedBy: author.username });
  // Other times mean something, and are never reinterpreted.
  const backup = { name: 'edge-1', rawConfig: 'hostname x', date: moment };
  const rejected = await send('admin', 'POST', '/configuration_manager/import/backups', {
    backups: [backup],
  });
  expect(rejected.status).toBe(400);
});
