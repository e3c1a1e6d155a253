import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { servedMeanwhile } from '../../helpers/http/meanwhile.ts';
import { unique } from '../../helpers/procedures.ts';
import { openService } from '../../helpers/service.ts';
import { variable, workflowOf } from '../../helpers/workflows.ts';

/** Answers are not held against their schemas, as in service. */
beforeAll(() => void vi.stubEnv('CHECK_ANSWERS', '0'));
afterAll(() => void vi.unstubAllEnvs());

const service = await openService();

const requested = (path: string, body: unknown) => servedMeanwhile(service, ['admin'], 'POST', path, body);

test('a workflow with many texts that name variables is validated and saved while others are served', async () => {
  const texts = Array.from({ length: 100_000 }, (_, at) => `$var.job.x${at}`);
  const workflow = workflowOf(unique('Many texts'), { a1: variable('y', texts) });
  const validated = await requested('/automation-studio/workflows/validate', { workflow });
  expect(validated.text).toContain('and 99000 more');
  const saved = await requested('/workflow_builder/workflows/save', { workflow });
  expect(saved.status).toBe(200);
  expect(saved.text).toContain('and 99000 more');
});

test('the findings of a large workflow are those of a small one, its author’s rights among them', async () => {
  const warnings = async (value: string) => {
    const workflow = workflowOf('Large', {
      a1: variable('y', value),
      a2: { name: 'sendCommand', app: 'AutomationGateway', type: 'automatic', variables: { incoming: {} } },
    });
    const { json } = await service.send(['support'], 'POST', '/automation-studio/workflows/validate', {
      workflow,
    });
    return json;
  };
  const small = await warnings('a');
  expect(small).toMatchObject({ errors: expect.arrayContaining([expect.objectContaining({ task: 'a2' })]) });
  expect(JSON.stringify(small)).toContain('your account may not use');
  expect(await warnings('a'.repeat(300_000))).toEqual(small);
});

test('a workflow of more tasks than a workflow may have is rejected, wherever it comes in', async () => {
  const tasks = Object.fromEntries(
    Array.from({ length: 5001 }, (_, at) => [at.toString(16), { name: 'newVariable' }]),
  );
  const workflow = { ...workflowOf('Many tasks'), tasks };
  const document = { _id: 'a', ...workflow };
  const bodies: [string, object, string][] = [
    ['/automation-studio/workflows/validate', { workflow }, 'workflow.tasks'],
    ['/workflow_builder/workflows/schemas', { workflow }, 'workflow.tasks'],
    ['/workflow_builder/workflows/save', { workflow }, 'workflow.tasks'],
    ['/workflow_builder/import', { workflow }, 'workflow.tasks'],
    ['/automation-studio/automations/import', { automations: [workflow] }, 'automations.0.tasks'],
    [
      '/automation-studio/projects/import',
      {
        project: {
          name: 'Many tasks',
          components: [{ type: 'workflow', reference: 'a', folder: '/', document }],
        },
      },
      'project.components.0.document.tasks',
    ],
  ];
  for (const [path, body, place] of bodies) {
    const { status, text } = await service.send(['admin'], 'POST', path, body);
    expect({ path, status }).toEqual({ path, status: 400 });
    expect(text).toContain(`${place}: must be at most 5000`);
  }
});

test('the documents of a large project are looked through while others are served', async () => {
  const task = {
    name: 'newVariable',
    app: 'WorkFlowEngine',
    summary: null,
    view: null,
    x: null,
    variables: {},
  };
  const components = Array.from({ length: 150 }, (_, at) => {
    const tasks = Object.fromEntries(Array.from({ length: 500 }, (_none, nth) => [nth.toString(16), task]));
    const document = { _id: `w${at}`, name: `W ${at}`, type: 'automation', tasks, transitions: {} };
    return { iid: at, type: 'workflow', reference: `w${at}`, folder: '/', document };
  });
  const project = { name: ' ', components };
  const { status } = await requested('/automation-studio/projects/import', { project });
  expect(status).toBe(400);
});
