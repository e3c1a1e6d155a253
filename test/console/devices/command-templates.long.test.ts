import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { openService } from '../../helpers/service.ts';

describeInBrowser('the command templates of the console', async () => {
  const service = await openService();
  const { signInWith } = await openConsole(service);
  const admin = await service.as('admin');

  test('checks are tried on a pasted output while they are typed, before the template is stored', async () => {
    const page = await signInWith(['designer'], '/command-templates');
    await page.getByRole('button', { name: 'Create template' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Command 1', { exact: true }).fill('show version');
    await dialog.getByRole('button', { name: 'Add check of command 1' }).click();
    await dialog.getByLabel('Text 1.1').fill('Version <!release!>');
    await dialog.getByText('Try it on pasted outputs').click();
    await dialog.getByLabel('Output of 1. show version').fill('Version 15.2(4)E10');
    const outcome = dialog.getByRole('status', { name: 'Outcome of the template' });
    const check = dialog
      .getByRole('listitem')
      .filter({ hasText: /^(passed|failed) the output/ })
      .last();
    await check.getByText('variable release has no value').waitFor();
    await outcome.getByText('failed').waitFor();

    await dialog.getByLabel('Value of release').fill('15.2');
    await check.getByText('passed').waitFor();
    await outcome.getByText('passed').waitFor();
    await dialog.getByLabel('Text 1.1').fill('Version <!release!>(5)');
    await check.getByText('failed').waitFor();
    await dialog.getByLabel('Check 1.1: the output').selectOption('RegEx');
    await dialog.getByLabel('Text 1.1').fill('Version <!release!>(');
    await check.getByText('missing closing )').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    expect(await admin.mop.listTemplates({})).toEqual([]);
  });

  test('a stored template is tried by who may read it', async () => {
    await admin.mop.createTemplate({
      mop: {
        name: 'Clocks',
        commands: [
          { command: 'show clock', rules: [{ rule: 'UTC', eval: 'contains' }] },
          { command: 'show ntp', rules: [{ rule: 'synced', eval: 'contains' }] },
        ],
      },
    });
    const page = await signInWith(['apiread'], '/command-templates');
    await page.getByRole('button', { name: 'Actions of Clocks' }).click();
    await page.getByRole('menuitem', { name: 'Try' }).click();
    const dialog = page.getByRole('dialog', { name: 'Try Clocks' });
    await dialog.getByLabel('Output of 1. show clock').fill('12:00 UTC');
    await dialog.getByText('show clock').and(dialog.locator('code')).waitFor();
    // The other command has no output yet: the template has no outcome.
    await dialog.getByText('the output contains the text “UTC”').waitFor();
    expect(await dialog.getByRole('status', { name: 'Outcome of the template' }).textContent()).toBe('');
    await dialog.getByLabel('Output of 2. show ntp').fill('not yet');
    await dialog.getByText('The template failed').waitFor();
  });
});
