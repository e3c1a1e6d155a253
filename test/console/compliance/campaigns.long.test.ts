import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { press } from '../../helpers/console/keys.ts';
import { openFleet } from '../../helpers/devices/fleet.ts';
import { liveDevices } from '../../helpers/devices/live-devices.ts';
import { createPerson } from '../../helpers/people.ts';
import { unique } from '../../helpers/procedures.ts';

const NTP = 'ntp server 192.0.2.9';
const RULES = `hostname edge-r1\n<e/>${NTP}\n{d/}ip http server\n`;

describeInBrowser('rules and campaigns in the console', async () => {
  const fleet = await openFleet();
  const service = { ...fleet, send: fleet.service };
  const device = liveDevices(async (method, path, body) => {
    const answer = await fleet.service('admin', method, path, body);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json;
  }, fleet.platform.cli);
  const { signIn, signInWith } = await openConsole(service);
  const { done, run, tree } = fleet;

  test('says what a campaign and the list of rules need while there are none', async () => {
    const page = await signInWith(['admin'], '/compliance');
    await page.getByRole('link', { name: 'Campaigns' }).click();
    await page.getByRole('heading', { name: 'There is no campaign yet' }).waitFor();
    await page.goto('/console/rules');
    await page.getByRole('heading', { name: 'There is no golden config yet' }).waitFor();
  });

  test('shows which devices miss a rule, and corrects them in waves after a second person has approved', async () => {
    const wave = unique('wave');
    const names = [1, 2, 3].map((place) => `${wave}-${place}`);
    const devices = [];
    for (const name of names) {
      devices.push(await device(['hostname edge-r1', 'ip http server'], 'cisco_ios', {}, { name }));
    }
    const made = await tree(RULES);
    await made.place('base', names);
    for (const name of names) await done('POST', '/devices/backups', { name });
    await run(made.at('base'));

    const author = await signIn(await createPerson(service, ['admin']), `/rules?tree=${made.id}`);
    const rules = author.getByRole('table', { name: 'Rules' });
    await rules.waitFor();
    await author.keyboard.press('/');
    await author.keyboard.type('ntp');
    await rules.getByRole('row', { name: new RegExp(`${NTP} error`) }).waitFor();
    expect(await axeInBothThemes(author)).toEqual([]);
    await rules.getByRole('button', { name: `3 devices miss ${NTP}` }).click();
    const missing = author.getByRole('dialog', { name: 'Devices that fail the rule' });
    await missing.getByRole('link', { name: `${wave}-2` }).waitFor();
    expect(await axeInBothThemes(author)).toEqual([]);
    await missing.getByRole('button', { name: 'Close' }).click();
    const pdf = author.waitForEvent('download');
    await author.getByRole('button', { name: 'Export' }).click();
    await author.getByRole('menuitem', { name: 'Rules and devices as PDF' }).click();
    expect((await pdf).suggestedFilename()).toBe('rules.pdf');

    await author.goto('/console/campaigns');
    await author.getByRole('button', { name: 'Create campaign' }).click();
    const form = author.getByRole('dialog', { name: 'Create campaign' });
    await form.getByLabel('Name', { exact: true }).fill('Time servers');
    await form.getByLabel('Golden config').selectOption(made.id);
    await form.getByLabel('Name pattern').fill(`${wave}-*`);
    await form.getByLabel('Remove disallowed lines as well').check();
    await form.getByLabel('Devices of each wave').fill('1, 2');
    expect(await axeInBothThemes(author)).toEqual([]);
    await form.getByRole('button', { name: 'Make proposals for 3 devices' }).click();
    await author.getByRole('heading', { level: 1, name: 'Time servers' }).waitFor();
    const summary = author.getByRole('region', { name: 'Summary' });
    await summary.getByText('review', { exact: true }).waitFor({ timeout: 60_000 });
    expect(await summary.getByRole('link', { name: /^Fleet / }).getAttribute('href')).toMatch(made.id);
    await author.getByText('You created it: another person must approve it').waitFor();
    expect(await author.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await author.getByRole('link', { name: `open the proposal for ${wave}-1` }).waitFor();
    expect(await axeInBothThemes(author)).toEqual([]);

    // Who may approve need not see the overview of compliance: what waits for an approval is with the work.
    const second = await signIn(await createPerson(service, ['engineering']), '/work');
    const waiting = second.getByRole('region', { name: 'Waiting for an approval' });
    await waiting.getByRole('link', { name: '3 proposals' }).waitFor();
    expect(await axeInBothThemes(second)).toEqual([]);
    await waiting.getByRole('link', { name: '1 campaign' }).click();
    await second.getByRole('link', { name: 'Time servers' }).click();
    // Which device comes when is known before the approval.
    const waves = second.getByRole('table', { name: 'Waves', exact: true });
    await waves.getByRole('row', { name: 'the devices of wave 1 planned 1 proposed' }).waitFor();
    await waves.getByRole('row', { name: 'the devices of wave 2 planned 2 proposed' }).waitFor();
    const listed = second.getByRole('table', { name: 'Devices of the campaign' });
    await listed.getByRole('row', { name: new RegExp(`${wave}-3 proposed 2, planned`) }).waitFor();
    await press(second, 'the devices of wave 1');
    await expect.poll(() => listed.getByRole('row').count()).toBe(2);
    await listed.getByRole('row', { name: new RegExp(`${wave}-1 proposed 1, planned`) }).waitFor();
    expect(await axeInBothThemes(second)).toEqual([]);
    await press(second, 'Review proposals');
    await second.getByRole('heading', { level: 1, name: 'Proposals of Time servers' }).waitFor();
    for (const name of names) {
      const proposal = second.getByRole('region', { name: `Proposal for ${name}`, exact: true });
      await proposal.getByText(`+ ${NTP}`).waitFor();
      await proposal
        .getByRole('region', { name: `Exact commands for ${name}` })
        .getByText(NTP)
        .waitFor();
    }
    expect(await axeInBothThemes(second)).toEqual([]);
    await second.getByRole('button', { name: 'Approve' }).waitFor();
    await press(second, 'Time servers');
    await second.getByRole('button', { name: 'Approve' }).click();
    // Its digest is one long word, and stays within the dialog.
    const approval = second.getByRole('dialog', { name: 'Approve campaign' });
    const { overflow } = await approval.evaluate((box: { scrollWidth: number; clientWidth: number }) => ({
      overflow: box.scrollWidth - box.clientWidth,
    }));
    expect(overflow).toBeLessThanOrEqual(0);
    await second.getByRole('button', { name: 'Approve 3 proposals' }).click();
    await second.getByRole('region', { name: 'Summary' }).getByText('approved', { exact: true }).waitFor();
    await second.getByRole('link', { name: 'My work' }).click();
    await second.getByRole('heading', { level: 1, name: 'My work' }).waitFor();
    await expect.poll(() => waiting.count()).toBe(0);

    // This device forgets the line that is sent to it: the check after the change fails, and it is rolled back.
    const config = devices[1]?.config as { running: string[] };
    let { running } = config;
    Object.defineProperty(config, 'running', {
      get: () => running,
      set: (lines: string[]) => {
        running = lines.filter((line) => line !== NTP);
      },
    });
    await author.reload();
    await author.getByRole('button', { name: 'Start' }).click();
    await author.getByRole('button', { name: 'Change 3 devices in waves' }).click();
    await summary.getByText('stopped', { exact: true }).waitFor({ timeout: 90_000 });
    await summary.getByText('2 applied, 1 rolled back', { exact: true }).waitFor();
    await summary.getByText(/^Nothing more is changed\. Applied changes stay/).waitFor();
    // The list says why, and its other campaigns need no column for it.
    const campaigns = await signIn(await createPerson(service, ['admin']), '/campaigns');
    const row = campaigns
      .getByRole('table', { name: 'Campaigns' })
      .getByRole('row', { name: /^Time servers/ });
    await row.getByRole('cell', { name: /^stopped .*fail/ }).waitFor();
    expect(await campaigns.getByRole('columnheader', { name: 'Why' }).count()).toBe(0);
    expect(await axeInBothThemes(campaigns)).toEqual([]);
    const ended = author.getByRole('table', { name: 'Waves', exact: true });
    await ended.getByRole('row', { name: 'the devices of wave 2 ended 1 applied, 1 rolled back' }).waitFor();
    await press(author, /^rolled back\s*1/);
    const table = author.getByRole('table', { name: 'Devices of the campaign' });
    await table.getByRole('row', { name: new RegExp(`${wave}-2 rolled back`) }).waitFor();
    // The list before stays until the filtered one arrives.
    await expect.poll(() => table.getByRole('row').count()).toBe(2);
    expect(new URL(author.url()).searchParams.get('state')).toBe('rolledBack');
    expect(await axeInBothThemes(author)).toEqual([]);
    expect(devices[0]?.config.running).toContain(NTP);
    await press(author, `open the proposal for ${wave}-2`);
    const result = author.getByRole('region', { name: 'Result' });
    await result.getByText('The change was rolled back: the device has its former configuration.').waitFor();
    expect(await axeInBothThemes(author)).toEqual([]);
    await press(author, 'Time servers');
    await summary.getByText('stopped', { exact: true }).waitFor();
    await press(author, 'Create campaign for the other 1 device');
    const next = author.getByRole('dialog', { name: 'Create campaign' });
    expect(await next.getByLabel('Name', { exact: true }).inputValue()).toBe(
      'Time servers, remaining devices',
    );
    await expect.poll(() => next.getByLabel('Golden config').inputValue()).toBe(made.id);
    await next.getByRole('button', { name: 'Make proposals for 1 device' }).waitFor();
    await next.getByText(`${wave}-2`, { exact: true }).first().waitFor();
    expect(await axeInBothThemes(author)).toEqual([]);
  }, 240_000);

  test('shows all proposals of a campaign to their approver, ten on a page, of which one is rejected', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `review-${String(at).padStart(2, '0')}`);
    const host = { host: '127.0.0.1', port: 9, device_type: 'cisco_ios', username: 'u', password: 'p' };
    for (const name of names) {
      await fleet.service('admin', 'POST', '/automationgateway/inventory/cli', { host: { ...host, name } });
    }
    await fleet.backUp(Object.fromEntries(names.map((name) => [name, 'hostname edge-r1\nip http server\n'])));
    const made = await tree(RULES);
    await made.place('base', names);
    await run(made.at('base'));
    const { configurationManager } = await fleet.as('admin');
    const { id } = await configurationManager.createCampaign({
      name: 'Twelve',
      treeId: made.id,
      selection: { names },
      removeDisallowed: true,
    });
    const statusOf = async () => (await configurationManager.getCampaign({ id })).status;
    await expect.poll(statusOf, { timeout: 30_000 }).toBe('review');
    const page = await signIn(await createPerson(service, ['engineering']), `/campaigns/${id}/proposals`);
    const proposals = page.getByRole('region', { name: /^Proposal for / });
    await expect.poll(() => proposals.count()).toBe(10);
    await page.getByText('1 to 10 of 12, by the names of the devices').first().waitFor();
    await press(page, 'Next 2');
    await page.getByRole('region', { name: 'Proposal for review-11' }).waitFor();
    await expect.poll(() => proposals.count()).toBe(2);
    await page.reload();
    await press(page, 'Reject the proposal for review-11');
    await page.getByRole('dialog').getByLabel('Reason').fill('Its site is closed');
    await press(page, 'Reject');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page
      .getByRole('region', { name: 'Proposal for review-11' })
      .getByText('rejected', { exact: true })
      .waitFor();
    await press(page, 'Previous 10');
    await expect.poll(() => proposals.count()).toBe(10);
    await press(page, 'Approve');
    await page.getByRole('button', { name: 'Approve 12 proposals' }).click();
    await expect.poll(statusOf).toBe('approved');
    const { list } = await configurationManager.listCampaignDevices({ id, status: 'skipped' });
    expect(list.map(({ device: name, plannedWave }) => [name, plannedWave])).toEqual([['review-11', null]]);
  });

  test('names the missing roles to an account that may not see campaigns', async () => {
    const page = await signInWith(['other'], '/campaigns');
    await page.getByRole('heading', { name: 'Your account may not see this' }).waitFor();
    await page.getByText(/Needs one of the roles: /).waitFor();
  });
});
