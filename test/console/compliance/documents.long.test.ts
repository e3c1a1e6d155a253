import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { openHarbour } from '../../helpers/console/harbour.ts';
import { act, send } from '../../helpers/console/rows.ts';

describeInBrowser('documents of compliance, created, changed and removed', async () => {
  const harbour = await openHarbour();
  const { admin, service } = harbour;
  const { signInWith } = await openConsole(service);

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
});
