import { test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { press } from '../helpers/console/keys.ts';
import { openService } from '../helpers/service.ts';
import { drawn, variable, view } from '../helpers/workflows.ts';

describeInBrowser('work on jobs by keyboard alone', async () => {
  const service = await openService({}, { works: true });
  const { signInWith } = await openConsole(service);
  const { automationStudio, operationsManager } = await service.as('admin');
  await automationStudio.createWorkflow({
    automation: drawn('Look', { a1: { ...view(), summary: 'Look closely' }, b1: variable('x', 1) }),
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
});
