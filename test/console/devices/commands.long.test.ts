import { expect, test } from 'vitest';
import { axeFindings, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { openLab } from '../../helpers/devices/lab.ts';

describeInBrowser('the command runner of the console', async () => {
  const lab = await openLab();
  const { signInWith } = await openConsole(lab);
  await lab.addDevice('access-1');
  await lab.addDevice('access-2', { device_type: 'arista_eos' });

  test('sends nothing before devices are chosen, then shows the outcome of every command and compares outputs', async () => {
    const page = await signInWith(['admin'], '/commands');
    await page.getByText('Nothing runs without a choice.').waitFor();
    await page.getByLabel('Commands to send').fill('show version\nno such command');
    expect(await page.getByRole('button', { name: 'Run 2 commands on 0 devices' }).isDisabled()).toBe(true);
    await page.getByLabel('Name contains').fill('access');
    await page.getByText('2 of 2 devices are targets.').waitFor();
    await page.getByRole('button', { name: 'Run 2 commands on 2 devices' }).click();
    const table = page.getByRole('table', { name: 'Results' });
    await page.getByRole('status', { name: 'Progress of the run' }).getByText('finished').waitFor();
    await table.getByRole('row', { name: /access-1.*show version.*success/ }).waitFor();
    await table.getByRole('row', { name: /access-2.*no such command.*failed/ }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await table.getByRole('button', { name: 'Output of show version on access-1' }).click();
    await page
      .getByRole('region', { name: 'Output', exact: true })
      .getByText(/Version/)
      .first()
      .waitFor();
    await page.getByLabel('Search in devices, commands and outputs').fill('show version');
    await table.getByRole('checkbox', { name: 'Select all rows shown' }).check();
    await page.getByRole('region', { name: 'Comparison' }).waitFor();
  });

  test('stores commands as a template, and runs the template', async () => {
    const page = await signInWith(['admin'], '/commands?devices=access-1');
    await page.getByLabel('Commands to send').fill('show version');
    await page.getByRole('button', { name: 'Save as command template' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save as command template' });
    await dialog.getByLabel('Name').fill('Which version');
    await dialog.getByRole('button', { name: 'Save template' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByLabel('Command template').selectOption('Which version');
    await page.getByRole('button', { name: 'Run “Which version” on 1 device' }).click();
    await page
      .getByRole('table', { name: 'Results' })
      .getByRole('row', { name: /access-1.*show version.*success/ })
      .waitFor();
    await page.getByRole('link', { name: 'Gateway history' }).click();
    await page.getByRole('table', { name: 'Gateway history' }).getByText('show version').first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });
});
