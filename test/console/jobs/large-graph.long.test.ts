import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { longestTaskOf } from '../../helpers/console/longest-task.ts';
import { deferred } from '../../helpers/deferred.ts';
import { openService } from '../../helpers/service.ts';
import { success, variable, workflowOf } from '../../helpers/workflows.ts';

const TASKS = 1000;
/** CPU time of the longest task of the page, in milliseconds: to draw the graph, without laying it out. */
const LONGEST_MS = 500;

/** A workflow of rows of ten tasks, each of which leads to two of the next row. */
function largeWorkflow() {
  const idOf = (at: number) => (at + 0x1000).toString(16);
  const ids = Array.from({ length: TASKS }, (_, at) => idOf(at));
  const next = (at: number) => [at + 10, at + 11].filter((one) => one < TASKS).map(idOf);
  return {
    ...workflowOf('Thousand', Object.fromEntries(ids.map((id) => [id, variable(id, 1)]))),
    transitions: {
      workflow_start: Object.fromEntries(ids.slice(0, 10).map((id) => [id, success])),
      ...Object.fromEntries(
        ids.map((id, at) => {
          const to = next(at);
          return [
            id,
            Object.fromEntries((to.length > 0 ? to : ['workflow_end']).map((one) => [one, success])),
          ];
        }),
      ),
    },
  };
}

describeInBrowser('a graph of a thousand tasks', async () => {
  const service = await openService();
  const { signInWith } = await openConsole(service);
  const admin = await service.as('admin');
  const { created } = await admin.automationStudio.createWorkflow({ automation: largeWorkflow() });
  const path = `/workflows/${created._id}`;
  const open = (page: Page, tab: string) => page.getByRole('link', { name: tab, exact: true }).click();
  const boxes = (page: Page) => page.locator('.react-flow__node');

  test('the page is used while the graph is laid out, which it then shows', async () => {
    const page = await signInWith(['admin'], path);
    const released = deferred();
    await page.route('**/layout-worker-*', async (route: Route) => {
      await released.promise;
      await route.continue();
    });
    await open(page, 'Graph');
    await page.getByText('Laying out the graph').waitFor();
    await open(page, 'Input and output');
    await page.getByText('Laying out the graph').waitFor({ state: 'detached' });
    await open(page, 'Graph');
    await page.getByText('Laying out the graph').waitFor();
    released.resolve();
    await expect.poll(() => boxes(page).count()).toBe(TASKS + 2);
  });

  test('no task of the page lays it out', async () => {
    const page = await signInWith(['admin'], path);
    await page.getByRole('link', { name: 'Graph', exact: true }).waitFor();
    const longest = await longestTaskOf(page, async () => {
      await open(page, 'Graph');
      await expect.poll(() => boxes(page).count()).toBe(TASKS + 2);
    });
    console.info(`longest task of the page: ${longest} ms of CPU time`);
    expect(longest).toBeLessThan(LONGEST_MS);
  });

  test('it is shown where its thread cannot be loaded', async () => {
    const page = await signInWith(['admin'], path);
    await page.route('**/layout-worker-*', (route) => route.abort());
    await open(page, 'Graph');
    await expect.poll(() => boxes(page).count()).toBe(TASKS + 2);
  });
});
