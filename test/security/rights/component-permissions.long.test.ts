import { describe, expect, test } from 'vitest';
import type { Job } from '#db/schemas/workflow/job.ts';
import type { Task } from '#db/schemas/workflow/task.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { EXECUTING, type Member, openProjectMembers, READ_ONLY } from '../../helpers/jobs/project-members.ts';
import { until } from '../../helpers/people.ts';
import { runs, task, workflowOf } from '../../helpers/workflows.ts';

type Json = Record<string, unknown>;

const { service, references, next, send, scoped } = await openProjectMembers();

/** Starts a global workflow of these tasks for a member, and waits until it has come to rest. */
async function jobOf(
  member: Member,
  tasks: Record<string, Task>,
  more: Partial<Workflow> = {},
): Promise<Job> {
  const { name } = await service.store(workflowOf(`Uses ${next()}`, tasks, more));
  const answer = await send(member, 'POST', '/operations-manager/jobs/start', { workflow: name });
  expect(answer.status, answer.text).toBe(200);
  const { _id } = (answer.json as { data: Job }).data;
  const isWaiting = (job: Job) =>
    Object.values(job.tasks).some((one) => one.type === 'manual' && one.status === 'running');
  return service.until(_id, (job) => job.status !== 'running' || isWaiting(job));
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
  test.each(EXECUTING)('is used in the job of its %s', async (member) => {
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
    const rejected = await jobOf(member, made());
    expect(rejected.status).toBe('error');
    expect(reportedIn(rejected)).toContain('workflow must be the name of a workflow');
    const children = await service.done<Job[]>('GET', `/jobs?equals[parent.job]=${rejected._id}`);
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
  const rejected = await failing('viewer');
  const reported = await service.until(rejected._id, ({ error }) => (error ?? []).length > 1);
  expect(reported.error?.map(({ message }) => message)).toContain(READ_ONLY);
  expect(await handledBy(rejected)).toBe(false);
  const handled = await failing('operator');
  await until(() => handledBy(handled));
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
