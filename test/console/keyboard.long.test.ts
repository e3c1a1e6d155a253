import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { focused, press, tabTo } from '../helpers/console/keys.ts';
import { openFleet } from '../helpers/devices/fleet.ts';
import { liveDevices } from '../helpers/devices/live-devices.ts';
import { createPerson } from '../helpers/people.ts';

describeInBrowser('the main journeys by keyboard alone', async () => {
  const fleet = await openFleet();
  const service = { ...fleet, send: fleet.service };
  const device = liveDevices(async (method, path, body) => {
    const answer = await fleet.service('admin', method, path, body);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json;
  }, fleet.platform.cli);
  const { newContext, signIn } = await openConsole(service);
  const { done, tree } = fleet;
  const admin = await createPerson(service, ['admin']);
  const live = await device(['hostname edge-r1', 'ip http server']);
  const { id: treeId, place } = await tree(
    'hostname edge-r1\n<e/>ntp server 192.0.2.9\n{d/}ip http server\n',
  );
  await place('base', [live.name]);
  await done('POST', '/devices/backups', { name: live.name });
  const open = async (path: string) => {
    const page = await signIn(admin, path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
    return page;
  };

  test('signs in', async () => {
    const page = await (await newContext()).newPage();
    await page.goto('/console');
    await page.getByLabel('Username').waitFor();
    if ((await focused(page)) !== 'Username') await tabTo(page, /Username/);
    await page.keyboard.type(admin.username);
    await page.keyboard.press('Tab');
    await page.keyboard.type(admin.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  });

  test('runs compliance, opens the report, proposes; a second person approves and applies', async () => {
    const page = await open(`/compliance?tree=${treeId}`);
    await press(page, 'Run compliance');
    await page.getByRole('dialog').waitFor();
    await press(page, 'Check 1 device');
    await page.getByRole('table', { name: 'Compliance' }).getByRole('link', { name: live.name }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The focus is back on the button that opened the dialog.
    expect(await focused(page)).toBe('Run compliance');
    await press(page, live.name);
    await page.getByRole('heading', { level: 1, name: `Report of ${live.name}` }).waitFor();
    await press(page, 'Propose remediation');
    await page.getByRole('dialog').waitFor();
    await press(page, 'Propose');
    await page.getByRole('heading', { level: 1, name: `Proposal for ${live.name}` }).waitFor();
    const second = await signIn(
      await createPerson(service, ['admin']),
      new URL(page.url()).pathname.slice('/console'.length),
    );
    await second.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await press(second, 'Approve');
    await second.getByRole('dialog').waitFor();
    await press(second, 'Approve this text');
    await second.getByRole('button', { name: 'Apply to the device' }).waitFor();
    await press(second, 'Apply to the device');
    await second.getByRole('dialog').waitFor();
    await press(second, 'Push these lines');
    await second.getByText('as predicted', { exact: true }).waitFor();
    expect(live.config.running).toEqual(['hostname edge-r1', 'ntp server 192.0.2.9']);
  });

  test('filters devices, opens one, and reads its configuration and backups', async () => {
    const page = await open('/jobs');
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.getByRole('table', { name: 'Devices' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(live.name);
    await page.waitForURL(/q=live/);
    await press(page, live.name);
    await page.getByRole('heading', { level: 1, name: live.name }).waitFor();
    await press(page, 'Backups');
    await page.getByRole('table').first().waitFor();
  });

  test('runs commands on a device and reads an output', async () => {
    const page = await open(`/commands?devices=${live.name}`);
    await tabTo(page, /Commands to send/);
    await page.keyboard.type('show version');
    await press(page, /^Run 1 command on 1 device/);
    await page.getByRole('status', { name: 'Progress of the run' }).getByText('finished').waitFor();
    await press(page, `Output of show version on ${live.name}`);
    await page.getByRole('region', { name: 'Output', exact: true }).waitFor();
  });

  test('finds a page by the palette, changes the theme, and returns the focus', async () => {
    const page = await open('/jobs');
    await press(page, /^Search/);
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toMatch(/^Search/);
    await press(page, new RegExp(`^${admin.username}`));
    await page.getByRole('menuitem').first().waitFor();
    await page.keyboard.type('Theme: dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme="dark"]').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('golden');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Golden configs' }).waitFor();
  });
});
