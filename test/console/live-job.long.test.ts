import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { openService } from '../helpers/service.ts';
import { view, workflowOf } from '../helpers/workflows.ts';

const TASKS = 200;
/** The bar is 250 ms on a machine at rest; others may use this one. */
const P95_MS = 1000;
/** Changes of tasks while the heap of the page is watched, and what it may grow by, in bytes. */
const CHANGES = 2000;
const GROWTH = 20 * 1024 * 1024;

describeInBrowser('a job of 200 tasks', async () => {
  const service = await openService({}, { works: true });
  const { signInWith } = await openConsole(service);
  const { automationStudio, operationsManager } = await service.as('admin');

  test('shows each change of a task soon after its event, and at the end the same as a fresh load', async () => {
    const ids = Array.from({ length: TASKS }, (_, n) => `a${n}`);
    const workflow = workflowOf(
      'Many hands',
      Object.fromEntries(ids.map((id) => [id, { ...view(), summary: `Step ${id}` }])),
    );
    // All of them wait at once.
    const success = { type: 'standard' as const, state: 'success' as const };
    const transitions = Object.fromEntries([
      ['workflow_start', Object.fromEntries(ids.map((id) => [id, success]))],
      ...ids.map((id) => [id, { workflow_end: success }]),
      ['workflow_end', {}],
    ]);
    await automationStudio.createWorkflow({ automation: { ...workflow, transitions } });
    const jobId = (await operationsManager.startJob({ workflow: 'Many hands', options: { variables: {} } }))
      .data._id;
    const page = await signInWith(['admin'], `/jobs/${jobId}`);
    const waiting = page.locator('.graph-node[data-state="waiting"]');
    await waiting.nth(TASKS - 1).waitFor();
    await page.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();
    // The page notes when each task turns from waiting to another state, and when the event of that was published.
    await page.evaluate(`
      window.shownAt = new Map();
      window.publishedAt = new Map();
      new EventSource('/events?topics=taskFinished').onmessage = ({ data }) => {
        const { time, payload } = JSON.parse(data);
        window.publishedAt.set(payload.task, Date.parse(time));
      };
      const start = new Set(['workflow_start', 'workflow_end']);
      const note = () => {
        for (const node of document.querySelectorAll('.react-flow__node')) {
          const { id } = node.dataset;
          const { state } = node.querySelector('.graph-node').dataset;
          if (!start.has(id) && state !== 'waiting' && !window.shownAt.has(id)) window.shownAt.set(id, Date.now());
        }
        requestAnimationFrame(note);
      };
      note();`);
    const finishedAt = new Map<string, number>();
    for (const taskId of ids.slice(0, -1)) {
      finishedAt.set(taskId, Date.now());
      await operationsManager.finishTask({ jobId, taskId, taskData: { finish_state: 'success' } } as never);
    }
    const areAllShown = `window.shownAt.size >= ${TASKS - 1} && window.publishedAt.size >= ${TASKS - 1}`;
    await expect.poll(() => page.evaluate(areAllShown), { timeout: 30_000 }).toBe(true);
    const times = await page.evaluate<[string, number, number][]>(
      `[...window.publishedAt].map(([id, time]) => [id, time, window.shownAt.get(id)])`,
    );
    const sorted = (values: number[]) => values.toSorted((a, b) => a - b);
    const fromEvent = sorted(times.map(([, published, shown]) => shown - published));
    const fromCall = sorted(times.map(([id, , shown]) => shown - (finishedAt.get(id) ?? 0)));
    const at = (values: number[], share: number) => values[Math.floor(values.length * share)] ?? 0;
    console.info(
      `${times.length} changes: event to pixel p50 ${at(fromEvent, 0.5)} ms, p95 ${at(fromEvent, 0.95)} ms; call to pixel p95 ${at(fromCall, 0.95)} ms`,
    );
    expect(at(fromEvent, 0.95)).toBeLessThanOrEqual(P95_MS);

    const STATES = `[...document.querySelectorAll('.react-flow__node')]
      .map((node) => node.dataset.id + ' ' + node.querySelector('.graph-node').dataset.state).sort()`;
    const fresh = await page.context().newPage();
    await fresh.goto(`/console/jobs/${jobId}`);
    await fresh.locator('.graph-node[data-state="waiting"]').waitFor();
    await waiting.nth(1).waitFor({ state: 'detached' });
    expect(await page.evaluate(STATES)).toEqual(await fresh.evaluate(STATES));
  });

  test('keeps its heap flat while thousands of changes arrive', async () => {
    await automationStudio.createWorkflow({
      automation: workflowOf('One hand', { a1: { ...view(), summary: 'Step' } }),
    });
    const { data } = await operationsManager.startJob({ workflow: 'One hand', options: { variables: {} } });
    const page = await signInWith(['admin'], `/jobs/${data._id}`);
    await page.getByRole('group', { name: 'Step: waiting' }).waitFor();
    const devtools = await page.context().newCDPSession(page);
    const heap = async () => {
      await devtools.send('HeapProfiler.collectGarbage');
      return (await devtools.send('Runtime.getHeapUsage')).usedSize;
    };
    const { data: items } = await operationsManager.listTasks({
      queryOptions: { equals: { 'job._id': data._id, type: 'manual' } },
    });
    const taskId = items[0]?._id ?? '';
    const change = async (times: number) => {
      for (let n = 0; n < times; n += 2) {
        await operationsManager.claimTask({ taskId });
        await operationsManager.releaseTask({ taskId });
      }
    };
    // What is made once, such as compiled code, is there before the measurement.
    await change(200);
    const before = await heap();
    await change(CHANGES);
    const growth = (await heap()) - before;
    console.info(`heap after ${CHANGES} changes: ${(growth / 1024 / 1024).toFixed(1)} MiB more`);
    expect(growth).toBeLessThan(GROWTH);
    await operationsManager.cancelJobs({ jobIds: [data._id] });
    await page.getByRole('status', { name: 'State of the job' }).getByText('canceled').waitFor();
  });
});
