import { beforeAll, describe, expect, test } from 'vitest';
import type { Project } from '#db/schemas/assets/project.ts';
import type { Job } from '#db/schemas/workflow/job.ts';
import type { Task } from '#db/schemas/workflow/task.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { asset } from '../../helpers/documents/assets.ts';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { sampled } from '../../helpers/long.ts';
import { createPerson, sendAs, signIn, until } from '../../helpers/people.ts';
import { runs, task, view, workflowOf } from '../../helpers/workflows.ts';

type Json = Record<string, unknown>;
type Member = 'owner' | 'editor' | 'operator' | 'viewer' | 'outsider';

const EXECUTING: readonly Member[] = ['owner', 'editor', 'operator'];
const REFUSED: readonly Member[] = ['viewer', 'outsider'];
const MEMBERS = [...EXECUTING, ...REFUSED];
const READ_ONLY = 'Project Secret allows you to read but not to execute';

const service = await openJobs();
const tokens = new Map<Member, string>();
const references: Record<string, string> = {};
/** Scoped names of the project's workflows. */
let projectId = '';
let counter = 0;

const make = async <Body = Json>(method: string, path: string, body: unknown): Promise<Body> => {
  const answer = await service.send('admin', method, path, body);
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer.json as Body;
};

const send = (member: Member, method: string, path: string, body?: unknown) =>
  sendAs(service, tokens.get(member) ?? '', method, path, body);

const scoped = (name: string) => `@${projectId}: ${name}`;

beforeAll(async () => {
  const mop = (name: string, more: Json) => ({ ...asset('mopCommandTemplate', name), ...more });
  await make('POST', '/mop/createTemplate', { mop: mop('Look', {}) });
  await make('POST', '/mop/createAnalyticTemplate', { template: { name: 'Same', prepostCommands: [] } });
  const jinja = await make<{ created: { _id: string } }>('POST', '/automation-studio/templates', {
    template: asset('template', 'Port', { template: 'port' }),
  });
  const words = await make<{ created: { _id: string } }>('POST', '/automation-studio/templates', {
    template: asset('template', 'Words', {
      type: 'textfsm',
      template: 'Value WORD (.)\n\nStart\n  ^$$ -> Next\n',
    }),
  });
  const transformation = await make<{ _id: string }>(
    'POST',
    '/transformations',
    asset('transformation', 'Nothing'),
  );
  const form = await make<{ doc: { _id: string } }>('POST', '/json-forms/forms', asset('jsonForm', 'Site'));
  const child = await service.store(workflowOf('Child'));
  const waiting = await service.store(workflowOf('Waiting', { a: view() }));
  const failing = await service.store(workflowOf('Failing', { a: task('parse', { text: '{' }), b: view() }));
  const components = [
    { type: 'workflow', reference: child._id },
    { type: 'workflow', reference: waiting._id },
    { type: 'workflow', reference: failing._id },
    { type: 'template', reference: jinja.created._id },
    { type: 'template', reference: words.created._id },
    { type: 'transformation', reference: transformation._id },
    { type: 'jsonForm', reference: form.doc._id },
    { type: 'mopCommandTemplate', reference: 'Look' },
    { type: 'mopAnalyticTemplate', reference: 'Same' },
  ];
  const { data } = await make<{ data: Project }>('POST', '/automation-studio/projects', { name: 'Secret' });
  projectId = data._id;
  const added = await make<{ data: Project }>(
    'POST',
    `/automation-studio/projects/${projectId}/components/add`,
    {
      components,
      mode: 'move',
    },
  );
  for (const { name = '', reference } of added.data.components ?? []) {
    references[name.replace(`@${projectId}: `, '')] = reference;
  }
  const members: Json[] = data.members ?? [];
  for (const member of MEMBERS) {
    // Every role but admin: only the membership can refuse.
    const roles = ['apiread', 'apiwrite', 'designer', 'engineering', 'support', 'other'];
    const person = await createPerson(service, roles);
    tokens.set(member, await signIn(service, person));
    if (member !== 'outsider') members.push({ type: 'account', reference: person.id, role: member });
  }
  await make('PATCH', `/automation-studio/projects/${projectId}`, { members });
});

/** Starts a global workflow of these tasks for a member, and waits until it has come to rest. */
async function jobOf(
  member: Member,
  tasks: Record<string, Task>,
  more: Partial<Workflow> = {},
): Promise<Job> {
  const { name } = await service.store(workflowOf(`Uses ${++counter}`, tasks, more));
  const answer = await send(member, 'POST', '/operations-manager/jobs/start', { workflow: name });
  expect(answer.status, answer.text).toBe(200);
  const { _id } = (answer.json as { data: Job }).data;
  const isWaiting = (job: Job) =>
    Object.values(job.tasks).some((one) => one.type === 'manual' && one.status === 'running');
  return service.until(_id, (job) => job.status !== 'running' || isWaiting(job), 20);
}

const reportedIn = ({ error }: Job) => String(error?.[0]?.message ?? '');
const of = (app: string, name: string, incoming: Json) =>
  task(name, incoming, {}, { app, type: 'automatic' });

/** What uses a component, when it is done, and the name by which it is reported to an outsider. */
const USES: Record<string, { tasks: () => Record<string, Task>; called: () => string }> = {
  'a child workflow': { tasks: () => ({ a: runs(scoped('Child')) }), called: () => scoped('Child') },
  'a child workflow for each element': {
    tasks: () => ({
      a: task('childJob', {
        ...{ task: '', workflow: scoped('Child'), variables: {}, transformation: '' },
        ...{ data_array: [{}, {}], loopType: 'parallel' },
      }),
    }),
    called: () => scoped('Child'),
  },
  'a transformation': {
    tasks: () => ({ a: task('transformation', { tr_id: references.Nothing, variableMap: {}, options: {} }) }),
    called: () => references.Nothing ?? '',
  },
  'a transformation that is known only when the job runs': {
    tasks: () => ({
      a: task('newVariable', { name: 'id', value: references.Nothing }),
      b: task('transformation', { tr_id: '$var.job.id', variableMap: {}, options: {} }),
    }),
    called: () => references.Nothing ?? '',
  },
  'a Jinja template': {
    tasks: () => ({ a: of('TemplateBuilder', 'renderJinjaTemplate', { name: scoped('Port'), context: {} }) }),
    called: () => scoped('Port'),
  },
  'a Jinja template to fill': {
    tasks: () => ({ a: of('TemplateBuilder', 'applyTemplate', { name: scoped('Port'), variables: {} }) }),
    called: () => scoped('Port'),
  },
  'a text template': {
    tasks: () => ({ a: of('TemplateBuilder', 'parseTemplate', { name: scoped('Words'), text: 'x' }) }),
    called: () => scoped('Words'),
  },
  'a form': {
    tasks: () => ({
      a: task(
        'ShowJSONForm',
        { formId: references.Site, formData: {} },
        {},
        { app: 'JsonForms', type: 'manual' },
      ),
    }),
    called: () => references.Site ?? '',
  },
  'an analytic template': {
    tasks: () => {
      const run = { commands_results: [] };
      return {
        a: of('MOP', 'runAnalyticsTemplate', { pre: run, post: run, analytic_template_name: scoped('Same') }),
      };
    },
    called: () => scoped('Same'),
  },
};

describe.each(Object.entries(USES))('%s of a project', (_, { tasks, called }) => {
  test.each(sampled(EXECUTING, 1))('is used in the job of its %s', async (member) => {
    const job = await jobOf(member, tasks());
    expect(reportedIn(job)).toBe('');
    expect(['complete', 'running']).toContain(job.status);
  });

  test('is denied in the job of its viewer, naming the project', async () => {
    const job = await jobOf('viewer', tasks());
    expect(job.status).toBe('error');
    expect(reportedIn(job)).toBe(READ_ONLY);
  });

  test('does not exist for the job of an outsider', async () => {
    const job = await jobOf('outsider', tasks());
    expect(job.status).toBe('error');
    expect(reportedIn(job)).toMatch(/does not exist$/);
    expect(reportedIn(job)).toContain(called());
  });
});

test('a command template of a project is run for its operator and denied to its viewer', async () => {
  const runsIt = () => ({
    a: of('MOP', 'RunCommandTemplate', { template: scoped('Look'), devices: ['edge-0'] }),
  });
  // No such device: it got as far as that.
  expect(reportedIn(await jobOf('operator', runsIt()))).toContain('edge-0');
  expect(reportedIn(await jobOf('viewer', runsIt()))).toBe(READ_ONLY);
});

test('a command template is read in the job of a viewer, as its endpoint lets him', async () => {
  const reads = () => ({ a: of('MOP', 'listATemplate', { name: scoped('Look') }) });
  expect((await jobOf('viewer', reads())).status).toBe('complete');
  expect(reportedIn(await jobOf('outsider', reads()))).toBe('Could not find matching template');
});

test('a child workflow is named by a text: a list of its name runs nothing for anybody', async () => {
  const made = () => ({
    a: task('newVariable', { name: 'names', value: [scoped('Child')] }, { value: null }),
    b: task('childJob', {
      ...{ task: '', variables: {}, data_array: '', transformation: '', loopType: '' },
      workflow: '$var.job.names',
    }),
  });
  for (const member of ['viewer', 'operator'] as const) {
    const refused = await jobOf(member, made());
    expect(refused.status).toBe('error');
    expect(reportedIn(refused)).toContain('workflow must be the name of a workflow');
    const children = await service.done<Job[]>('GET', `/jobs?equals[parent.job]=${refused._id}`);
    expect(children).toEqual([]);
  }
});

test('a transformation of a project makes no variables of child jobs for a viewer', async () => {
  await service.store(workflowOf('Open child'));
  const made = () => ({
    a: task('childJob', {
      ...{ task: '', workflow: 'Open child', variables: {}, data_array: [{}], loopType: 'sequential' },
      transformation: references.Nothing,
    }),
  });
  expect((await jobOf('operator', made())).status).toBe('complete');
  expect(reportedIn(await jobOf('viewer', made()))).toBe(READ_ONLY);
});

test('an error handler of a project runs only where the account of the job has execute', async () => {
  const failing = (member: Member) =>
    jobOf(
      member,
      { a: task('parse', { text: '{' }) },
      { errorHandler: { type: 'workflow', name: scoped('Child') } },
    );
  const handledBy = async (job: Job) => {
    const query = `equals[name]=${encodeURIComponent(scoped('Child'))}&limit=1000`;
    const all = await service.done<Job[]>('GET', `/jobs?${query}`);
    return all.some(({ parent }) => parent?.job === job._id);
  };
  const refused = await failing('viewer');
  const reported = await service.until(refused._id, ({ error }) => (error ?? []).length > 1);
  expect(reported.error?.map(({ message }) => message)).toContain(READ_ONLY);
  expect(await handledBy(refused)).toBe(false);
  const handled = await failing('operator');
  await until(() => handledBy(handled));
});

describe('automations', () => {
  const bind = (member: Member, componentId: string | null) =>
    send(member, 'POST', '/operations-manager/automations', {
      name: `Automation ${++counter}`,
      componentType: 'workflows',
      componentId,
    });
  const idOf = (json: unknown) => (json as { data: { _id: string } }).data._id;

  test.each(MEMBERS)('are bound, changed, imported and cloned only with execute: %s', async (member) => {
    const mine = EXECUTING.includes(member);
    const child = references.Child ?? '';
    const created = await bind(member, child);
    expect(created.status, created.text).toBe(mine ? 200 : member === 'viewer' ? 403 : 400);

    const unbound = idOf((await bind(member, null)).json);
    const changed = await send(member, 'PATCH', `/operations-manager/automations/${unbound}`, {
      componentId: child,
    });
    expect(changed.status, changed.text).toBe(mine ? 200 : member === 'viewer' ? 403 : 400);

    const imported = await send(member, 'PUT', '/operations-manager/automations', {
      automations: [
        { name: `Imported ${++counter}`, componentType: 'workflows', componentName: scoped('Child') },
      ],
    });
    const [result] = (imported.json as { data: { success: boolean }[] }).data;
    expect(result?.success, imported.text).toBe(mine);

    const { data } = await make<{ data: { _id: string } }>('POST', '/operations-manager/automations', {
      name: `Bound ${++counter}`,
      componentType: 'workflows',
      componentId: child,
    });
    const cloned = await send(member, 'POST', '/operations-manager/automations/clone', {
      automation: { id: data._id },
    });
    expect(cloned.status, cloned.text).toBe(mine ? 200 : member === 'viewer' ? 403 : 404);
  });

  test.each(MEMBERS)('are run by hand, by endpoint and by schedule only with execute: %s', async (member) => {
    const mine = EXECUTING.includes(member);
    const { data } = await make<{ data: { _id: string } }>('POST', '/operations-manager/automations', {
      name: `Run ${++counter}`,
      componentType: 'workflows',
      componentId: references.Child,
    });
    const routeName = `route-${++counter}`;
    const trigger = async (more: Json) =>
      (
        await make<{ data: { _id: string } }>('POST', '/operations-manager/triggers', {
          name: `Trigger ${++counter}`,
          actionId: data._id,
          enabled: true,
          ...more,
        })
      ).data._id;
    const manual = await trigger({ type: 'manual' });
    await trigger({ type: 'endpoint', verb: 'POST', routeName, schema: { type: 'object' } });
    const schedule = await trigger({ type: 'schedule', firstRunAt: Date.now() + 86_400_000 });
    const answers = [
      await send(member, 'POST', `/operations-manager/triggers/manual/${manual}/run`, { formData: {} }),
      await send(member, 'POST', `/operations-manager/triggers/endpoint/${routeName}`, {}),
      await send(member, 'POST', `/operations-manager/triggers/schedule/${schedule}/run`),
    ];
    const status = mine ? 200 : member === 'viewer' ? 403 : 404;
    expect(
      answers.map((one) => one.status),
      answers.map((one) => one.text).join(),
    ).toEqual([status, status, status]);
  });

  test.each(MEMBERS)('take forms and transformations of a project only with execute: %s', async (member) => {
    const mine = EXECUTING.includes(member);
    const actionId = idOf((await bind(member, null)).json);
    const create = (more: Json) =>
      send(member, 'POST', '/operations-manager/triggers', {
        name: `T ${++counter}`,
        actionId,
        enabled: true,
        ...more,
      });
    const answers = [
      await create({ type: 'manual', formId: references.Site }),
      await create({
        ...{ type: 'endpoint', verb: 'POST', routeName: `route-${++counter}`, schema: { type: 'object' } },
        jst: references.Nothing,
      }),
    ];
    const status = mine ? 200 : member === 'viewer' ? 403 : 422;
    expect(
      answers.map((one) => one.status),
      answers.map((one) => one.text).join(),
    ).toEqual([status, status]);
  });
});

describe('jobs of a project', () => {
  const started = async (workflow: string) =>
    (await service.done<Job>('POST', '/jobs/start', { workflow: scoped(workflow) }))._id;
  const at = (path: string) => `/operations-manager${path}`;

  test.each(REFUSED)(
    'are not paused, resumed, canceled, retried, continued or reverted by a %s',
    async (member) => {
      const waiting = await started('Waiting');
      await service.taskComes(waiting, 'a', 'running');
      const failing = await started('Failing');
      await service.comes(failing, 'error');
      for (const verb of ['pause', 'resume', 'cancel']) {
        const answer = await send(member, 'POST', at(`/jobs/${verb}`), { jobIds: [waiting] });
        expect(answer.status).toBe(500);
        expect(answer.text).toContain(member === 'viewer' ? READ_ONLY : 'does not exist');
      }
      const status = member === 'viewer' ? 403 : 404;
      const calls: [string, Json][] = [
        [`/jobs/${failing}/tasks/a/retry`, {}],
        [`/jobs/${failing}/continue`, { fromTask: 'b' }],
        [`/jobs/${waiting}/revert`, { fromTask: 'a', toTask: 'workflow_start' }],
      ];
      for (const [path, body] of calls) {
        const answer = await send(member, 'POST', at(path), body);
        expect(answer.status, `${path} ${answer.text}`).toBe(status);
      }
      expect((await service.job(waiting)).status).toBe('running');
      expect((await service.job(failing)).status).toBe('error');
    },
  );

  test('are paused, resumed, retried, continued and canceled by an operator', async () => {
    const waiting = await started('Waiting');
    await service.taskComes(waiting, 'a', 'running');
    for (const verb of ['pause', 'resume', 'cancel']) {
      const answer = await send('operator', 'POST', at(`/jobs/${verb}`), { jobIds: [waiting] });
      expect(answer.status, answer.text).toBe(200);
    }
    const failing = await started('Failing');
    await service.comes(failing, 'error');
    const retried = await send('operator', 'POST', at(`/jobs/${failing}/tasks/a/retry`), {});
    expect(retried.status, retried.text).toBe(200);
    await service.until(failing, ({ tasks }) => tasks.a?.status === 'error');
    const continued = await send('operator', 'POST', at(`/jobs/${failing}/continue`), { fromTask: 'b' });
    expect(continued.status, continued.text).toBe(200);
  });

  test('are deleted only with execute by whoever holds the permission', async () => {
    const over = await started('Child');
    await service.comes(over, 'complete');
    const { data } = await make<{ data: { _id: string } }>('POST', '/authorization/roles', {
      role: {
        name: 'job deleter',
        allowedMethods: [{ provenance: 'OperationsManager', name: 'deleteJobs' }],
        allowedViews: [],
      },
    });
    const deleter = await createPerson(service, [], { assignedRoles: [{ roleId: data._id }] });
    const token = await signIn(service, deleter);
    const deletes = () => sendAs(service, token, 'POST', at('/jobs/delete'), { jobIds: [over] });
    const path = `/automation-studio/projects/${projectId}`;
    const project = (await make<{ data: Project }>('GET', path, undefined)).data;
    const others = (project.members ?? []).map(({ type, reference, role }) => ({ type, reference, role }));
    const become = (role: string) =>
      make('PATCH', path, { members: [...others, { type: 'account', reference: deleter.id, role }] });
    await become('viewer');
    const refused = await deletes();
    expect(refused.status, refused.text).toBe(403);
    expect(refused.text).toContain(READ_ONLY);
    await become('operator');
    expect((await deletes()).status).toBe(200);
  });
});

test('a workflow’s author is warned of roles and components that his own jobs would be denied', async () => {
  const workflow = workflowOf('Warned', {
    a: of('AutomationGateway', 'sendCommand', { host: 'edge-1', commands: ['show version'] }),
    b: runs(scoped('Child')),
    c: task('transformation', { tr_id: references.Nothing, variableMap: {}, options: {} }),
    d: task('restCall', { method: 'GET', url: 'https://example.net' }),
  });
  const warnings = async (answer: { json: unknown }) =>
    (answer.json as { warnings: { task: string; message: string }[] }).warnings
      .filter(({ message }) => message.includes('your account'))
      .map(({ task: id, message }) => `${id} ${message}`);
  const validate = (member: Member) =>
    send(member, 'POST', '/automation-studio/workflows/validate', { workflow });
  expect(await warnings(await validate('viewer'))).toEqual([
    'a name: your account may not use sendCommand: Needs one of the roles: admin',
    `b variables.incoming.workflow: your account may not use ${scoped('Child')}: ${READ_ONLY}`,
    `c variables.incoming.tr_id: your account may not use ${references.Nothing}: ${READ_ONLY}`,
  ]);
  expect(await warnings(await validate('editor'))).toEqual([
    'a name: your account may not use sendCommand: Needs one of the roles: admin',
  ]);
  const validated = { workflow };
  const as = (role: 'admin' | 'designer') =>
    service.send(role, 'POST', '/automation-studio/workflows/validate', validated);
  expect(await warnings(await as('admin'))).toEqual([]);
  expect(await warnings(await as('designer'))).toContain(
    'd name: your account may not use restCall: Needs one of the roles: admin, apiwrite, engineering',
  );
});
