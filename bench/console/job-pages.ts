import { setTimeout as sleep } from 'node:timers/promises';
import { variable, view, workflowOf } from '../../test/helpers/workflows.ts';
import type { Call } from './calls.ts';
import { openAnew, type Part, timeToPaint } from './page-timing.ts';

type Parts = Part & { call: Call };

const ROUNDS = 3;
const CANVAS: [tasks: number, most: number][] = [
  [200, 1000],
  [1000, 2000],
];
const OPEN_MS = 1000;
const SEARCH_MS = 1000;
const LINES = 400_000;
const LAST_NODE = '.react-flow__node[data-id="b1"]';

type Started = { data: { _id: string } };

/** A workflow of that many tasks in parallel branches without places, so that the console lays it out; it waits at its end. */
function wideWorkflow(name: string, tasks: number) {
  const ids = Array.from({ length: tasks - 2 }, (_, n) => `a${n}`);
  const chain = workflowOf(name, {
    ...Object.fromEntries(ids.map((id, n) => [id, { ...variable(id, n), summary: `Step ${n}` }])),
    b0: { ...view(), summary: 'Look' },
    b1: { ...variable('end', 1), summary: 'After' },
  });
  return { automation: chain };
}

async function startJob(call: Call, name: string, variables: Record<string, unknown> = {}): Promise<string> {
  const { data } = await call<Started>('POST', '/operations-manager/jobs/start', {
    workflow: name,
    options: { type: 'automation', variables },
  });
  return data._id;
}

/** Waits until a job waits for a user. */
async function isWaiting(call: Call, id: string): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(200)) {
    const found = await call<{ data: unknown[] }>(
      'GET',
      `/operations-manager/tasks?equals[job._id]=${id}&equals[type]=manual&equals[status]=running`,
    );
    if (found.data.length > 0) return;
  }
  throw new Error(`The job ${id} never waited`);
}

/** Measures how long the graph of a job takes until all its nodes are painted, from the list of jobs. */
export async function measureCanvas({ page, call, budget }: Parts): Promise<void> {
  for (const [tasks, most] of CANVAS) {
    const name = `Wide ${tasks} ${Date.now()}`;
    await call('POST', '/automation-studio/automations', wideWorkflow(name, tasks));
    const id = await startJob(call, name);
    await isWaiting(call, id);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await openAnew(page);
      times.push(await timeToPaint(page, [{ until: LAST_NODE, shows: 'After' }], `/jobs/${id}`));
    }
    const nodes = await page.locator('.react-flow__node').count();
    process.stdout.write(`graph of ${nodes} nodes: ${times.map(Math.round).join(', ')} ms in this order\n`);
    budget(`graph of ${tasks} tasks, best of ${ROUNDS}`, Math.min(...times), most);
    await call('POST', '/operations-manager/jobs/cancel', { jobIds: [id] });
  }
}

/** Measures how long a stored value of 20 MB takes to open, and a search for its last line. */
export async function measureLargeValue({ page, call, budget }: Parts): Promise<void> {
  const name = `Large ${Date.now()}`;
  await call('POST', '/automation-studio/automations', {
    automation: workflowOf(name, { a1: { ...view({ variables: '$var.job.text' }), summary: 'Show it' } }),
  });
  const text = Array.from(
    { length: LINES },
    (_, n) => `interface Ethernet${n} of an invented router, up, line protocol`,
  );
  const id = await startJob(call, name, { text: text.join('\n') });
  await isWaiting(call, id);
  const opened: number[] = [];
  const searched: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await page.goto(`/console/jobs/${id}?view=table&task=a1`);
    await page.getByRole('button', { name: 'Open value' }).first().waitFor();
    const shown = timeToPaint(page, [{ until: '[aria-label="Stored value"]', shows: 'Ethernet0 of' }]);
    await page.getByRole('button', { name: 'Open value' }).first().click();
    opened.push(await shown);
    const found = timeToPaint(page, [
      {
        until: '[aria-label="Stored value"]',
        shows: `Ethernet${LINES - 1} of`,
      },
    ]);
    await page.getByRole('searchbox', { name: 'Search in Stored value' }).fill(`Ethernet${LINES - 1} `);
    searched.push(await found);
  }
  budget(
    `a value of ${Math.round(text.join('\n').length / 1e6)} MB opens, best of ${ROUNDS}`,
    Math.min(...opened),
    OPEN_MS,
  );
  budget(`a search for its last line, best of ${ROUNDS}`, Math.min(...searched), SEARCH_MS);
}
