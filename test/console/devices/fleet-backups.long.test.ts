import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { liveDevices } from '../../helpers/devices/live-devices.ts';
import { openService, requestsBelow } from '../../helpers/service.ts';

describeInBrowser('fleet backups in the console', async () => {
  const service = await openService({}, { works: true });
  const { done } = requestsBelow(service, '');
  const device = liveDevices(done, service.platform.cli);
  const { signInWith } = await openConsole(service);

  test('backs up a selection after it has shown how many devices match, and shows why devices failed', async () => {
    await device(['hostname pier', 'ntp server 192.0.2.9'], 'cisco_ios', {}, { name: 'pier-1' });
    await device(['hostname pier', 'ntp server 192.0.2.7'], 'cisco_ios', {}, { name: 'pier-2' });
    await done('POST', '/automationgateway/inventory/cli', {
      host: {
        name: 'pier-down',
        host: '127.0.0.1',
        port: 1,
        device_type: 'cisco_ios',
        username: 'x',
        password: 'y',
      },
    });
    const page = await signInWith(['admin'], '/devices');
    await page.getByRole('link', { name: 'Fleet backups' }).click();
    await page.getByRole('heading', { name: 'There is no backup run yet' }).waitFor();
    await page.getByRole('button', { name: 'Back up devices' }).click();
    const dialog = page.getByRole('dialog', { name: 'Back up devices' });
    expect(await dialog.getByRole('button', { name: /^Back up / }).isDisabled()).toBe(true);
    // A value becomes a token that a press removes; values that exist are offered with the number of their devices.
    await dialog.getByLabel('Platforms', { exact: true }).fill('juniper_junos, CISCO_I');
    await dialog.locator('datalist option[value="cisco_ios"]').waitFor({ state: 'attached' });
    await dialog.getByLabel('Platforms', { exact: true }).fill('cisco_ios');
    await page.keyboard.press('Enter');
    await dialog.getByRole('status', { name: 'Selected devices' }).getByText('3 devices: pier-1').waitFor();
    await dialog.getByRole('button', { name: 'Remove juniper_junos' }).click();
    await page.keyboard.press('Shift+Tab');
    await dialog.getByRole('button', { name: 'Remove cisco_ios' }).click();
    await dialog.getByText('No device is selected.').waitFor();
    await dialog.getByLabel('Name pattern').fill('pier-*');
    await dialog.getByLabel('Without').fill('pier-9');
    await dialog.getByRole('status', { name: 'Selected devices' }).getByText('3 devices: pier-1').waitFor();
    await dialog.getByText('Retries, windows and more').click();
    await dialog.getByLabel('Retries').fill('0');
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Back up 3 devices' }).click();
    await page.getByRole('heading', { level: 1, name: 'Backup run' }).waitFor();
    const summary = page.getByRole('region', { name: 'Summary' });
    await summary.getByText('complete', { exact: true }).waitFor({ timeout: 60_000 });
    await page
      .getByRole('table', { name: 'Failed devices' })
      .getByRole('link', { name: 'pier-down' })
      .waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Back up the failed devices' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Back up 1 device' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Fleet backups' }).click();
    await page
      .getByRole('table', { name: 'Backup runs' })
      .getByRole('row', { name: /complete 3 2 0 1/ })
      .waitFor();
  });

  test('asks nothing about a run while nothing happens, and shows its end from the event', async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const order = { selection: { names: ['pier-1'] }, windows: [{ from: at(3_600_000), to: at(7_200_000) }] };
    const { runId } = (await done('POST', '/configuration_manager/backups/run', order)) as { runId: string };
    const page = await signInWith(['admin'], `/backups/runs/${runId}`);
    await page.getByRole('region', { name: 'Summary' }).getByText('Continues').waitFor();
    await page.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();
    await page.waitForTimeout(1500);
    let requested = 0;
    page.on('request', (request) => {
      if (request.url().includes('getBackupRun')) requested += 1;
    });
    await page.waitForTimeout(3000);
    expect(requested).toBe(0);
    await done('POST', `/configuration_manager/backups/runs/${runId}/cancel`, {});
    await page.getByRole('region', { name: 'Summary' }).getByText('canceled', { exact: true }).waitFor();
    expect(requested).toBeGreaterThan(0);
  });

  test('reads a list again when it returns to it after an event', async () => {
    const page = await signInWith(['admin'], '/backups');
    const rows = page.getByRole('table', { name: 'Backup runs' }).getByRole('row');
    await rows.nth(1).waitFor();
    const before = await rows.count();
    await page.getByRole('link', { name: 'Jobs', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await done('POST', '/configuration_manager/backups/run', { selection: { names: ['pier-1'] } });
    await page.waitForTimeout(1000);
    await page.goBack();
    await rows.nth(before).waitFor();
  });

  test('finds a line in all configurations by keyboard alone, keeps the search in the address, and saves the hits', async () => {
    const page = await signInWith(['admin'], '/backups?tab=find');
    await page.getByRole('textbox', { name: 'Search for' }).focus();
    await page.keyboard.type('ntp server 192.0.2.9');
    await page.keyboard.press('Enter');
    const hits = page.getByRole('table', { name: 'Lines that match' });
    await hits.getByRole('row', { name: /pier-1 2 ntp server 192\.0\.2\.9/ }).waitFor();
    expect(await hits.getByRole('row').count()).toBe(2);
    expect(new URL(page.url()).searchParams.get('find')).toBe('ntp server 192.0.2.9');
    expect(await axeInBothThemes(page)).toEqual([]);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'All hits as CSV' }).click();
    expect((await saved).suggestedFilename()).toBe('lines.csv');
    await page.goto('/console/backups?tab=find&find=(ntp&as=regex');
    await page.getByRole('alert').getByText(/regex/).waitFor();
  });

  test('stores a schedule with its next times, pauses it, and keeps the policy', async () => {
    const page = await signInWith(['admin'], '/backups?tab=schedules');
    await page.getByRole('heading', { name: 'There is no backup schedule yet' }).waitFor();
    await page.getByRole('button', { name: 'Create schedule' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create schedule' });
    await dialog.getByLabel('Name', { exact: true }).fill('Nightly');
    await dialog.getByLabel('Name pattern').fill('pier-*');
    await dialog.getByLabel('Schedule').selectOption('cron');
    await dialog.getByLabel('Cron expression', { exact: true }).fill('0 0 30 2 *');
    await dialog.getByRole('alert').getByText('schedule.cron', { exact: true }).waitFor();
    await dialog.getByLabel('Cron expression', { exact: true }).fill('15 4 * * 1-5');
    await dialog
      .getByRole('region', { name: 'Next times' })
      .getByText(/at 04:15 UTC/)
      .first()
      .waitFor();
    await dialog.getByRole('button', { name: 'Add period' }).first().click();
    await dialog.getByRole('group', { name: 'Blackout periods 1' }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create schedule' }).click();
    await dialog.waitFor({ state: 'detached' });
    const row = page.getByRole('table', { name: 'Backup schedules' }).getByRole('row', { name: /Nightly/ });
    await row.getByText('Monday to Friday at 04:15 (UTC), without 1 blackout period').waitFor();
    await row.getByText('15 4 * * 1-5', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Actions of Nightly' }).click();
    await page.getByRole('menuitem', { name: 'Pause' }).click();
    await row.getByText('paused').waitFor();

    await page.getByRole('link', { name: 'What is kept' }).click();
    await page.getByLabel('Newest backups of each device').fill('3');
    await page.getByText('0 of 2 backups would be removed.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The policy is stored').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.reload();
    await page.getByLabel('Newest backups of each device').waitFor();
    expect(await page.getByLabel('Newest backups of each device').inputValue()).toBe('3');
  });

  test('shows a reader the runs without what it may not do', async () => {
    const page = await signInWith(['apiread'], '/backups');
    await page.getByRole('table', { name: 'Backup runs' }).waitFor();
    expect(await page.getByRole('button', { name: 'Back up devices' }).count()).toBe(0);
    await page.getByRole('link', { name: 'What is kept' }).click();
    await page.getByRole('heading', { name: 'Your account may not see this' }).waitFor();
  });
});
