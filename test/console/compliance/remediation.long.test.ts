import { expect, test } from 'vitest';
import type { Remediation } from '#db/schemas/golden-config/remediation.ts';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { openFleet } from '../../helpers/devices/fleet.ts';
import { liveDevices } from '../../helpers/devices/live-devices.ts';
import { createPerson } from '../../helpers/people.ts';

const RULES = 'hostname edge-r1\n<e/>ntp server 192.0.2.9\n{d/}ip http server\n';

describeInBrowser('from a compliance run to an applied proposal', async () => {
  const fleet = await openFleet();
  const service = { ...fleet, send: fleet.service };
  const device = liveDevices(async (method, path, body) => {
    const answer = await fleet.service('admin', method, path, body);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json;
  }, fleet.platform.cli);
  const { signIn, faults } = await openConsole(service);
  const { done, run, tree, backUp } = fleet;

  test('runs, opens a report, proposes; a second person approves, and the text approved is the text applied', async () => {
    const live = await device(['hostname edge-r1', 'ip http server']);
    const { id: treeId, place } = await tree(RULES);
    await place('base', [live.name]);
    await done('POST', '/devices/backups', { name: live.name });

    const author = await signIn(await createPerson(service, ['admin']), `/compliance?tree=${treeId}`);
    await author.getByRole('link', { name: /^unchecked\s*1\s*device$/ }).waitFor();
    await author.getByRole('button', { name: 'Run compliance' }).click();
    await author
      .getByRole('dialog', { name: 'Run compliance' })
      .getByRole('button', { name: 'Check 1 device' })
      .click();
    const matrix = author.getByRole('table', { name: 'Compliance' });
    await matrix.getByRole('link', { name: live.name }).waitFor();
    await author.getByRole('link', { name: /^fail\s*1\s*device$/ }).waitFor();
    await author.getByRole('img', { name: /^Trend of 1 day:/ }).waitFor();
    expect(await axeInBothThemes(author)).toEqual([]);

    await matrix.getByRole('link', { name: live.name }).click();
    await author.getByRole('heading', { level: 1, name: `Report of ${live.name}` }).waitFor();
    // the marked line leads to its issue
    await author.getByRole('button', { name: /^Line 2, / }).click();
    await author.locator('.issue[aria-current]', { hasText: 'ip http server' }).waitFor();
    expect(await axeInBothThemes(author)).toEqual([]);

    // Printed, it is dark on white, without what is pressed.
    await author.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await author.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false);
    expect(await author.getByRole('button', { name: 'Propose remediation' }).isVisible()).toBe(false);
    await author.getByText('ip http server').first().waitFor();
    expect(await author.evaluate('getComputedStyle(document.body).color')).toBe('rgb(22, 27, 36)');
    await author.emulateMedia({ media: null, colorScheme: null });

    await author.getByRole('button', { name: 'Propose remediation' }).click();
    await author.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
    await author.getByRole('heading', { level: 1, name: `Proposal for ${live.name}` }).waitFor();
    await author.getByText('another person must approve it').waitFor();
    await author.getByRole('link', { name: /^Fleet \d+, initial, base$/ }).waitFor();
    expect(await author.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await author.getByText('The device still has the configuration').waitFor();
    expect(await axeInBothThemes(author)).toEqual([]);

    const [, id = ''] = /proposals\/(\w+)/.exec(author.url()) ?? [];
    const read = () => done<Remediation>('GET', `/remediations/${id}`);
    const { config } = await read();
    const second = await signIn(await createPerson(service, ['engineering']), `/proposals/${id}`);
    await second.getByRole('button', { name: 'Approve' }).click();
    const approval = second.getByRole('dialog');
    expect(await approval.getByRole('region', { name: 'Exact commands' }).textContent()).toBe(config);
    await approval.getByRole('button', { name: 'Approve this text' }).click();
    await second.getByText('approved', { exact: true }).first().waitFor();

    // the page of the author follows by itself
    await author.getByRole('button', { name: 'Apply to the device' }).click();
    await author.getByRole('dialog').getByRole('button', { name: 'Push these lines' }).click();
    await author.getByText('as predicted', { exact: true }).waitFor();
    expect(live.config.running).toEqual(['hostname edge-r1', 'ntp server 192.0.2.9']);
    expect((await read()).config).toBe(config);

    await author.goto('/console/proposals?tab=applied');
    await author.getByRole('table', { name: 'Proposals' }).getByRole('link', { name: live.name }).waitFor();
    expect(await axeInBothThemes(author)).toEqual([]);

    // A golden config that was changed later has no report: the overview opens on the one that has the newest.
    await tree(RULES);
    await author.goto('/console/compliance');
    await author.getByRole('table', { name: 'Compliance' }).getByRole('link', { name: live.name }).waitFor();
    expect(await author.getByLabel('Golden config').inputValue()).toBe(treeId);
  });

  test('shows control and bidirectional characters of a configuration as marks', async () => {
    const { id: treeId, at, place } = await tree('hostname core\n');
    await place('base', ['hostile-1']);
    await backUp({ 'hostile-1': 'hostname edge\nbanner \u001b[31m\u202e<script>alert(1)</script>\n' });
    const [report] = await run(at('base'));
    const page = await signIn(await createPerson(service, ['apiread']), `/reports/${report?.id}`);
    await page.getByText('␛[31m⟨U+202E⟩<script>').waitFor();
    expect(await page.getByRole('button', { name: 'Propose remediation' }).count()).toBe(0);
    await page.goto(`/console/compliance?tree=${treeId}`);
    await page.getByRole('table', { name: 'Compliance' }).getByRole('link', { name: 'hostile-1' }).waitFor();
    expect(await page.getByRole('button', { name: 'Run compliance' }).count()).toBe(0);
  });

  test('keeps the table of the trend in a browser that cannot draw its chart', async () => {
    const { id: treeId, at, place } = await tree('hostname core\n');
    await place('base', ['trend-1']);
    await backUp({ 'trend-1': 'hostname core\n' });
    await run(at('base'));
    const page = await signIn(await createPerson(service, ['apiread']), '/jobs');
    const body = 'export const TrendChart = () => { throw new RangeError("invalid language tag: C"); };';
    await page.route('**/assets/trend-chart*.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body }),
    );
    await page.goto(`/console/compliance?tree=${treeId}`);
    await page.getByText('This browser cannot draw the chart.').waitFor();
    expect(faults.splice(0)).toEqual([expect.stringContaining('invalid language tag')]);
    await page.getByText('As a table').click();
    await page.getByRole('table', { name: 'Trend' }).getByRole('cell', { name: '100' }).waitFor();
  });
});
