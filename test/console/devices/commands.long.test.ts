import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeFindings, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { openLab } from '../../helpers/devices/lab.ts';

/** How far an element reaches below a window of 800 pixels, in pixels. */
async function distanceBelow(element: Locator): Promise<number> {
  const box = await element.boundingBox();
  if (!box) throw new Error('the element is not shown');
  return Math.max(0, box.y + box.height - 800);
}

describeInBrowser('the command runner of the console', async () => {
  const lab = await openLab();
  const { signInWith } = await openConsole(lab);
  await lab.addDevice('access-1');
  await lab.addDevice('access-2', { device_type: 'arista_eos' });

  test('sends nothing before devices are chosen, then shows the outcome of every command and compares outputs', async () => {
    const page = await signInWith(['admin'], '/commands');
    await page.getByText('Select at least one.').waitFor();
    await page.getByLabel('Platform contains').fill('no-such-platform');
    await page.getByText('No device matches.').waitFor();
    await page.getByLabel('Platform contains').fill('');
    await page.getByLabel('Commands to send').fill('show version\nno such command');
    expect(await page.getByRole('button', { name: 'Run 2 commands on 0 devices' }).isDisabled()).toBe(true);
    await page.getByLabel('Name contains').fill('access');
    await page.getByText('2 of 2 devices are targets.').waitFor();
    await page.getByRole('button', { name: 'Run 2 commands on 2 devices' }).click();
    const table = page.getByRole('table', { name: 'Results' });
    const progress = page.getByRole('status', { name: 'Progress of the run' });
    await progress.getByText('finished').waitFor();
    // In few words: the line that is seen changes with each command, and is not said.
    await page.getByRole('status').getByText('Ended: 4 of 4 done, 2 failed', { exact: true }).waitFor();
    expect(await progress.getAttribute('aria-live')).toBe('off');
    expect(await distanceBelow(progress)).toBe(0);
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
    const comparison = page.getByRole('region', { name: 'Comparison' });
    await comparison.waitFor();
    await expect.poll(() => distanceBelow(comparison.getByRole('heading'))).toBe(0);
  });

  test('stores commands as a template, and runs the template', async () => {
    const page = await signInWith(['admin'], '/commands?devices=access-1');
    await page.getByLabel('Commands to send').fill('show version');
    await page.getByRole('button', { name: 'Save as command template' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create command template' });
    await dialog.getByLabel('Name').fill('Which version');
    await dialog.getByRole('button', { name: 'Save template' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByLabel('Command template').selectOption('Which version');
    await page.getByRole('button', { name: 'Run “Which version” on 1 device' }).click();
    await page
      .getByRole('table', { name: 'Results' })
      .getByRole('row', { name: /access-1.*show version.*success/ })
      .waitFor();
    await (await lab.as('admin')).mop.updateTemplate({
      mopID: 'Which version',
      mop: {
        name: 'Which version',
        commands: [{ command: 'show version', rules: [{ rule: 'no such text', eval: 'contains' }] }],
      },
    });
    await page.getByRole('button', { name: 'Run “Which version” on 1 device' }).click();
    await page
      .getByRole('table', { name: 'Results' })
      .getByRole('row', { name: /failed.*Not true: the output contains the text “no such text”/ })
      .waitFor();
    await page.getByRole('link', { name: 'Gateway history' }).click();
    await page.getByRole('table', { name: 'Gateway history' }).getByText('show version').first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  test('runs commands on devices that are selected by their properties, and keeps the selection in the address', async () => {
    const page = await signInWith(['admin'], '/commands');
    await page.getByRole('button', { name: 'Select by properties' }).click();
    const dialog = page.getByRole('dialog', { name: 'Select devices by properties' });
    expect(await dialog.getByRole('button', { name: /^Select / }).isDisabled()).toBe(true);
    await dialog.getByLabel('Platforms', { exact: true }).fill('arista_eos');
    await dialog.getByRole('status', { name: 'Selected devices' }).getByText('1 device: access-2').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Select 1 device' }).click();
    await page.getByText('1 of 1 device is a target.').waitFor();
    await page.getByText('platforms arista_eos').waitFor();
    await page.reload();
    await page.getByText('1 of 1 device is a target.').waitFor();
    await page.getByLabel('Commands to send').fill('show version');
    await page.getByRole('button', { name: 'Run 1 command on 1 device' }).click();
    await page
      .getByRole('table', { name: 'Results' })
      .getByRole('row', { name: /access-2.*show version.*success/ })
      .waitFor();
  });
});
