import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { axeFindings, axeInBothThemes, describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { openHarbour } from '../helpers/console/harbour.ts';
import { act, send } from '../helpers/console/rows.ts';
import { createGroup, createPerson } from '../helpers/people.ts';

describeInBrowser('documents that the console creates, changes and removes', async () => {
  const { admin, service } = await openHarbour();
  const { signIn, signInWith } = await openConsole(service);

  test('a command template gets a check, is exported, imported again and deleted', async () => {
    const page = await signInWith(['admin'], '/commands?devices=quay-1');
    await page.getByLabel('Commands to send').fill('show version\nshow clock');
    await page.getByRole('button', { name: 'Save as command template' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Which version');
    expect(await axeFindings(page)).toEqual([]);
    await send(page, 'Save template');
    await page.getByRole('link', { name: 'Command templates' }).click();
    const table = page.getByRole('table', { name: 'Command templates' });
    await table.getByText('show version; show clock').waitFor();

    await act(page, 'Which version', 'Change');
    await dialog.getByRole('button', { name: 'Add check of command 1' }).click();
    await dialog.getByLabel('Check 1.1: the output').selectOption('RegEx');
    await dialog.getByLabel('Text 1.1').fill('Version (');
    await dialog.getByRole('button', { name: 'Remove command 2' }).click();
    await dialog.getByRole('button', { name: 'Save template' }).click();
    await dialog.getByRole('alert').getByText('mop.commands.0.rules.0.rule', { exact: true }).waitFor();
    await dialog.getByLabel('Text 1.1').fill('Version (\\S+)');
    expect(await axeInBothThemes(page)).toEqual([]);
    await send(page, 'Save template');
    const [stored] = await admin.mop.listATemplate({ name: 'Which version' });
    expect(stored?.commands).toMatchObject([
      { command: 'show version', rules: [{ rule: 'Version (\\S+)', eval: 'RegEx', severity: 'error' }] },
    ]);

    const download = page.waitForEvent('download');
    await act(page, 'Which version', 'Export');
    const text = await readFile(await (await download).path(), 'utf8');
    await act(page, 'Which version', 'Delete');
    await send(page, 'Delete template');
    await page.getByRole('heading', { name: 'There is no command template yet' }).waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByLabel('Or its text').fill(text);
    await send(page, 'Import template');
    await table.getByText('show version').waitFor();
    expect((await admin.mop.listTemplates({})).map(({ name }) => name)).toEqual(['Which version']);
  });

  test('a project gets a group as a member, whose role changes, and who is taken out again', async () => {
    const { data: project } = await admin.automationStudio.createProject({ name: 'Piers' });
    const group = await createGroup(service, { name: 'Pilots' });
    const account = await createPerson(service, ['admin']);
    const membersNow = async () =>
      ((await admin.automationStudio.getProject({ projectId: project._id })).data.members ?? [])
        .map(({ reference, role }) => [reference, role])
        .slice(1);
    const members = (await admin.automationStudio.getProject({ projectId: project._id })).data.members ?? [];
    await admin.automationStudio.updateProject({
      projectId: project._id,
      members: [...members, { type: 'account', reference: account.id, role: 'owner' }],
    });
    const own = await signIn(account, `/projects/${project._id}`);
    await own.getByRole('button', { name: 'Add member' }).click();
    const dialog = own.getByRole('dialog');
    await dialog.getByLabel('Kind').selectOption('group');
    await dialog.getByLabel('Group').selectOption({ label: 'Pilots' });
    expect(await axeInBothThemes(own)).toEqual([]);
    await send(own, 'Add member');
    await own.getByRole('region', { name: 'Members' }).getByText('operator, a group').waitFor();
    await own.getByRole('button', { name: 'Change members' }).click();
    await dialog.getByLabel('Pilots').selectOption('editor');
    await send(own, 'Save members');
    expect(await membersNow()).toEqual([
      [account.id, 'owner'],
      [group, 'editor'],
    ]);
    await own.getByRole('button', { name: 'Change members' }).click();
    await dialog.getByLabel('Pilots').selectOption('none');
    await dialog.getByText('Pilots can no longer read the project').waitFor();
    await send(own, 'Save members');
    expect(await membersNow()).toEqual([[account.id, 'owner']]);
  });

  test('a transformation is created, renamed, changed, exported and deleted, unless it is used', async () => {
    const page = await signInWith(['admin'], '/projects');
    await page.getByRole('link', { name: 'Transformations' }).click();
    await page.getByRole('button', { name: 'Create transformation' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Document as JSON').fill('{"name": "Berth of a ship", "steps": [');
    expect(await dialog.getByRole('button', { name: 'Create transformation' }).isDisabled()).toBe(true);
    await dialog
      .getByLabel('Document as JSON')
      .fill('{"name": "Berth of a ship", "incoming": [], "outgoing": [], "steps": [], "functions": []}');
    expect(await axeInBothThemes(page)).toEqual([]);
    await send(page, 'Create transformation');
    await act(page, 'Berth of a ship', 'Rename');
    await dialog.getByLabel('Name', { exact: true }).fill('Berth');
    await send(page, 'Rename');
    await act(page, 'Berth', 'Change document');
    const text = await dialog.getByLabel('Document as JSON').inputValue();
    await dialog
      .getByLabel('Document as JSON')
      .fill(JSON.stringify({ ...(JSON.parse(text) as object), description: 'Where it lies' }));
    await send(page, 'Save document');
    const { results } = await admin.transformations.listTransformations({});
    expect(results).toMatchObject([{ name: 'Berth', description: 'Where it lies' }]);
    await act(page, 'Berth', 'Try');
    await dialog.getByLabel('Inputs, as JSON').fill('{"ship":');
    expect(await dialog.getByRole('button', { name: 'Run' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Inputs, as JSON').fill('{}');
    await dialog.getByRole('button', { name: 'Run' }).click();
    await dialog.getByRole('region', { name: 'Outputs' }).getByText('{}').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await act(page, 'Berth', 'Used by');
    await dialog.getByText('No document uses it.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    const download = page.waitForEvent('download');
    await act(page, 'Berth', 'Export');
    expect((await download).suggestedFilename()).toBe('Berth.transformation.json');
    await act(page, 'Berth', 'Delete');
    await send(page, 'Delete transformation');
    await page.getByRole('heading', { name: 'There is no transformation yet' }).waitFor();
  });

  test('a form is created, changed, and not deleted while a trigger uses it', async () => {
    const page = await signInWith(['admin'], '/automations');
    await page.getByRole('link', { name: 'Forms', exact: true }).click();
    await page.getByRole('button', { name: 'Create form' }).click();
    const dialog = page.getByRole('dialog');
    const document = dialog.getByLabel('Document as JSON');
    const form = { name: 'Which berth', schema: 'no schema' };
    await document.fill(JSON.stringify(form));
    await dialog.getByRole('button', { name: 'Create form' }).click();
    await dialog.getByRole('alert').waitFor();
    await document.fill(JSON.stringify({ ...form, schema: { type: 'object', properties: { berth: {} } } }));
    expect(await axeInBothThemes(page)).toEqual([]);
    await send(page, 'Create form');
    await act(page, 'Which berth', 'Change document');
    const text = JSON.parse(await document.inputValue()) as object;
    await document.fill(JSON.stringify({ ...text, description: 'Of a ship' }));
    await send(page, 'Save document');
    await page.getByRole('table', { name: 'Forms' }).getByText('Of a ship').waitFor();
    await act(page, 'Which berth', 'Delete');
    await send(page, 'Delete form');
    await act(page, 'Which site', 'Delete');
    await dialog.getByRole('button', { name: 'Delete form' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/Visits|By hand/)
      .first()
      .waitFor();
    expect((await admin.jsonForms.listForms({})).map(({ name }) => name)).toEqual(['Which site']);
  });
});
