import { expect, test } from 'vitest';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { done, worldOf } from '../../helpers/jobs/task-runs.ts';
import { task, workflowOf } from '../../helpers/workflows.ts';

type Json = Record<string, unknown>;

const service = await openJobs();
const { caller } = await service.callerWith('admin');
const world = worldOf(service, caller.id);
const get = (internalURL: unknown, as = world) =>
  done('AppArtifacts', 'gatherInternalGET', { internalURL }, as);
const discover = (entryPoint: unknown) => done('AppArtifacts', 'componentDiscovery', { entryPoint }, world);

test('an endpoint that reads answers as it does over HTTP, for one URL or several', async () => {
  const path = '/prebuilts?&skip=0&order=1&sort=name&contains=none&containsField=name';
  const direct = await service.send('admin', 'GET', path);
  const one = await get([path]);
  expect(one).toEqual({ finish: 'success', outgoing: { responseBody: direct.json } });
  const { outgoing } = await get(['/automationgateway/cli/device_types?limit=2', '/authorization/groups']);
  expect(outgoing.responseBody).toMatchObject([{ results: [{}, {}] }, { results: expect.any(Array) }]);
});

test('the account of the job needs the rights of the endpoint, and secrets are masked as for everybody', async () => {
  await service.send('admin', 'POST', '/automationgateway/inventory/cli', {
    host: {
      name: 'edge-1',
      host: '192.0.2.1',
      device_type: 'cisco_ios',
      username: 'a',
      password: 'Lantern-9',
    },
  });
  const found = await get('/automationgateway/inventory/cli/edge-1');
  expect(found.outgoing.responseBody).toMatchObject({ name: 'edge-1', password: '********' });
  const support = worldOf(service, (await service.callerWith('support')).caller.id);
  const denied = await get('/automationgateway/inventory/cli/edge-1', support);
  expect(denied).toMatchObject({ finish: 'error', error: { code: 'FORBIDDEN' } });
});

test.each<[unknown, string]>([
  ['/nowhere', 'Endpoint GET /nowhere does not exist'],
  ['/operations-manager/jobs/start', 'does not exist'],
  ['/events', 'does not exist'],
  ['http://192.0.2.1/prebuilts', 'internalURL must be a path of this platform'],
  ['//example.net/prebuilts', 'internalURL must be a path of this platform'],
  [[], 'internalURL must be 1 to 100 URLs'],
  ['/prebuilts?limit=x', 'limit'],
])('what cannot be read is an error that says so: %j', async (url, message) => {
  const { finish, error } = await get(url);
  expect(finish).toBe('error');
  expect(error?.message).toContain(message);
});

test('a job runs the task at once, although exports have it as a manual one', async () => {
  const incoming = { internalURL: ['/authorization/groups'] };
  await service.store(
    workflowOf('Read groups', {
      a: task(
        'gatherInternalGET',
        incoming,
        {},
        {
          app: 'AppArtifacts',
          location: 'Application',
          type: 'manual',
          view: '/app_artifacts/views/tasks/gatherInternalGET',
        },
      ),
    }),
  );
  const started = await service.start('Read groups');
  const job = await service.until(started._id, ({ status }) => status !== 'running');
  expect(job.status, JSON.stringify(job.error)).toBe('complete');
});

test('discovery finds what workflows use through others, each once, with the applications of their tasks', async () => {
  const made = await service.send('admin', 'POST', '/transformations', {
    name: 'Shape',
    incoming: [],
    outgoing: [],
    steps: [],
    functions: [],
    comments: [],
  });
  const { _id: shape } = made.json as { _id: string };
  const transformation = task('transformation', { tr_id: shape, variableMap: {}, options: {} });
  const childJob = (workflow: string) => task('childJob', { workflow, variables: {}, loopType: '' });
  await service.store(workflowOf('Child', { a: transformation }));
  await service.store(
    workflowOf('Parent', {
      a: childJob('Child'),
      b: transformation,
      c: childJob('Parent'),
      d: task('renderJinjaTemplate', { name: 'Gone', context: {} }, {}, { app: 'TemplateBuilder' }),
    }),
  );
  const { finish, outgoing } = await discover({ workflow: ['Parent'], operationsAutomation: null });
  expect(finish).toBe('success');
  const { componentMap, dependencies, invalidComponents } = outgoing.discovery as {
    componentMap: Record<string, Json[]>;
    dependencies: string[];
    invalidComponents: Json[];
  };
  const by = (name: string) => ({ name, type: 'workflow' });
  expect(componentMap.workflow).toMatchObject([
    { name: 'Parent', parent: [by('Parent')] },
    { name: 'Child', parent: [by('Parent')] },
  ]);
  expect(componentMap.transformation).toHaveLength(1);
  expect(componentMap.transformation?.[0]).toMatchObject({ id: shape, name: 'Shape' });
  expect(componentMap.transformation?.[0]?.parent).toEqual(
    expect.arrayContaining([by('Parent'), by('Child')]),
  );
  expect(componentMap['json-forms']).toEqual([]);
  expect(dependencies).toEqual(['TemplateBuilder', 'WorkFlowEngine']);
  expect(invalidComponents).toEqual([
    { type: 'template', component: { name: 'Gone', parent: [by('Parent')] } },
  ]);
  expect((await discover({ workflows: ['Parent'] })).error?.message).toBe(
    'entryPoint.workflows is no list of names of a known kind',
  );
});
