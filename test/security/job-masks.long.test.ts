import { afterAll, expect, test } from 'vitest';
import { addEdge } from '../helpers/devices/job-device.ts';
import { openActing } from '../helpers/jobs/acting.ts';
import { until } from '../helpers/people.ts';
import { task, workflowOf } from '../helpers/workflows.ts';

const service = await openActing();
const { send, store, over, actor } = service;

await addEdge(service, { version: 'snmp-server community Lantern2 RO' });

const done = async (method: string, path: string, body: unknown) => {
  const answer = await send('admin', method, path, body);
  expect(answer.status, answer.text).toBe(200);
};
const decide = (configurationSecrets: string) =>
  done('PUT', '/authorization/access_default', { unlisted: 'readers', configurationSecrets });
afterAll(() => decide('shown'));

/** It takes the second part of what a device answers, which no mask recognises by the words before it. */
const takesApart = await store(
  workflowOf('Takes a secret apart', {
    a: task(
      'RunCommand',
      { command: 'show version', device: 'edge-1', variables: {} },
      { result: '$var.job.answered' },
      { app: 'MOP', type: 'automatic' },
    ),
    b: task('stringify', { obj: '$var.a.result' }, { stringifiedObject: null }),
    c: task(
      'split',
      { str: '$var.b.stringifiedObject', separator: 'community ' },
      { splitArray: '$var.job.parts' },
    ),
  }),
);

test('a job of an account that reads masks holds masks, so that no task can take a secret apart', async () => {
  const operator = await actor(['engineering', 'apiread']);
  const run = async () => {
    const job = await operator.done<{ _id: string }>('POST', '/operations-manager/jobs/start', {
      workflow: takesApart.name,
    });
    const ended = await over(job._id);
    expect(ended.status, JSON.stringify(ended.error)).toBe('complete');
    return (await operator.send('GET', `/operations-manager/jobs/${job._id}`)).text;
  };
  expect(await run()).toContain('Lantern2');
  await decide('masked');
  const seen = await run();
  expect(seen).not.toContain('Lantern2');
  expect(seen).toContain('snmp-server community ********');
});

test('a list that a task reads does not sort by secrets that its account may not read', async () => {
  for (const letter of ['m', 'a', 'z']) {
    const options = { description: `password ${letter}` };
    await done('POST', '/configuration_manager/compliance_plans', { name: `Sorted ${letter}`, options });
  }
  const sorting = task(
    'searchCompliancePlans',
    { name: 'Sorted', options: '$var.job.options' },
    { compliancePlans: '$var.job.found' },
    { app: 'ConfigurationManager', type: 'automatic' },
  );
  const workflow = await store(workflowOf('Sorts plans', { a: sorting }));
  const operator = await actor(['engineering', 'apiread']);
  const names = async (order: 1 | -1) => {
    const job = await operator.done<{ _id: string }>('POST', '/operations-manager/jobs/start', {
      workflow: workflow.name,
      options: { variables: { options: { sort: 'description', order } } },
    });
    const ended = await over(job._id);
    expect(ended.status, JSON.stringify(ended.error)).toBe('complete');
    const { found = { plans: [] } } = ended.variables as { found?: { plans: { name: string }[] } };
    return found.plans.map(({ name }) => name);
  };
  await decide('shown');
  expect(await names(-1)).toEqual(['Sorted z', 'Sorted m', 'Sorted a']);
  await decide('masked');
  expect(await names(1)).toEqual(await names(-1));
});

test('the rules of a command template are about what its runner reads', async () => {
  const rules = [{ rule: 'community Lantern2', eval: 'contains' }];
  const mop = {
    name: 'Guess',
    passRule: true,
    commands: [{ command: 'show version', passRule: true, rules }],
  };
  await done('POST', '/mop/createTemplate', { mop });
  const operator = await actor(['engineering']);
  const run = { template: 'Guess', devices: ['edge-1'], variables: {} };
  const verdict = async () => (await operator.send('POST', '/mop/RunCommandTemplate', run)).json;
  await decide('shown');
  expect(await verdict()).toMatchObject({ result: true });
  await decide('masked');
  expect(await verdict()).toMatchObject({
    result: false,
    commands_results: [{ response: expect.stringContaining('community ********') }],
  });
});

test('a Git run of an account that reads masks leaves documents with configurations alone', async () => {
  await decide('masked');
  const methods = ['createRemote', 'push', 'pull', 'getRun'].map((name) => ({ name, provenance: 'Git' }));
  await done('POST', '/authorization/roles', {
    role: { name: 'git operator', allowedMethods: methods, allowedViews: [] },
  });
  const operator = await actor(['git operator', 'apiread', 'apiwrite', 'designer']);
  const remote = { name: 'Copies', url: 'http://127.0.0.1:9/copies.git', branch: 'main', direction: 'both' };
  const created = await operator.send('POST', '/git/remotes', {
    remote: { ...remote, kinds: ['deviceBackups'] },
  });
  expect(created.status, created.text).toBe(200);
  const { _id } = (created.json as { data: { _id: string } }).data;
  for (const action of ['push', 'pull']) {
    const started = await operator.send('POST', `/git/remotes/${_id}/${action}`, {});
    expect(started.status, started.text).toBe(200);
    const { runId } = started.json as { runId: string };
    const read = async () => (await operator.send('GET', `/git/runs/${runId}`)).json as { status: string };
    await until(async () => (await read()).status !== 'running');
    expect(await read()).toMatchObject({
      status: 'error',
      error: expect.stringContaining('ConfigurationManager.getBackupWithSecrets'),
    });
  }
});
