import { expect, test } from 'vitest';
import { issuePathsOf, rejectionOf, rolesThatMay } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { workflowEngine } = await service.as('admin');

const compare = (operand_1: unknown, operator: string, operand_2: unknown) => ({
  evaluations: [{ operand_1, operator, operand_2 }],
});

test('a new installation has both workers running, and reports that they were never set', async () => {
  const worker = { running: true, clusterValue: 'not defined', localValue: 'enabled' };
  expect(await workflowEngine.getWorkersStatus({})).toEqual({ jobWorker: worker, taskWorker: worker });
});

test('a worker is deactivated and activated separately; doing it twice changes nothing', async () => {
  const { deactivateJobWorker, activateJobWorker, deactivateTaskWorker, activateTaskWorker } = workflowEngine;
  expect(await deactivateJobWorker({})).toEqual({
    status: 'success',
    message: 'Successfully deactivated the job worker',
  });
  await deactivateJobWorker({});
  expect(await workflowEngine.getWorkersStatus({})).toMatchObject({
    jobWorker: { running: false, clusterValue: 'disabled' },
    taskWorker: { running: true, clusterValue: 'not defined' },
  });
  await activateJobWorker({});
  await deactivateTaskWorker({});
  expect(await workflowEngine.getWorkersStatus({})).toMatchObject({
    jobWorker: { running: true, clusterValue: 'enabled' },
    taskWorker: { running: false },
  });
  await activateTaskWorker({});
  expect((await workflowEngine.getWorkersStatus({})).taskWorker.running).toBe(true);
});

test('a query finds the value at a path, and null where nothing is', async () => {
  const obj = { interfaces: [{ name: 'Gi0/1' }] };
  expect(await workflowEngine.query({ query: 'interfaces[0].name', obj })).toEqual({ return_data: 'Gi0/1' });
  expect(await workflowEngine.query({ query: 'interfaces[1].name', obj })).toEqual({ return_data: null });
  expect(await rejectionOf(workflowEngine.query({ query: 'a[', obj }))).toMatchObject({
    code: 'BAD_REQUEST',
  });
});

test('groups of comparisons hold when one does, or on request when all do', async () => {
  const evaluation_groups = [compare(2, '>', 1), compare(1, '>', 2)];
  const one = await workflowEngine.runEvaluationGroups({ evaluation_groups });
  expect(one.return_value).toBe(true);
  expect(one.details).toEqual([
    [{ left: 2, operator: '>', right: 1, result: true }],
    [{ left: 1, operator: '>', right: 2, result: false }],
  ]);
  const all = await workflowEngine.runEvaluationGroups({ evaluation_groups, all_true_flag: true });
  expect(all.return_value).toBe(false);
});

test('metrics are empty before any job has run, and an unknown filter is rejected', async () => {
  expect(await workflowEngine.listJobMetrics({})).toEqual({ results: [], total: 0 });
  expect(await workflowEngine.listTaskMetrics({ queryOptions: { limit: 5 } })).toEqual({
    results: [],
    total: 0,
  });
  const wrong = { queryOptions: { equals: 'x', equalsField: 'nonsense' } };
  expect(await rejectionOf(workflowEngine.listJobMetrics(wrong))).toMatchObject({ code: 'BAD_REQUEST' });
  expect(await issuePathsOf(workflowEngine.getWorkersStatus({ x: 1 } as never))).toEqual(['x']);
});

test('operators see the workers, and only an admin deactivates them', async () => {
  expect(await rolesThatMay(service, (as) => as.workflowEngine.getWorkersStatus({}))).toEqual([
    'admin',
    'apiread',
    'engineering',
    'support',
  ]);
  expect(await rolesThatMay(service, (as) => as.workflowEngine.activateJobWorker({}))).toEqual(['admin']);
});
