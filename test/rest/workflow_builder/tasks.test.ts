import { expect, test } from 'vitest';
import { openService } from '../../helpers/service.ts';

const { send } = await openService();
type Shown = {
  name: string;
  app: string;
  type: string;
  view?: string;
  variables: {
    incoming: Record<string, { required?: boolean; schema?: object }>;
    outgoing: Record<string, object>;
  };
};
const get = async <Body>(path: string) => (await send(['admin', 'engineering'], 'GET', path)).json as Body;

test('the canvas is shown every task that this platform brings, each once, with its inputs and outputs', async () => {
  const tasks = await get<Shown[]>('/workflow_builder/tasks/list');
  const keys = tasks.map(({ app, name }) => `${app}.${name}`);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).toEqual(
    expect.arrayContaining([
      'WorkFlowEngine.evaluation',
      'WorkFlowEngine.ViewData',
      'WorkFlowEngine.transformation',
      'WorkFlowEngine.query',
      'WorkFlowEngine.childJob',
      'WorkFlowEngine.stub',
      'WorkFlowEngine.merge',
      'WorkFlowEngine.newVariable',
      'WorkFlowEngine.delay',
      'WorkFlowEngine.makeData',
      'WorkFlowEngine.forEach',
      'MOP.reattempt',
      'MOP.RunCommandTemplate',
      'TemplateBuilder.renderJinjaTemplate',
      'JsonForms.ShowJSONForm',
      'OrchestratorManager.restAction',
    ]),
  );
  const query = tasks.find(({ name }) => name === 'query');
  expect(query).toMatchObject({
    location: 'Application',
    locationType: null,
    type: 'operation',
    deprecated: false,
    variables: { incoming: { obj: { type: 'object', required: true } }, outgoing: { return_data: {} } },
  });
  for (const { name, type, view } of tasks) expect(view !== undefined, name).toBe(type === 'manual');
});

test.each([
  ['admin', [], []],
  [
    'engineering',
    ['MOP.RunCommand', 'TemplateBuilder.parseTemplate', 'WorkFlowEngine.query'],
    ['AutomationGateway.sendCommand', 'OrchestratorManager.restAction', 'ConfigurationManager.backUpDevice'],
  ],
  [
    'designer',
    ['MOP.listATemplate', 'MOP.viewTemplateResults', 'JsonForms.ShowJSONForm'],
    ['MOP.RunCommand', 'AutomationGateway.sendCommand'],
  ],
  ['support', ['WorkFlowEngine.childJob'], ['MOP.listATemplate', 'MOP.RunCommandTemplate']],
] as const)('%s is shown the tasks that the role allows', async (role, shown, hidden) => {
  const all = await get<Shown[]>('/workflow_builder/tasks/list');
  const mine = (await send(role, 'GET', '/workflow_builder/tasks/list')).json as Shown[];
  const keys = mine.map(({ app, name }) => `${app}.${name}`);
  expect(keys).toEqual(expect.arrayContaining([...shown]));
  for (const key of hidden) {
    expect(keys).not.toContain(key);
    expect(all.map(({ app, name }) => `${app}.${name}`)).toContain(key);
  }
  if (role === 'admin') expect(mine).toEqual(all);
});

test('the names of applications are spelled alike everywhere', async () => {
  const tasks = await get<Shown[]>('/workflow_builder/tasks/list');
  const apps = await get<{ name: string; type: string }[]>('/automation-studio/apps/list');
  expect(new Set(tasks.map(({ app }) => app))).toEqual(new Set(apps.map(({ name }) => name)));
  expect(apps.every(({ type }) => type === 'Application')).toBe(true);
  for (const { app, name } of tasks) {
    expect((await send('support', 'GET', `/workflow_builder/getTaskDetails/${app}/${name}`)).status).toBe(
      200,
    );
  }
});

test('one task is returned with the schema of each variable, by either path; several in the requested order', async () => {
  const one = await get<Shown>('/workflow_builder/getTaskDetails/WorkFlowEngine/query');
  expect(one.variables.incoming.obj?.schema).toMatchObject({ title: 'obj', type: 'object' });
  const path = '/automation-studio/locations/Application/packages/WorkFlowEngine/tasks/query';
  expect(await get(`${path}?dereferenceSchemas=true`)).toEqual(one);
  const inputsArray = [
    { location: 'Application', pckg: 'MOP', method: 'none' },
    { location: 'Application', pckg: 'WorkFlowEngine', method: 'query' },
    { location: 'Adapter', pckg: 'WorkFlowEngine', method: 'query' },
  ];
  const several = await send('designer', 'POST', '/automation-studio/multipleTaskDetails', { inputsArray });
  expect(several.json).toEqual([null, one, null]);
  const details = '/workflow_builder/getTaskDetails/WorkFlowEngine/query?dereferenceSchemas=false';
  expect(await get(details)).toEqual(one);
  const asQuery = '/automation-studio/multipleTaskDetails?dereferenceSchemas=true';
  expect((await send('designer', 'POST', asQuery, { inputsArray })).json).toEqual([null, one, null]);
  // Nothing else may be there.
  expect((await send('designer', 'POST', `${asQuery}&inputsArray=x`, { inputsArray })).status).toBe(400);
  expect((await send('designer', 'POST', asQuery.replace('true', 'maybe'), { inputsArray })).status).toBe(
    400,
  );
});

test.each([
  ['GET', '/workflow_builder/getTaskDetails/WorkFlowEngine/none', 404],
  ['GET', '/workflow_builder/getTaskDetails/constructor/toString', 404],
  ['GET', '/automation-studio/locations/Adapter/packages/WorkFlowEngine/tasks/query', 404],
  [
    'GET',
    '/automation-studio/locations/Application/packages/WorkFlowEngine/tasks/query?dereferenceSchemas=maybe',
    400,
  ],
  ['POST', '/automation-studio/multipleTaskDetails', 400],
])('%s %s answers %i', async (method, path, status) => {
  expect((await send('admin', method, path, method === 'POST' ? {} : undefined)).status).toBe(status);
});
