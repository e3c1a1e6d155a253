import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { focused, press, tabTo } from '../helpers/console/keys.ts';
import { openService } from '../helpers/service.ts';
import { task, variable, view, workflowOf } from '../helpers/workflows.ts';

describeInBrowser('work on jobs by keyboard alone', async () => {
  const service = await openService({}, { works: true });
  const { signInWith } = await openConsole(service);
  const { automationStudio, operationsManager } = await service.as('admin');
  await automationStudio.createWorkflow({
    automation: workflowOf('Look', { a1: { ...view(), summary: 'Look closely' }, b1: variable('x', 1) }),
  });
  await automationStudio.createWorkflow({
    automation: workflowOf('Parse, then look', {
      a1: { ...task('parse', { text: 'no JSON {' }, { textObject: null }), summary: 'Read it' },
      b1: { ...view(), summary: 'Look at it' },
    }),
  });
  const start = async (workflow: string) =>
    (await operationsManager.startJob({ workflow, options: { variables: {} } })).data._id;

  test('claims a task and finishes it, and the end of the job is announced', async () => {
    await start('Look');
    const page = await signInWith(['admin'], '/work');
    await page.getByRole('link', { name: 'Look closely' }).waitFor();
    await press(page, 'Look closely');
    await page.getByRole('button', { name: 'Claim' }).waitFor();
    await press(page, 'Claim');
    await page.getByRole('button', { name: 'Release' }).waitFor();
    await press(page, 'Go');
    await page.getByText('Finished by you with success').waitFor();
    // Whoever looks at the job hears of its end: its state is a live region.
    await page.getByRole('link', { name: 'Look', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status', { name: 'State of the job' }).getByText('complete').waitFor();
  });

  test('finds the error of a job, corrects its step, tries it again, and cancels the job', async () => {
    const id = await start('Parse, then look');
    const page = await signInWith(['admin'], '/jobs');
    const row = page
      .getByRole('table', { name: 'Jobs' })
      .getByRole('row')
      .filter({ has: page.locator(`a[href$="${id}"]`) });
    await row.getByText('error', { exact: true }).waitFor();
    await press(page, 'Parse, then look');
    await page.getByRole('heading', { level: 1, name: 'Parse, then look' }).waitFor();
    await page.getByRole('button', { name: /Jump to first error/ }).waitFor();
    await press(page, /Jump to first error/);
    await page.getByRole('region', { name: 'Error', exact: true }).waitFor();
    await press(page, 'Retry');
    const dialog = page.getByRole('dialog', { name: 'Retry Read it' });
    await dialog.getByLabel('Input').waitFor();
    await tabTo(page, /^Input/);
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{ "text": "{}" }');
    await press(page, 'Retry');
    await dialog.waitFor({ state: 'detached' });
    // The views are one stop of Tab; arrow keys go from one to the next.
    await tabTo(page, 'Graph view');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await focused(page)).toBe('Table view');
    await page.keyboard.press(' ');
    await page.getByRole('table', { name: 'Tasks' }).getByText('waiting').waitFor();
    await press(page, 'Cancel job');
    const requested = page.getByRole('dialog');
    await requested.getByRole('button', { name: 'Cancel job' }).waitFor();
    await press(page, 'Cancel job');
    await page.getByRole('status', { name: 'State of the job' }).getByText('canceled').waitFor();
  });

  test('pauses several jobs at once', async () => {
    const ids = [await start('Look'), await start('Look')];
    const page = await signInWith(['admin'], '/jobs?state=running');
    const table = page.getByRole('table', { name: 'Jobs' });
    for (const id of ids) await table.locator(`a[href$="${id}"]`).waitFor();
    await press(page, 'Select all rows shown', ' ');
    await page.getByRole('region', { name: 'Selected rows' }).waitFor();
    await press(page, 'Pause');
    await page.getByText(/^Pause: \d+ jobs done$/).waitFor();
    for (const id of ids) {
      const { data } = await operationsManager.getJob({ jobId: id });
      expect(data.status).toBe('paused');
    }
  });
});
