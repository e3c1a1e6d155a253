import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { openService } from '../../helpers/service.ts';

describeInBrowser('the analytic templates of the console', async () => {
  const service = await openService();
  const { signInWith } = await openConsole(service);
  const admin = await service.as('admin');
  const act = async (page: Page, action: string) => {
    await page.getByRole('button', { name: 'Actions of Routes are kept' }).click();
    await page.getByRole('menuitem', { name: action, exact: true }).click();
  };

  test('one is created, tried on pasted outputs, changed over the change of somebody else, exported, deleted and imported', async () => {
    const page = await signInWith(['admin'], '/command-templates');
    await page.getByRole('link', { name: 'Analytic templates' }).click();
    await page.getByRole('heading', { name: 'There is no analytic template yet' }).waitFor();
    await page.getByRole('button', { name: 'Create template' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create template' }).click();
    await dialog.waitFor({ state: 'detached' });

    await act(page, 'Try');
    await dialog.getByLabel(/^1\. Before/).fill('Total 12');
    await dialog.getByLabel(/^1\. After/).fill('Total 11');
    await dialog.getByRole('button', { name: 'Compare' }).click();
    const outcome = dialog.getByRole('region', { name: 'Outcome' });
    await outcome.getByText('The template failed').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByLabel(/^1\. After/).fill('Total 12');
    await dialog.getByRole('button', { name: 'Compare' }).click();
    await outcome.getByText('The template passed').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();

    await act(page, 'Change document');
    const text = dialog.getByLabel('Document as JSON');
    const document = JSON.parse(await text.inputValue()) as Record<string, unknown>;
    await text.fill(JSON.stringify({ ...document, description: 'After each change' }));
    await admin.mop.updateAnalyticTemplate({
      mopID: 'Routes are kept',
      template: { ...document, name: 'Routes are kept', os: 'ios' },
    });
    await dialog.getByRole('button', { name: 'Save document' }).click();
    await dialog.getByRole('alert').getByText('was changed by another request').waitFor();
    await dialog.getByRole('button', { name: 'Save document' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await admin.mop.listAnalyticTemplates({})).toMatchObject([{ description: 'After each change' }]);

    const download = page.waitForEvent('download');
    await act(page, 'Export');
    const file = await readFile(await (await download).path(), 'utf8');
    await act(page, 'Delete');
    await dialog.getByRole('button', { name: 'Delete template' }).click();
    await page.getByRole('heading', { name: 'There is no analytic template yet' }).waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByLabel('Or its text').fill(file);
    await dialog.getByRole('button', { name: 'Import template' }).click();
    await page.getByRole('table', { name: 'Analytic templates' }).getByText('After each change').waitFor();
  });
});
