import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { openService } from '../../helpers/service.ts';
import { runs, task, variable, view, workflowOf } from '../../helpers/workflows.ts';

/** A task that cannot parse its text unless that is corrected. */
const parsing = {
  ...task('parse', { text: 'no JSON {' }, { textObject: null }),
  summary: 'Read it',
};

describeInBrowser('the page of a job', async () => {
  const service = await openService({}, { works: true });
  const { signInWith } = await openConsole(service);
  const { automationStudio, operationsManager } = await service.as('admin');
  const start = async (workflow: string, variables: Record<string, unknown> = {}) =>
    (await operationsManager.startJob({ workflow, options: { variables } })).data._id;
  const create = (name: string, tasks: Parameters<typeof workflowOf>[1]) =>
    automationStudio.createWorkflow({ automation: workflowOf(name, tasks) });
  const chosen = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  test('a failed job shows its error first, and when it failed; its step is corrected, tried again, and the job continues', async () => {
    await create('Parse, then look', { a1: parsing, b1: { ...view(), summary: 'Look at it' } });
    const id = await start('Parse, then look');
    const page = await signInWith(['admin'], `/jobs/${id}`);
    // It can be tried again, but no time is counted after its error.
    await page.getByRole('region', { name: 'Overview' }).getByText('Failed', { exact: true }).waitFor();
    await chosen(page, 'What went wrong')
      .getByText(
        'finished with error, and the workflow does not say what follows that: it continues after success with “Look at it”',
      )
      .waitFor();
    await page.getByRole('button', { name: /Jump to first error/ }).click();
    await chosen(page, 'Error').waitFor();
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry Read it' });
    await dialog.getByLabel('Input').fill('{ "text": ');
    expect(await dialog.getByRole('button', { name: 'Retry' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Input').fill('{ "text": "{\\"a\\": 1}" }');
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('button', { name: 'Table view' }).click();
    const row = page.getByRole('table', { name: 'Tasks' }).getByRole('row', { name: /Look at it/ });
    await row.getByText('waiting').waitFor();
    const errors = chosen(page, 'What went wrong');
    await errors.getByText('the job has continued since').waitFor();
    expect(await errors.getByText('Retry the step').count()).toBe(0);
    expect(await axeInBothThemes(page)).toEqual([]);
    await row.getByRole('button', { name: 'Look at it' }).click();
    await chosen(page, 'Input').getByText('"header": "Look"').waitFor();
    await chosen(page, 'Output').waitFor();
  });

  test('a graph that is too wide to be read opens at the step that failed, and shows all of it on request', async () => {
    const steps = Array.from({ length: 14 }, (_, at) => [`a${at}`, variable(`x${at}`, at)] as const);
    await create('A long chain', { ...Object.fromEntries(steps), f1: parsing });
    const page = await signInWith(['admin'], `/jobs/${await start('A long chain')}`);
    const failed = page.getByRole('group', { name: 'Read it: error' });
    await failed.waitFor();
    const frame = page.locator('.graph-frame');
    const zoom = async () => {
      const style = await page.locator('.react-flow__viewport').getAttribute('style');
      return Number(/scale\(([\d.]+)\)/.exec(style ?? '')?.[1]);
    };
    await expect.poll(zoom).toBeGreaterThan(0.75);
    const seen = async () => {
      const [step, whole] = [await failed.boundingBox(), await frame.boundingBox()];
      return step && whole && step.x >= whole.x && step.x + step.width <= whole.x + whole.width;
    };
    await expect.poll(seen).toBe(true);
    await page.getByRole('button', { name: 'Fit View' }).click();
    await expect.poll(zoom).toBeLessThan(0.5);
    await expect.poll(seen).toBe(true);
  });

  test('a narrow window shows a job as a table first, and its graph on request', async () => {
    const page = await signInWith(['admin'], `/jobs/${await start('Parse, then look')}`);
    await page.setViewportSize({ width: 390, height: 844 });
    const table = page.getByRole('table', { name: 'Tasks' });
    await table.waitFor();
    await page.getByRole('button', { name: 'Graph view' }).click();
    await table.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('view')).toBe('graph');
  });

  test('arrow keys go from step to step on the graph, which draws steps that have not run', async () => {
    await create('Three steps', {
      a1: { ...variable('x', 1), summary: 'First' },
      b1: { ...view(), summary: 'Second' },
      c1: { ...variable('y', 2), summary: 'Third' },
    });
    const id = await start('Three steps');
    const page = await signInWith(['admin'], `/jobs/${id}?task=a1`);
    await page.getByRole('group', { name: 'Third: not started' }).waitFor();
    await page.getByRole('group', { name: /^First: / }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { level: 2, name: 'Second' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { level: 2, name: 'Third' }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('heading', { level: 2, name: 'Second' }).waitFor();
  });

  test('a job that ends is shown as ended without a reload, and steps that were passed over as skipped', async () => {
    const id = await start('Three steps');
    const page = await signInWith(['admin'], `/jobs/${id}?view=table`);
    const table = page.getByRole('table', { name: 'Tasks' });
    await table.getByText('waiting').waitFor();
    await table
      .getByRole('row', { name: /workflow_start/ })
      .getByText('complete')
      .waitFor();
    await operationsManager.cancelJobs({ jobIds: [id] });
    await page.getByRole('status', { name: 'State of the job' }).getByText('canceled').waitFor();
    await table.getByRole('row', { name: /Third/ }).getByText('skipped').waitFor();
  });

  test('a child job shows its tasks in place and leads back to its parent', async () => {
    await create('The child', { a1: { ...view(), summary: 'Wait inside' } });
    await create('The parent', { a1: { ...runs('The child'), summary: 'Run the child' } });
    const id = await start('The parent');
    const page = await signInWith(['admin'], `/jobs/${id}?view=table&task=a1`);
    const children = page.getByRole('region', { name: 'Child jobs' });
    await children.getByRole('button', { name: 'Show tasks' }).click();
    await children.getByRole('link', { name: 'Wait inside' }).click();
    await page.getByRole('heading', { level: 1, name: 'The child' }).waitFor();
    await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'The parent' }).click();
    await page.getByRole('heading', { level: 1, name: 'The parent' }).waitFor();
  });

  test('a failed step leads to the device that it is about, as far as the inventory has it', async () => {
    const login = { device_type: 'cisco_ios', username: 'u', password: 'p' };
    await service.send('admin', 'POST', '/automationgateway/inventory/cli', {
      host: { name: 'pier-9', host: '127.0.0.1', port: 9, ...login },
    });
    await create('Ask two devices', {
      a1: {
        ...task(
          'RunCommandDevices',
          { command: 'show version', variables: {}, devices: '$var.job.devices' },
          {},
          { app: 'MOP' },
        ),
        summary: 'Ask them',
      },
    });
    const id = await start('Ask two devices', { devices: ['pier-9', 'pier-gone'] });
    const page = await signInWith(['admin'], `/jobs/${id}`);
    await page.getByRole('button', { name: /Jump to first error/ }).click();
    const panel = page.getByRole('region', { name: 'Task', exact: true });
    await panel.getByRole('link', { name: 'pier-9' }).waitFor();
    expect(await panel.getByRole('link', { name: 'pier-gone' }).count()).toBe(0);
    expect(await axeInBothThemes(page)).toEqual([]);
    await panel.getByRole('link', { name: 'pier-9' }).click();
    await page.getByRole('heading', { level: 1, name: 'pier-9' }).waitFor();
  });

  test('a value of many megabytes is opened on request, and searched', async () => {
    await create('Big', {
      a1: { ...view({ variables: '$var.job.text' }), summary: 'Show it' },
    });
    const lines = Array.from(
      { length: 100_000 },
      (_, line) => `interface Ethernet${line} of an invented device`,
    );
    const id = await start('Big', { text: lines.join('\n') });
    const page = await signInWith(['admin'], `/jobs/${id}?view=table&task=a1`);
    await page.getByRole('button', { name: 'Open value' }).first().click();
    const value = chosen(page, 'Stored value');
    await value.getByText('interface Ethernet0 of').waitFor();
    await page.getByRole('searchbox', { name: 'Search in Stored value' }).fill('Ethernet99999 ');
    await page.getByText('1 of 1 lines').waitFor();
  });
});
