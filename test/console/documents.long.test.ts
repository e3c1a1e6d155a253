import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeFindings, axeInBothThemes, describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { openHarbour } from '../helpers/console/harbour.ts';
import { createGroup, createPerson } from '../helpers/people.ts';

describeInBrowser('documents that the console creates, changes and removes', async () => {
  const harbour = await openHarbour();
  const { admin, service } = harbour;
  const { signIn, signInWith } = await openConsole(service);

  /** Opens the menu of a row, and presses one of its actions. */
  const act = async (page: Page, row: string, action: string) => {
    await page.getByRole('button', { name: `Actions of ${row}` }).click();
    await page.getByRole('menuitem', { name: action, exact: true }).click();
  };
  /** Presses the action of the dialog that is open, and waits until it has closed. */
  const send = async (page: Page, action: string) => {
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: action, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  };

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

  test('a command policy is created by keyboard, denies a command, is changed and deleted', async () => {
    const page = await signInWith(['admin'], '/admin/command-policies');
    await page.getByRole('heading', { name: 'There is no command policy yet' }).waitFor();
    await page.getByRole('button', { name: 'Create policy' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await expect.poll(() => page.evaluate(`document.activeElement?.tagName`)).toBe('INPUT');
    await page.keyboard.type('No reload');
    await dialog.getByLabel('Denied commands').focus();
    await page.keyboard.type('reload');
    await dialog.getByRole('button', { name: 'Create policy' }).focus();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page
      .getByRole('table', { name: 'Command policies' })
      .getByText('reload', { exact: true })
      .waitFor();
    await expect(
      admin.automationgateway.sendCommand({
        cliSendCommandParameters: {
          host: 'quay-1',
          commands: ['reload'],
          connection_options: { device_type: 'cisco_ios' },
        },
      }),
    ).rejects.toThrow(/No reload/);

    await act(page, 'No reload', 'Change');
    await dialog.getByLabel('Device types').fill('no_such_type');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('policy.device_types.0', { exact: true }).waitFor();
    await dialog.getByLabel('Device types').fill('cisco_ios');
    await dialog.getByLabel('Allowed commands', { exact: true }).fill('show\nping');
    expect(await axeInBothThemes(page)).toEqual([]);
    await send(page, 'Save');
    expect(await admin.automationgateway.getPolicy({ name: 'No reload' })).toMatchObject({
      device_types: ['cisco_ios'],
      allow: ['show', 'ping'],
      deny: ['reload'],
    });
    await act(page, 'No reload', 'Delete');
    await send(page, 'Delete policy');
    await page.getByRole('heading', { name: 'There is no command policy yet' }).waitFor();
  });

  test('a compliance plan is created, run, changed over the change of somebody else, and deleted', async () => {
    const page = await signInWith(['admin'], '/compliance');
    await page.getByRole('link', { name: 'Plans', exact: true }).click();
    await page.getByRole('button', { name: 'Create plan' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Every night');
    await dialog.getByLabel('Golden config 1').selectOption(harbour.treeId);
    await dialog.getByLabel('Node to check 1').selectOption({ label: 'base' });
    await dialog.getByLabel('Only these devices 1').fill('quay-1\nquay-2');
    expect(await axeInBothThemes(page)).toEqual([]);
    await send(page, 'Create plan');

    await act(page, 'Every night', 'Run');
    await page.getByRole('heading', { level: 1, name: 'Compliance', exact: true }).waitFor();
    const runs = page.getByRole('region', { name: 'Runs' });
    await runs.getByText('complete').waitFor();
    await page.goto('/console/compliance-plans');
    await act(page, 'Every night', 'Runs');
    await dialog.getByText('2 of 2').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();

    await act(page, 'Every night', 'Change');
    await dialog.getByLabel('Description').fill('Before the backups');
    const { plans } = await admin.configurationManager.searchPlans({});
    const planId = plans[0]?.id ?? '';
    await admin.configurationManager.updatePlan({ planId, options: { throttle: 7 } });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('was changed by another request').waitFor();
    expect(await dialog.getByLabel('Description').inputValue()).toBe('Before the backups');
    await send(page, 'Save');
    expect(await admin.configurationManager.getPlan({ planId })).toMatchObject({
      description: 'Before the backups',
      nodes: [{ devices: ['quay-1', 'quay-2'] }],
    });
    await act(page, 'Every night', 'Change');
    await dialog.getByRole('checkbox', { name: 'All quays' }).check();
    await dialog.getByLabel('Variables 1').fill('{ "site": ');
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Variables 1').fill('{ "site": "mole" }');
    await dialog.getByRole('button', { name: 'Select devices by properties 1' }).click();
    const selection = page.getByRole('dialog', { name: 'Select devices by properties' });
    await selection.getByLabel('Name pattern').fill('quay-3');
    await selection.getByRole('button', { name: 'Select 1 device' }).click();
    await dialog.getByText('pattern quay-3').waitFor();
    // A node that is taken out leaves what was typed for the others.
    await dialog.getByRole('button', { name: 'Add node' }).click();
    await dialog.getByRole('button', { name: 'Add node' }).click();
    await dialog.getByLabel('Only these devices 3').fill('quay-9');
    await dialog.getByRole('button', { name: 'Remove node 2' }).click();
    expect(await dialog.getByLabel('Only these devices 2').inputValue()).toBe('quay-9');
    await dialog.getByRole('button', { name: 'Remove node 2' }).click();
    expect(await axeInBothThemes(page)).toEqual([]);
    await send(page, 'Save');
    expect((await admin.configurationManager.getPlan({ planId })).nodes).toMatchObject([
      {
        devices: ['quay-1', 'quay-2'],
        deviceGroups: [harbour.selectedGroupId],
        selection: { pattern: 'quay-3' },
        variables: { site: 'mole' },
      },
    ]);
    await act(page, 'Every night', 'Change');
    expect(await dialog.getByRole('checkbox', { name: 'All quays' }).isChecked()).toBe(true);
    await dialog.getByText('pattern quay-3').waitFor();
    await dialog.getByRole('checkbox', { name: 'All quays' }).uncheck();
    await dialog.getByRole('button', { name: 'Remove the selection 1' }).click();
    await dialog.getByLabel('Variables 1').fill('');
    await send(page, 'Save');
    const [node] = (await admin.configurationManager.getPlan({ planId })).nodes;
    expect(node).toMatchObject({ deviceGroups: [], variables: {} });
    expect(node).not.toHaveProperty('selection');
    await act(page, 'Every night', 'Delete');
    await send(page, 'Delete plan');
    await page.getByRole('heading', { name: 'There is no compliance plan yet' }).waitFor();
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

  test('an adapter is imported and its configuration changed, which keeps its secret; an application restarts', async () => {
    const page = await signInWith(['admin'], '/admin/adapters');
    await page.getByRole('button', { name: 'Import adapter' }).click();
    const dialog = page.getByRole('dialog');
    const tower = {
      name: 'tower',
      type: 'Adapter',
      model: '@switchyard/adapter-orchestrator',
      properties: {
        id: 'tower',
        type: 'Orchestrator',
        properties: { host: '127.0.0.1', authentication: { username: 'a', password: 'a-lamp-in-a-tower' } },
      },
    };
    await dialog.getByLabel('Or its text').fill(JSON.stringify(tower));
    await send(page, 'Import adapter');
    await act(page, 'tower', 'Change');
    const document = dialog.getByLabel('Document as JSON');
    const text = await document.inputValue();
    expect(text).not.toContain('a-lamp-in-a-tower');
    // A colleague changes it meanwhile.
    await admin.adapters.updateProperties({ name: 'tower', properties: { maxConcurrent: 7 } });
    await document.fill(text.replace('"type": "Adapter"', '"type": "Adapter", "isEncrypted": true'));
    const typed = await document.inputValue();
    await dialog.getByRole('button', { name: 'Save configuration' }).click();
    await dialog.getByRole('alert').getByText('was changed by another request').waitFor();
    expect(await document.inputValue()).toBe(typed);
    expect((await admin.adapters.getAdapter({ name: 'tower' })).data.properties.properties).toMatchObject({
      maxConcurrent: 7,
    });
    expect(await axeInBothThemes(page)).toEqual([]);
    await send(page, 'Save configuration');
    expect((await admin.adapters.getAdapter({ name: 'tower' })).data).toMatchObject({ isEncrypted: true });

    await page.goto('/console/admin/applications');
    await page
      .getByRole('button', { name: /^Restart / })
      .first()
      .click();
    await page
      .getByRole('region', { name: 'Messages' })
      .getByText(/restart/i)
      .first()
      .waitFor();
  });

  test('a config parser is tried before it is stored, changed over the change of somebody else, and deleted', async () => {
    const page = await signInWith(['admin'], '/trees');
    await page.getByRole('link', { name: 'Config parsers' }).click();
    await act(page, 'juniper-junos', 'Try');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Configuration to parse').fill('system {\n    host-name mole;\n}\nbroken {');
    await dialog.getByRole('button', { name: 'Parse', exact: true }).click();
    await dialog.getByText('host-name │ mole').waitFor();
    await dialog.getByText(/kept unparsed/).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: 'Create parser' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('mole-switches');
    await dialog.getByLabel('Based on').selectOption('cisco-ios');
    await expect.poll(() => dialog.getByLabel('Rules').inputValue()).toContain('word ');
    await dialog.getByLabel('Rules').fill('noun \\S+');
    await dialog.getByText('Line 1 must begin with one of end_line').waitFor();
    await dialog.getByLabel('Rules').fill('end_line \\n\ncomment #[^\\n]*\nword [^\\s;]+');
    await dialog.getByText('Try it before it is stored').click();
    await dialog.getByLabel('Configuration to parse').fill('vlan 7 # of ships\n');
    await dialog.getByRole('button', { name: 'Parse', exact: true }).click();
    await dialog.getByText('vlan │ 7', { exact: true }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await send(page, 'Create parser');

    await act(page, 'mole-switches', 'Change');
    await dialog.getByLabel('Rules').fill('word (');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('options.lexRules.0.0', { exact: true }).waitFor();
    const rules: [string, 'word' | 'end_line'][] = [
      ['\\n', 'end_line'],
      ['\\S+', 'word'],
    ];
    await admin.configurationManager.updateParser({ name: 'mole-switches', options: { lexRules: rules } });
    await dialog.getByLabel('Rules').fill('end_line \\n\nword [a-z]+');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('was changed by another request').waitFor();
    expect(await dialog.getByLabel('Rules').inputValue()).toBe('end_line \\n\nword [a-z]+');
    await send(page, 'Save');
    const stored = await admin.configurationManager.searchParsers({ filter: { name: 'mole-switches' } });
    expect(stored.parser?.lexRules).toEqual([
      ['\\n', 'end_line'],
      ['[a-z]+', 'word'],
    ]);
    // Without rules it has those of the parser that it is based on.
    await act(page, 'mole-switches', 'Change');
    await dialog.getByLabel('Rules').fill('');
    await send(page, 'Save');
    const list = await admin.configurationManager.listParsers({});
    const rulesOf = (name: string) => list.find((one) => one.name === name)?.lexRules;
    expect(rulesOf('mole-switches')).toEqual(rulesOf('cisco-ios'));
    await page.getByRole('button', { name: 'Actions of juniper-junos' }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Try', 'Export']);
    await page.keyboard.press('Escape');
    await act(page, 'mole-switches', 'Delete');
    await send(page, 'Delete parser');
    await page.getByText('mole-switches').waitFor({ state: 'detached' });
    const reader = await signInWith(['apiread'], '/parsers');
    await reader.getByRole('table', { name: 'Config parsers' }).waitFor();
    expect(await reader.getByRole('button', { name: 'Create parser' }).count()).toBe(0);
  });

  test('a profile is created, changed over the change of somebody else, copied, and deleted unless it is active', async () => {
    const page = await signInWith(['admin'], '/admin/profiles');
    await page.getByRole('button', { name: 'Create profile' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('summer');
    await dialog.getByLabel('Description').fill('Long days');
    expect(await axeInBothThemes(page)).toEqual([]);
    await send(page, 'Create profile');
    await page.getByRole('link', { name: 'summer' }).click();
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const document = dialog.getByLabel('Document as JSON');
    const text = JSON.parse(await document.inputValue()) as { id: string };
    expect(text).toMatchObject({ id: 'summer', description: 'Long days' });
    await admin.profiles.updateProfile({ id: 'summer', properties: { description: 'Warm days' } });
    await document.fill(JSON.stringify({ ...text, description: 'Short nights' }));
    await dialog.getByRole('button', { name: 'Save profile' }).click();
    await dialog.getByRole('alert').getByText('was changed by another request').waitFor();
    await send(page, 'Save profile');
    await page.getByText('Short nights').first().waitFor();
    await page.getByRole('link', { name: 'Profiles', exact: true }).first().click();
    await act(page, 'summer', 'Copy');
    await dialog.getByLabel('Name', { exact: true }).fill('autumn');
    await send(page, 'Copy profile');
    expect((await admin.profiles.getProfile({ id: 'autumn' })).profile.description).toBe('Short nights');
    await page.getByRole('link', { name: 'autumn' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    expect(await axeInBothThemes(page)).toEqual([]);
    await send(page, 'Delete profile');
    await page.getByRole('table', { name: 'Profiles' }).waitFor();
    await page.getByRole('link', { name: 'autumn' }).waitFor({ state: 'detached' });
    const { results } = await admin.profiles.getProfiles({});
    const active = results.find(({ metadata }) => metadata.isActive)?.profile.id ?? '';
    await page.goto(`/console/admin/profiles/${active}`);
    await page.getByRole('button', { name: 'Change', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
  });
});
