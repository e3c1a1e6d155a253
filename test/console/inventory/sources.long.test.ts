import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { press } from '../../helpers/console/keys.ts';
import { netboxDevice, openNetbox } from '../../helpers/inventory/netbox.ts';
import { openService } from '../../helpers/service.ts';

describeInBrowser('the inventory of the console', async () => {
  const service = await openService({}, { works: true });
  const netbox = await openNetbox('a-token-of-netbox');
  const { signInWith } = await openConsole(service);

  test('creates a source, previews it, reads it with progress, and lists its runs; the token is never shown', async () => {
    netbox.state.devices = [
      netboxDevice('quay-1'),
      netboxDevice('quay-2', { platform: { slug: 'cisco-ios' } }),
      netboxDevice('quay-3', { primary_ip: null }),
    ];
    const page = await signInWith(['admin'], '/inventory/sources');
    await page.getByRole('heading', { name: 'There is no inventory source yet' }).waitFor();
    await page.getByRole('button', { name: 'Create source' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create source' });
    await dialog.getByLabel('Name', { exact: true }).fill('quay');
    await dialog.getByLabel('Address', { exact: true }).fill('ftp://quay');
    await dialog.getByLabel('Token').fill(netbox.token);
    await dialog.getByText('Mapping of fields').click();
    await dialog.getByLabel('Custom fields').fill('unit = custom_fields.rack_unit');
    await dialog.getByLabel('Schedule').selectOption('day');
    await dialog.getByLabel('Time of day').fill('03:15');
    await dialog.getByLabel('Time zone').selectOption('Europe/Berlin');
    await dialog
      .getByRole('region', { name: 'Next times' })
      .getByText(/at 03:15 Europe\/Berlin/)
      .first()
      .waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create source' }).click();
    await dialog.getByRole('alert').getByText('source.url', { exact: true }).waitFor();
    // What was typed stays when the service refuses it.
    expect(await dialog.getByLabel('Token').inputValue()).toBe(netbox.token);
    await dialog.getByLabel('Address', { exact: true }).fill(netbox.url);
    await dialog.getByRole('button', { name: 'Create source' }).click();
    await page.getByRole('heading', { level: 1, name: 'quay' }).waitFor();
    await page
      .getByRole('region', { name: 'Summary' })
      .getByText('each day at 03:15 (Europe/Berlin)')
      .waitFor();

    await page.getByRole('button', { name: 'Preview' }).click();
    const preview = page.getByRole('region', { name: 'Preview', exact: true });
    await preview.getByText('2 new, 0 changed, 0 gone, 0 unchanged.').waitFor();
    await preview.getByRole('table', { name: 'Issues' }).getByText('has no management address').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);

    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByRole('heading', { level: 1, name: 'Run of quay' }).waitFor();
    const run = page.getByRole('region', { name: 'Summary' });
    await run.getByText('complete', { exact: true }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByRole('link', { name: 'quay', exact: true }).click();
    const runs = page.getByRole('table', { name: 'Runs' });
    await runs.getByRole('row', { name: /complete 2 0 0 0 1/ }).waitFor();
    const shown = await page.content();
    expect(shown).not.toContain(netbox.token);
  });

  test('keeps the stored token when a source is changed without typing it', async () => {
    const page = await signInWith(['admin'], '/inventory/sources');
    await page.getByRole('link', { name: 'quay' }).click();
    await page.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change source' });
    expect(await dialog.getByLabel('Token').inputValue()).toBe('');
    await dialog.getByLabel('Devices that the source no longer has').selectOption('mark');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page
      .getByRole('region', { name: 'Summary' })
      .getByText('are marked as missing', { exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Preview' }).click();
    const preview = page.getByRole('region', { name: 'Preview', exact: true });
    await preview.getByRole('status').waitFor({ state: 'detached' });
    expect(await preview.textContent()).toContain('0 new, 0 changed, 0 gone, 2 unchanged.');
  });

  test('previews which devices are new, changed and gone and what a run does with them, and says why a source cannot be read', async () => {
    netbox.state.devices = [netboxDevice('quay-1', { site: { slug: 'oslo-1' } }), netboxDevice('quay-4')];
    const page = await signInWith(['admin'], '/inventory/sources');
    await page.getByRole('link', { name: 'quay', exact: true }).waitFor();
    await press(page, 'quay');
    await page.getByRole('heading', { level: 1, name: 'quay' }).waitFor();
    await press(page, 'Preview');
    const preview = page.getByRole('region', { name: 'Preview', exact: true });
    await preview.getByText('1 new, 1 changed, 1 gone, 0 unchanged.').waitFor();
    await preview.getByText('A run marks the devices that are gone from the source as missing.').waitFor();
    const changes = preview.getByRole('table', { name: 'Changes of a run' });
    for (const row of [/^quay-4 new/, /^quay-1 changed .*site/, /^quay-2 gone/])
      await changes.getByRole('row', { name: row }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);

    netbox.state.devices = [];
    await press(page, 'Read again');
    const empty = 'The source has no devices, so nothing was changed (SOURCE_EMPTY)';
    await preview.getByText(empty).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await press(page, 'Sync now');
    await page.getByRole('heading', { level: 1, name: 'Run of quay' }).waitFor();
    const run = page.getByRole('region', { name: 'Summary' });
    await run.getByText('failed', { exact: true }).waitFor();
    await run.getByText(empty).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);

    netbox.state.answer = (_, response) => {
      response.writeHead(503).end();
      return true;
    };
    await press(page, 'quay');
    await press(page, 'Preview');
    await preview.getByText('The source answered with status 503 (SOURCE_REJECTED)').waitFor();
    netbox.state.answer = () => false;
    await press(page, 'Inventory sources');
    const sources = page.getByRole('table', { name: 'Inventory sources' });
    await sources.getByRole('row', { name: new RegExp(`^quay failed ${empty.slice(0, 30)}`) }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
  });

  test('asks for a confirmation, with the number, before a run removes a large share of the devices of a source', async () => {
    const devices = Array.from({ length: 30 }, (_, at) => netboxDevice(`mole-${at}`));
    netbox.state.devices = devices;
    const { inventory } = await service.as('admin');
    await inventory.createSource({
      source: { name: 'mole', type: 'netbox', url: netbox.url, token: netbox.token, deletes: 'mark' },
    });
    const page = await signInWith(['admin'], '/inventory/sources');
    await press(page, 'mole');
    await page.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change source' });
    await dialog.getByLabel('Devices that the source no longer has').selectOption('remove');
    await dialog.getByLabel('Percentage that may go without confirmation').fill('30');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const summary = page.getByRole('region', { name: 'Summary' });
    await summary.getByText('are removed; more than 30 % of its devices only when confirmed').waitFor();
    await press(page, 'Sync now');
    await summary.getByText('complete', { exact: true }).waitFor();
    netbox.state.devices = devices.slice(0, 18);
    await press(page, 'mole');
    await press(page, 'Sync now');
    await summary
      .getByText(/no longer has 12 of its 30 devices, so none was removed: .*SOURCE_SHRUNK/)
      .waitFor();
    await press(page, 'mole');
    await press(page, 'Preview');
    await page.getByRole('button', { name: 'Sync and remove 12' }).click();
    const question = page.getByRole('alertdialog').or(page.getByRole('dialog'));
    await question
      .getByText(/up to 12 devices that it no longer has are removed from the inventory/)
      .waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await question.getByRole('button', { name: 'Sync and remove 12' }).click();
    await page.getByRole('heading', { level: 1, name: 'Run of mole' }).waitFor();
    await summary.getByText('complete', { exact: true }).waitFor();
    expect((await inventory.listSelection({ selection: { sources: ['mole'] } })).total).toBe(18);
  });

  test('imports a file after a dry run, with every problem by row and column', async () => {
    const page = await signInWith(['admin'], '/inventory/sources');
    await page.getByRole('link', { name: 'Import CSV' }).click();
    await page.getByRole('heading', { level: 1, name: 'Import devices from CSV' }).waitFor();
    expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
    const csv =
      'name,host,port,device_type,site\npier-1,192.0.2.41,22,cisco_ios,Zürich\npier-2,192.0.2.42,99999,cisco_ios,Zürich\n';
    await page.getByLabel('File').setInputFiles({
      name: 'pier.xlsx',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('PK\x03\x04\0\0', 'latin1'),
    });
    await page.getByText(/^The file is a spreadsheet, not text/).waitFor();
    const littleEnds = Buffer.from(csv, 'utf16le');
    for (const [name, buffer] of [
      ['little-ends.csv', littleEnds],
      ['big-ends.csv', Buffer.from(littleEnds).swap16()],
      ['pier.csv', Buffer.from(csv, 'latin1')],
    ] as const) {
      await page.getByLabel('File').setInputFiles({ name, mimeType: 'text/csv', buffer });
      expect(await page.getByLabel(`Text of ${name}`).inputValue()).toBe(csv);
    }
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('0 rows would be imported, 2 rows would not').waitFor();
    await page
      .getByRole('table', { name: 'Problems' })
      .getByRole('row', { name: /^3 port / })
      .waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByLabel('Rows with problems').selectOption('lenient');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByRole('button', { name: 'Import 1 row' }).click();
    await page.getByText('1 row imported, 1 row not.').waitFor();
    await page.getByRole('link', { name: 'Open the devices' }).click();
    await page.getByRole('table', { name: 'Devices' }).getByRole('link', { name: 'pier-1' }).waitFor();
  });

  test('makes a group whose devices follow a selection, with the number of devices before it is stored', async () => {
    const page = await signInWith(['admin'], '/device-groups');
    await page.getByRole('button', { name: 'Create group' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create group' });
    await dialog.getByLabel('Name', { exact: true }).fill('All of the quay');
    await dialog.getByLabel('Devices of the group').selectOption('selection');
    const count = dialog.getByRole('status', { name: 'Selected devices' });
    await count.getByText('No device is selected.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Create group' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Name pattern').fill('quay-*');
    await count.getByText('2 devices: quay-1, quay-2').waitFor();
    await dialog.getByRole('button', { name: 'Create group' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'All of the quay' }).click();
    await page.getByText('pattern quay-*').waitFor();
    await page
      .getByRole('table', { name: 'Devices of the group' })
      .getByRole('link', { name: 'quay-2' })
      .waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
  });

  test('names the missing role to an account that may not see sources', async () => {
    const page = await signInWith(['apiread'], '/inventory/sources');
    await page.getByRole('heading', { name: 'Your account may not see this' }).waitFor();
    await page.getByText(/Needs one of the roles: .*admin/).waitFor();
    await page.goto('/console/inventory/sources/unknown');
    await page.getByRole('heading', { name: 'Your account may not see this' }).waitFor();
    const admin = await signInWith(['admin'], '/inventory/sources/unknown');
    await admin.getByRole('heading', { name: 'Not found' }).waitFor();
    await admin.getByText(/^Request /).waitFor();
  });

  test('shows what an inventory source owns, and does not let it be changed', async () => {
    await service.send('admin', 'POST', '/inventory/sources', {
      source: {
        ...{ name: 'register', type: 'csv' },
        content: 'name,host,device_type,site,rack\nowned-1,192.0.2.81,cisco_ios,quay,B-1\n',
      },
    });
    await service.send('admin', 'POST', '/inventory/sources/register/sync');
    await expect
      .poll(
        async () => (await service.send('admin', 'GET', '/automationgateway/inventory/cli/owned-1')).status,
      )
      .toBe(200);
    const page = await signInWith(['admin'], '/devices/owned-1');
    await page.getByRole('region', { name: 'Summary' }).getByRole('link', { name: 'register' }).waitFor();
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Change owned-1' });
    for (const label of ['Address', 'Site', 'Device type'])
      expect(await dialog.getByLabel(label, { exact: true }).isEditable()).toBe(false);
    await dialog.getByText('Custom fields of the source: rack = B-1').waitFor();
    await dialog.getByLabel('Tags').fill('by hand');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('region', { name: 'Summary' }).getByText('by hand').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByText('The inventory source register manages it').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
  });
});
