import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { createPerson } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';
import { view, workflowOf } from '../../helpers/workflows.ts';

/** A name that would change how the page is displayed, or run, if it were not shown as text. */
const HOSTILE = '<img src=x onerror=alert(1)>\u202eevil\u001b[31m';

describeInBrowser('the jobs of the console', async () => {
  const service = await openService();
  const { signIn, signInWith } = await openConsole(service);
  const { automationStudio, operationsManager } = await service.as('admin');
  await automationStudio.createWorkflow({ automation: workflowOf('Look at racks', { a1: view() }) });
  const start = async (description: string) =>
    (await operationsManager.startJob({ workflow: 'Look at racks', options: { description } })).data._id;

  test('an empty list says which window of time it shows, and a job is started from it by keyboard', async () => {
    const page = await signInWith(['admin'], '/jobs');
    await page.getByRole('heading', { name: 'No job ran in the last 7 days' }).waitFor();
    await page.getByRole('button', { name: 'Start job' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Start job' });
    await dialog.waitFor();
    await page.keyboard.type('No such workflow');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('Workflow').inputValue()).toBe('No such workflow');
    await dialog.getByLabel('Workflow').fill('Look at racks');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Look at racks' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/\/console\/jobs\/[0-9a-f]{24}$/);
  });

  test('how long a job has run so far is counted on while no event arrives', async () => {
    await start('It waits');
    const page = await signIn(await createPerson(service, ['admin']), '/jobs');
    const duration = page
      .getByRole('table', { name: 'Jobs' })
      .getByRole('row', { name: /running/ })
      .first()
      .getByRole('cell')
      .filter({ hasText: /^(\d+ m?s|\d+ min \d+ s)$/ });
    const first = await duration.textContent();
    await expect.poll(() => duration.textContent()).not.toBe(first);
  });

  test('counts lead to the jobs that they count, and hostile names are shown as text', async () => {
    await start(HOSTILE);
    const page = await signIn(await createPerson(service, ['admin']), '/jobs');
    const table = page.getByRole('table', { name: 'Jobs' });
    await table.getByText('⟨U+202E⟩evil').waitFor();
    expect(await table.getByRole('img').count()).toBe(0);
    await page
      .getByRole('navigation', { name: 'Jobs by state' })
      .getByRole('link', { name: /^paused/ })
      .click();
    await page.getByRole('heading', { name: 'Nothing matches these filters' }).waitFor();
    expect(new URL(page.url()).search).toBe('?state=paused');
    expect(await page.getByLabel('State', { exact: true }).inputValue()).toBe('paused');
  });

  test('the filter keeps a letter that is typed while the address is updated, and is emptied with all filters', async () => {
    const page = await signInWith(['admin'], '/jobs');
    const box = page.getByRole('searchbox', { name: 'Filter' });
    // The last letter is typed at the moment when the text before it is written to the address.
    await page.evaluate(`
      const replace = history.replaceState.bind(history);
      history.replaceState = (state, title, address) => {
        replace(state, title, address);
        if (String(address).endsWith('q=nort')) document.execCommand('insertText', false, 'h');
      };`);
    await box.fill('nort');
    await page.waitForURL(/q=north/);
    expect(await box.inputValue()).toBe('north');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL(/\/console\/jobs$/);
    expect(await box.inputValue()).toBe('');
  });

  test('on a phone the boxes of the rows are narrow, so that names and states of jobs are in view', async () => {
    const page = await signIn(await createPerson(service, ['admin']), '/jobs');
    await page.setViewportSize({ width: 390, height: 844 });
    const row = page
      .getByRole('table', { name: 'Jobs' })
      .getByRole('row', { name: /running/ })
      .first();
    const widthOf = async (at: number) => (await row.getByRole('cell').nth(at).boundingBox())?.width;
    await expect.poll(() => widthOf(0)).toBeLessThan(60);
    const state = await row.getByText('running').boundingBox();
    expect((state?.x ?? 390) + (state?.width ?? 0)).toBeLessThan(370);
  });

  test('jobs are paused and canceled together; canceling asks first and names them', async () => {
    await Promise.all([start('one'), start('two')]);
    const page = await signInWith(['admin'], '/jobs');
    await page.getByRole('checkbox', { name: 'Select all rows shown' }).check();
    const selected = page.getByRole('region', { name: 'Selected rows' });
    await selected.getByRole('button', { name: 'Pause' }).click();
    const table = page.getByRole('table', { name: 'Jobs' });
    await table.getByText('paused').first().waitFor();
    await page.getByRole('checkbox', { name: 'Select all rows shown' }).check();
    await selected.getByRole('button', { name: 'Cancel jobs' }).click();
    const dialog = page.getByRole('dialog', { name: /^Cancel \d+ jobs\?$/ });
    await dialog.getByText('Look at racks').first().waitFor();
    await dialog.getByRole('button', { name: /^Cancel \d+ jobs$/ }).click();
    await table.getByText('canceled').first().waitFor();
    await page.getByRole('checkbox', { name: 'Select all rows shown' }).check();
    await selected.getByRole('button', { name: 'Resume' }).click();
    const results = page.getByRole('dialog', { name: 'Result for each job' });
    await results.getByRole('alert').waitFor();
    expect(await results.getByRole('listitem').count()).toBeGreaterThan(1);
  });

  test('shows no action to a reader, and names the missing role to others', async () => {
    await start('to read');
    const reader = await signInWith(['apiread'], '/jobs');
    await reader.getByRole('table', { name: 'Jobs' }).waitFor();
    expect(await reader.getByRole('button', { name: 'Start job' }).count()).toBe(0);
    const stranger = await signInWith(['designer'], '/jobs');
    await stranger.getByRole('alert').getByText('engineering').waitFor();
  });

  test('has no accessibility findings in either theme', async () => {
    const id = await start('to look at');
    const page = await signInWith(['admin'], '/jobs');
    await page.getByRole('table', { name: 'Jobs' }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.goto(`/console/jobs/${id}?task=a1`);
    await page.getByRole('region', { name: 'Input' }).waitFor();
    await page.locator('.react-flow__node').first().waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Table view' }).click();
    await page.getByRole('table', { name: 'Tasks' }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
  });
});
