import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { createPerson } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const FSM =
  'Value Required PORT (\\S+)\nValue List VLANS (\\d+)\n\nStart\n  ^port $PORT\n  ^ vlan $VLANS\n  ^! -> Record\n';

describeInBrowser('the text templates of the console', async () => {
  const service = await openService();
  const { signIn, signInWith } = await openConsole(service);
  const { automationStudio } = await service.as('admin');
  const store = async (name: string, type: 'jinja2' | 'textfsm', template: string, data = '') =>
    (await automationStudio.createTemplate({ template: { name, group: 'Quay', type, template, data } }))
      .created;
  const text = (page: Page) => page.getByRole('textbox', { name: 'Text of the template' });
  const result = (page: Page) => page.getByRole('region', { name: 'Result' });
  const draft = (page: Page) => page.getByRole('status', { name: 'Draft' });

  test('creates a template, shows its text with the values as they are typed, and leads to a mistake', async () => {
    const page = await signInWith(['admin'], '/projects');
    await page.getByRole('link', { name: 'Text templates' }).click();
    await page.getByRole('heading', { name: 'There is no text template yet' }).waitFor();
    await page.getByRole('button', { name: 'Create template' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Port turn-up');
    await dialog.getByLabel('Group').fill('IOS');
    await dialog.getByRole('button', { name: 'Create template' }).click();
    await page.getByRole('heading', { level: 1, name: 'Port turn-up' }).waitFor();

    await text(page).fill('interface {{ port }}\n description {{ use }}\n');
    const values = page.getByRole('textbox', { name: 'Values to render it with' });
    await values.fill('{"port": "Gi0/1", "use": "<b>quay</b>"}');
    await result(page).getByText('description <b>quay</b>').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await values.fill('{"port": ');
    await result(page)
      .getByText(/The values are not JSON/)
      .waitFor();
    await values.fill('{"port": "Gi0/1"}');

    await text(page).fill('interface {{ port }}\n description {{ use \n');
    const notes = page.getByRole('list', { name: 'Notes on the template' });
    await notes.getByRole('button', { name: /^line 2, column/ }).click();
    await text(page).fill('interface {{ port }}\n description {{ site.name }}\n');
    await notes.getByText(/site is undefined/).waitFor();
    await text(page).fill('interface {{ port }}\n');
    await page.getByRole('button', { name: 'Save template' }).click();
    await draft(page).getByText('saved', { exact: true }).waitFor();
    const { items } = await automationStudio.listTemplates({});
    expect(items).toMatchObject([
      { name: 'Port turn-up', group: 'IOS', template: 'interface {{ port }}\n', data: '{"port": "Gi0/1"}' },
    ]);
    await automationStudio.deleteTemplate({ id: items[0]?._id ?? '' });
  });

  test('shows the records that a TextFSM template finds in pasted output', async () => {
    const { _id: id } = await store('Ports', 'textfsm', FSM);
    const page = await signInWith(['designer'], `/text-templates/${id}`);
    await page
      .getByRole('textbox', { name: 'Output to parse with it' })
      .fill('port a/1\n vlan 10\n vlan 20\n!\nport a/2\n!\n');
    await page.getByRole('status', { name: 'Records found' }).getByText('2 records').waitFor();
    const records = page.getByRole('table', { name: 'Records' });
    expect(await records.getByRole('row').allTextContents()).toEqual(['PORTVLANS', 'a/110, 20', 'a/2']);
    expect(await axeInBothThemes(page)).toEqual([]);
    await text(page).fill('Value A (x)\n\nStart\n  ^$B\n');
    await result(page).getByText('the Value B does not exist').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await result(page).getByText('The template finds no record in the output.').waitFor();
    expect(await page.getByRole('region', { name: 'Data' }).getByRole('textbox').textContent()).toBe('');
  });

  test('keeps what is typed when somebody else saves meanwhile, and asks before it is left', async () => {
    const { _id: id } = await store('Shared', 'jinja2', 'one');
    const page = await signInWith(['admin'], `/text-templates/${id}`);
    await text(page).fill('mine');
    await automationStudio.updateTemplate({ id, update: { template: 'theirs' } });
    await page.getByRole('button', { name: 'Save template' }).click();
    const conflict = page.getByRole('alert', { name: 'Conflict' });
    await conflict.getByText('theirs').waitFor();
    expect(await text(page).textContent()).toBe('mine');
    const asked = page.waitForEvent('dialog');
    const left = page.getByRole('link', { name: 'Text templates' }).click();
    await (await asked).dismiss();
    await left;
    await conflict.getByRole('button', { name: /^Keep mine/ }).click();
    await page.getByRole('button', { name: 'Save template' }).click();
    await draft(page).getByText('saved', { exact: true }).waitFor();
    expect(await automationStudio.getTemplate({ id })).toMatchObject({ template: 'mine' });
  });

  test('exports a template, says what uses it, imports it again, and deletes it', async () => {
    const { _id: id } = await store('Banner', 'jinja2', 'banner {{ site }}');
    const page = await signInWith(['admin'], `/text-templates/${id}`);
    await page.getByRole('button', { name: 'Used by' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('No document uses it.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const file = await readFile(await (await download).path(), 'utf8');
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete template' }).click();
    await page.getByRole('heading', { level: 1, name: 'Text templates' }).waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByLabel('Or its text').fill(file);
    await dialog.getByRole('button', { name: 'Import template' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Filter' }).fill('Banner');
    await page.getByRole('table', { name: 'Text templates' }).getByRole('link', { name: 'Banner' }).click();
    expect(await text(page).textContent()).toBe('banner {{ site }}');
  });

  test('an account that may read alone tries a template with other values, and finds nothing that saves', async () => {
    const { _id: id } = await store('Seen', 'jinja2', 'site {{ site }}', '{"site": "north"}');
    const page = await signIn(await createPerson(service, ['apiread']), `/text-templates/${id}`);
    await result(page).getByText('site north').waitFor();
    await page.getByRole('textbox', { name: 'Values to render it with' }).fill('{"site": "south"}');
    await result(page).getByText('site south').waitFor();
    expect(
      await page.getByRole('button', { name: /^(Save template|Delete|Change properties)$/ }).count(),
    ).toBe(0);
    await page.setViewportSize({ width: 360, height: 740 });
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
    await page.goto('/console/edit#/edit?template=Seen');
    await page.getByRole('table', { name: 'Text templates' }).getByRole('link', { name: 'Seen' }).waitFor();
  });
});
