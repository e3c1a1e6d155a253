import { expect, test } from 'vitest';
import {
  axeFindings,
  axeInBothThemes,
  describeInBrowser,
  openConsole,
} from '../../helpers/console/browser.ts';
import { openLab } from '../../helpers/devices/lab.ts';
import { liveDevices } from '../../helpers/devices/live-devices.ts';
import { SCRIPTS } from '../../lab/devices/scripts.ts';
import { newHostKey, openDevice } from '../../lab/devices/simulator.ts';

describeInBrowser('the devices of the console', async () => {
  const lab = await openLab();
  const { signInWith } = await openConsole(lab);
  const addLive = liveDevices(lab.done, lab.platform.cli);

  test('says where devices come from while there are none, and names the missing role to an account that may not see them', async () => {
    const page = await signInWith(['admin'], '/devices');
    await page.getByRole('heading', { name: 'There are no devices yet' }).waitFor();
    await page.getByRole('link', { name: 'Import devices from CSV' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const other = await signInWith(['other'], '/devices');
    await other.getByRole('heading', { name: 'Your account may not see this' }).waitFor();
    await other.getByText('Needs one of the roles: admin, apiread').waitFor();
  });

  test('filters in the address, and tests selected devices with a result for each', async () => {
    await addLive(['hostname live'], 'cisco_ios', {}, { name: 'core-up' });
    await lab.addDownDevice('core-down');
    await lab.addDownDevice('edge-down');
    const page = await signInWith(['admin'], '/devices');
    const table = page.getByRole('table', { name: 'Devices' });
    await table.getByRole('link', { name: 'edge-down' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('core');
    await table.getByRole('link', { name: 'edge-down' }).waitFor({ state: 'detached' });
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('core');
    await page.getByRole('checkbox', { name: 'Select all rows shown' }).check();
    await page.getByRole('button', { name: 'Test whether they respond' }).click();
    const dialog = page.getByRole('dialog', { name: 'Test whether devices respond' });
    await dialog.getByRole('button', { name: 'Test 2 devices' }).click();
    await dialog.getByRole('row', { name: /core-up done responds/ }).waitFor();
    await dialog.getByRole('row', { name: /core-down failed/ }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  test('acts on no selected row that another filter hides', async () => {
    for (const name of ['hall-1', 'hall-2']) await lab.addDownDevice(name);
    const page = await signInWith(['admin'], '/devices?q=hall');
    await page.getByRole('checkbox', { name: 'Select all rows shown' }).check();
    const selected = page.getByRole('region', { name: 'Selected rows' });
    await selected.getByText('2 selected').waitFor();
    await page.getByRole('searchbox', { name: 'Filter' }).fill('hall-1');
    await page.getByRole('link', { name: 'hall-2' }).waitFor({ state: 'detached' });
    expect(await selected.count()).toBe(0);
    expect(await page.getByRole('checkbox', { name: 'Select row 1' }).isChecked()).toBe(false);
  });

  test('shows the configuration of a device, backs it up and compares, in either theme', async () => {
    const name = 'leaf-themes';
    await addLive(['hostname leaf', 'banner motd <b>hello</b>'], 'cisco_ios', {}, { name });
    const page = await signInWith(['admin'], `/devices/${name}`);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('region', { name: 'Configuration' }).getByText('banner motd <b>hello</b>').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByRole('link', { name: 'Backups' }).click();
    await page.getByRole('heading', { name: 'There is no backup of this device' }).waitFor();
    await page.getByRole('button', { name: 'Back up', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Back up devices' });
    await dialog.getByRole('button', { name: 'Back up 1 device' }).click();
    await dialog.getByText('finished').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'With the device now' }).click();
    await page.getByText('Both are the same.').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByRole('checkbox', { name: 'Select row 1' }).check();
    await page.getByRole('button', { name: 'Delete backups' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 1 backup' }).click();
    await page.getByRole('heading', { name: 'There is no backup of this device' }).waitFor();
    for (const tab of ['Compliance', 'Jobs', 'Commands']) {
      await page
        .getByRole('navigation', { name: 'About this device' })
        .getByRole('link', { name: tab })
        .click();
      await page.waitForURL(new RegExp(`tab=${tab.toLowerCase()}`));
    }
  });

  test('adds a device by hand, which then has its page, and offers it to administrators alone', async () => {
    const page = await signInWith(['admin'], '/devices');
    await page.getByRole('button', { name: 'Add device' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add device' });
    await dialog.getByLabel('Name', { exact: true }).fill('by-hand-1');
    await dialog.getByLabel('Address').fill('127.0.0.1');
    await dialog.getByLabel('SSH port').fill('9');
    await dialog.getByLabel('Device type').selectOption('cisco_ios');
    await dialog.getByLabel('Username on the device').fill('net');
    await dialog.getByLabel('Password on the device').fill('a-password-of-by-hand-1');
    await dialog.getByLabel('Tags').fill('edge, lab');
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add device' }).click();
    await page.getByRole('heading', { level: 1, name: 'by-hand-1' }).waitFor();
    await page.getByRole('region', { name: 'Summary' }).getByText('127.0.0.1 port 9').waitFor();
    const host = await lab.send('admin', 'GET', '/automationgateway/inventory/cli/by-hand-1');
    expect(host.json).toMatchObject({ device_type: 'cisco_ios', username: 'net', tags: ['edge', 'lab'] });
    const reader = await signInWith(['apiread'], '/devices');
    await reader.getByRole('table', { name: 'Devices' }).waitFor();
    expect(await reader.getByRole('button', { name: 'Add device' }).count()).toBe(0);
  });

  test('changes a device and keeps what others changed meanwhile', async () => {
    const secret = 'a-password-of-mole-1';
    const host = {
      name: 'mole-1',
      host: '127.0.0.1',
      port: 9,
      device_type: 'cisco_ios',
      custom: { rack: 'A' },
    };
    await lab.done('POST', '/automationgateway/inventory/cli', {
      host: { ...host, username: 'net', password: secret, tags: ['old'] },
    });
    const stored = async () =>
      (await lab.send('admin', 'GET', '/automationgateway/inventory/cli/mole-1')).json;
    const page = await signInWith(['admin'], '/devices/mole-1');
    const answers: string[] = [];
    page.on('response', async (response) => answers.push(await response.text().catch(() => '')));
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Change mole-1' });
    const save = dialog.getByRole('button', { name: 'Save', exact: true });
    await dialog.getByLabel('Address', { exact: true }).fill('127.0.0.2');
    // A stored secret is sent to no other address.
    await dialog.getByText('The address changes: type it again, or remove it below.').waitFor();
    expect(await save.isEnabled()).toBe(false);
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByLabel('Password on the device').fill(`${secret}2`);
    await dialog.getByLabel('Tags').fill('pier, stone');
    await dialog.getByLabel('Custom fields').fill('{"floor": 3}');
    await lab.done('PATCH', '/automationgateway/inventory/cli/mole-1', { updates: { site: 'quay' } });
    await save.click();
    await dialog.getByText('Host mole-1 was changed by another request').waitFor();
    expect(await dialog.getByLabel('Tags').inputValue()).toBe('pier, stone');
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    const summary = page.getByRole('region', { name: 'Summary' });
    await summary.getByText('127.0.0.2 port 9').waitFor();
    await summary.getByText('pier, stone').waitFor();
    expect(await stored()).toMatchObject({
      ...{ host: '127.0.0.2', site: 'quay', tags: ['pier', 'stone'], custom: { floor: 3 } },
      ...{ username: 'net', password: '********' },
    });
    expect(answers.join('').includes(secret)).toBe(false);
    await summary.getByRole('link', { name: 'who changed it' }).click();
    await page
      .getByRole('table', { name: 'Audit trail' })
      .getByText('automationgateway.updateHost')
      .first()
      .waitFor();
    const reader = await signInWith(['apiread'], '/devices/mole-1');
    await reader.getByRole('region', { name: 'Summary' }).waitFor();
    for (const name of ['Change', 'Delete', 'Change groups'])
      expect(await reader.getByRole('button', { name, exact: true }).count()).toBe(0);
  });

  test('deletes a device after saying what stays, and selected ones with a result for each', async () => {
    for (const name of ['gone-1', 'gone-2', 'gone-3']) await lab.addDownDevice(name);
    const tree = await lab.done<{ id: string }>('POST', '/configuration_manager/configs', {
      name: 'Moored',
      deviceType: 'cisco-ios',
    });
    await lab.done('POST', `/configuration_manager/configs/${tree.id}/initial/base/devices`, {
      devices: ['gone-3'],
    });
    await lab.done('POST', '/configuration_manager/import/backups', {
      backups: [{ name: 'gone-1', rawConfig: 'hostname gone\n' }],
    });
    const group = await lab.done<{ id: string }>('POST', '/configuration_manager/devicegroup', {
      groupName: 'Leavers',
      deviceNames: 'gone-1',
    });
    const page = await signInWith(['admin'], '/devices/gone-1');
    await page.getByRole('button', { name: 'Change groups' }).click();
    const groups = page.getByRole('dialog', { name: 'Groups of gone-1' });
    expect(await groups.getByRole('checkbox', { name: 'Leavers' }).isChecked()).toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete gone-1?' });
    await dialog.getByText('1 backup,').waitFor();
    await dialog.getByText('Groups that list it keep its name: Leavers.').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete device' }).click();
    await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
    await page.goto('/console/devices?q=gone-');
    await page.getByRole('checkbox', { name: 'Select all rows shown' }).check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const bulk = page.getByRole('dialog', { name: 'Delete devices' });
    const calls: string[] = [];
    page.on('request', (request) => calls.push(new URL(request.url()).pathname));
    await bulk.getByRole('button', { name: 'Delete 2 devices' }).click();
    await bulk.getByRole('row', { name: /gone-2 done deleted/ }).waitFor();
    await bulk.getByRole('row', { name: /gone-3 failed Device gone-3 is assigned to tree Moored/ }).waitFor();
    await bulk.getByText('finished').waitFor();
    expect(calls.filter((path) => /deleteDevices|deleteHost|getDevice$/.test(path))).toHaveLength(1);
    for (const name of ['gone-1', 'gone-2'])
      expect((await lab.send('admin', 'GET', `/automationgateway/inventory/cli/${name}`)).status).toBe(404);
    await lab.done('DELETE', '/configuration_manager/devicegroups', { groupIds: [group.id] });
  });

  test('renders a template for a device, and sends the lines that it has shown', async () => {
    const name = 'mast-1';
    const { config } = await addLive(['hostname mast'], 'cisco_ios', {}, { name });
    const page = await signInWith(['admin'], '/devices');
    await page.getByRole('link', { name: 'Templates', exact: true }).click();
    await page.getByRole('button', { name: 'Create template' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Clocks');
    await dialog.getByLabel('Template').fill('ntp server {{ ntp');
    await dialog.getByLabel('Variables').fill('{"ntp": "192.0.2.9"}');
    await dialog.getByRole('button', { name: 'Create template' }).click();
    await dialog.getByRole('alert').getByText('template', { exact: true }).waitFor();
    await dialog.getByLabel('Template').fill('ntp server {{ ntp }}\n');
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create template' }).click();
    await dialog.waitFor({ state: 'detached' });
    const act = async (action: string) => {
      await page.getByRole('button', { name: 'Actions of Clocks' }).click();
      await page.getByRole('menuitem', { name: action, exact: true }).click();
    };
    await act('Render for a device');
    await dialog.getByLabel('Device').fill(name);
    await dialog.getByLabel('Variables').fill('{"ntp": "192.0.2.77"}');
    await dialog.getByRole('button', { name: 'Render', exact: true }).click();
    await dialog.getByText('ntp server 192.0.2.77').waitFor();
    await dialog.getByText('1 line would be sent').waitFor();
    const isConfigured = () => config.running.includes('ntp server 192.0.2.78');
    expect(isConfigured()).toBe(false);
    // Other values have to be looked at anew.
    await dialog.getByLabel('Variables').fill('{"ntp": "192.0.2.78"}');
    await dialog.getByText('ntp server 192.0.2.77').waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Render', exact: true }).click();
    await dialog.getByText('ntp server 192.0.2.78').waitFor();
    // Who presses Enter twice renders twice, and sends nothing.
    await dialog.getByLabel('Device').press('Enter');
    await dialog.getByLabel('Device').press('Enter');
    await expect
      .poll(() => dialog.getByRole('button', { name: 'Render', exact: true }).isEnabled())
      .toBe(true);
    expect(isConfigured()).toBe(false);
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: `Send 1 line to ${name}` }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(isConfigured()).toBe(true);

    await act('Change');
    const { list } = await lab.done<{ list: { id: string }[] }>(
      'POST',
      '/configuration_manager/templates/search',
      { name: 'Clocks' },
    );
    await lab.done('PUT', '/configuration_manager/templates', {
      id: list[0]?.id,
      data: { variables: { ntp: '192.0.2.1' } },
    });
    await dialog.getByLabel('Device types').fill('cisco-ios');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('was changed by another request').waitFor();
    expect(await dialog.getByLabel('Device types').inputValue()).toBe('cisco-ios');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await act('Delete');
    await dialog.getByRole('button', { name: 'Delete template' }).click();
    await page.getByRole('heading', { name: 'There is no device template yet' }).waitFor();
    const reader = await signInWith(['other'], '/device-templates');
    await reader.getByText('Needs one of the roles: admin').waitFor();
  });

  test('stores in which groups a device is, and leaves those alone that were not changed', async () => {
    await lab.addDownDevice('berth-1');
    const groupOf = async (groupName: string, deviceNames: string) =>
      (
        await lab.done<{ id: string }>('POST', '/configuration_manager/devicegroup', {
          groupName,
          deviceNames,
        })
      ).id;
    const ids = [
      await groupOf('Left', 'berth-1'),
      await groupOf('Joined', ''),
      await groupOf('Kept', 'berth-1'),
    ];
    const page = await signInWith(['admin'], '/devices/berth-1');
    await page.getByRole('button', { name: 'Change groups' }).click();
    const dialog = page.getByRole('dialog', { name: 'Groups of berth-1' });
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'Left' }).uncheck();
    await dialog.getByRole('checkbox', { name: 'Joined' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const summary = page.getByRole('region', { name: 'Summary' });
    await summary.getByRole('link', { name: 'Joined' }).waitFor();
    await summary.getByRole('link', { name: 'Kept' }).waitFor();
    expect(await summary.getByRole('link', { name: 'Left' }).count()).toBe(0);
    await lab.done('DELETE', '/configuration_manager/devicegroups', { groupIds: ids });
  });

  test('a device with another host key is signed in to after its new key was accepted', async () => {
    const name = 'lock-1';
    const { simulated } = await addLive(['hostname lock'], 'cisco_ios', {}, { name });
    const connect = () => lab.done<{ ok: boolean }>('POST', `/automationgateway/inventory/cli/${name}/test`);
    expect(await connect()).toMatchObject({ ok: true });
    const { port } = simulated;
    await simulated.close();
    const [script] = SCRIPTS;
    if (!script) throw new Error('there are scripts');
    const replaced = await openDevice(script, { port, hostKeys: [newHostKey()] });
    try {
      const { hostKey } = (await connect()) as unknown as { hostKey: { fingerprint: string } };
      const page = await signInWith(['admin'], `/devices/${name}`);
      const note = page.getByRole('note').filter({ hasText: 'another host key' });
      await note.getByRole('button', { name: 'Accept the new key' }).click();
      const dialog = page.getByRole('dialog', { name: 'Accept the new key' });
      await dialog.getByText(hostKey.fingerprint).waitFor();
      expect(await axeInBothThemes(page)).toEqual([]);
      expect(await connect()).toMatchObject({ ok: false });
      await dialog.getByRole('button', { name: 'Accept the new key' }).click();
      await dialog.waitFor({ state: 'detached' });
      await note.waitFor({ state: 'detached' });
      expect(await connect()).toMatchObject({ ok: true });
      const reader = await signInWith(['apiread'], `/devices/${name}`);
      await reader.getByRole('region', { name: 'Summary' }).waitFor();
      expect(await reader.getByRole('button', { name: 'Accept the new key' }).count()).toBe(0);
    } finally {
      await replaced.close();
    }
  });

  test('stores groups of devices, and shows markup in their names as text', async () => {
    await lab.addDownDevice('rack-1');
    const page = await signInWith(['admin'], '/devices?q=rack-1');
    await page.getByRole('checkbox', { name: 'Select row 1' }).check();
    await page.getByRole('button', { name: 'Add to group' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add to group' });
    await dialog.getByLabel('Name of the new group').fill('Rack <i>one</i>\u202e');
    await dialog.getByRole('button', { name: 'Add 1 device' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Device groups' }).click();
    await page.getByRole('link', { name: 'Rack <i>one</i>⟨U+202E⟩' }).click();
    await page
      .getByRole('table', { name: 'Devices of the group' })
      .getByRole('link', { name: 'rack-1' })
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete group' }).click();
    await page.getByRole('heading', { name: 'There is no device group yet' }).waitFor();
  });

  test('shows what is stored about a device of a group that no inventory lists', async () => {
    const backups = [{ name: 'stored-only', rawConfig: 'hostname stored\n' }];
    await lab.done('POST', '/configuration_manager/import/backups', { backups });
    const { id } = (await lab.done('POST', '/configuration_manager/devicegroup', {
      groupName: 'Stored',
      deviceNames: 'stored-only',
    })) as { id: string };
    const page = await signInWith(['admin'], `/device-groups/${id}`);
    await page.getByRole('link', { name: 'stored-only' }).click();
    await page.getByText('No inventory lists this device').waitFor();
    const rows = page.getByRole('table', { name: 'Backups' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(2);
    expect(await axeFindings(page)).toEqual([]);
    await page.goto('/console/devices/nowhere');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
  });
});
