import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, launchBrowser } from '../helpers/console/browser.ts';
import { cutOff } from '../helpers/console/cut-off.ts';
import { picture } from '../helpers/console/pictures.ts';
import { openScreen } from '../helpers/console/screens.ts';
import { timedClicks } from '../helpers/console/timed-clicks.ts';
import { unique } from '../helpers/procedures.ts';
import { startDemo } from '../helpers/processes/demo.ts';
import { SECOND_ACCOUNT } from '../lab/world.ts';

const PASSWORD = 'lantern-on-the-quay-41';
const DEVICE = 'lab-cisco-ios';
/** Time limit of the whole tour, in milliseconds. */
const TOUR_MS = 10 * 60_000;

describeInBrowser('the demo', async () => {
  const demo = await startDemo(PASSWORD);
  afterAll(() => {
    demo.child.kill('SIGTERM');
  });
  const { signIn } = await launchBrowser(() => demo.url);
  const admin = { username: 'admin', password: PASSWORD };
  const findings: string[] = [];
  /** Pages that the tour opened, to take pictures of them without the tour panel. */
  const opened: [name: string, path: string][] = [];
  const note = (page: Page, name: string) =>
    opened.push([name, page.url().slice(`${demo.url}/console`.length)]);
  /** Takes a picture of the page, and checks it for accessibility in light and dark. */
  const look = async (page: Page, name: string) => {
    await picture(page, name);
    findings.push(...(await axeInBothThemes(page)).map((finding) => `${name}: ${finding}`));
  };
  /** Opens the report of a device once the page has all of its parts: one that arrives during the click would move the link away. */
  const openReport = async (page: Page, device: string) => {
    const link = page.getByRole('table', { name: 'Compliance' }).getByRole('link', { name: device });
    await link.waitFor();
    await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
    await link.click();
    await page.getByRole('heading', { level: 1, name: `Report of ${device}` }).waitFor();
  };
  const main = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: new RegExp(`^${name}`) });

  test('the tour ticks each step off as it really happens, and a second person approves', async () => {
    const began = performance.now();
    const page = await signIn(admin, '/jobs');
    const tour = page.getByRole('complementary', { name: 'Tour' });
    const isTicked = (title: string) =>
      tour.getByRole('listitem').filter({ hasText: title }).getByText(', done').waitFor();
    await tour.getByRole('link', { name: 'See the devices' }).waitFor();

    await main(page, 'Devices').click();
    await page.getByRole('table', { name: 'Devices' }).getByRole('link', { name: DEVICE }).waitFor();
    // It stands beside the page, or below it, and covers nothing.
    for (const width of [1440, 1280, 1000]) {
      await page.setViewportSize({ width, height: 900 });
      const [content, panel] = await Promise.all([page.locator('main').boundingBox(), tour.boundingBox()]);
      if (!content || !panel) throw new Error('the page or the tour is not shown');
      const isBeside = panel.x >= content.x + content.width;
      expect(isBeside || panel.y >= content.y + content.height, `${width} pixels`).toBe(true);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await isTicked('See the devices');
    await look(page, 'tour-devices');

    await main(page, 'Compliance').click();
    await page.getByLabel('Golden config').selectOption({ label: 'Lab routers' });
    await page.getByRole('button', { name: 'Run compliance' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Check \d+ device/ })
      .click();
    await isTicked('Run compliance');
    await page.getByRole('table', { name: 'Compliance' }).getByRole('link', { name: DEVICE }).waitFor();
    note(page, 'compliance');
    await look(page, 'tour-compliance');

    await openReport(page, DEVICE);
    await isTicked('Open a failure');
    note(page, 'report');
    await look(page, 'tour-report');

    await page.getByRole('button', { name: 'Propose remediation' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
    await page.getByRole('heading', { level: 1, name: `Proposal for ${DEVICE}` }).waitFor();
    await isTicked('Propose a remediation');
    note(page, 'proposal');
    await look(page, 'tour-proposal');
    const address = new URL(page.url()).pathname.slice('/console'.length);
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);

    const second = await signIn(SECOND_ACCOUNT, address);
    await second.getByRole('button', { name: 'Approve', exact: true }).click();
    await second.getByRole('button', { name: 'Approve this text' }).click();
    await isTicked('Approve as the second user');

    await page.getByRole('button', { name: 'Apply to the device' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Push these lines' }).click();
    await page.getByText('as predicted', { exact: true }).waitFor();
    await isTicked('Apply it');

    await main(page, 'Automations').click();
    await page.getByRole('link', { name: 'Change with a confirmation' }).first().click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Change with a confirmation' }).waitFor();
    await isTicked('Watch a job');
    await page.getByRole('group', { name: /^Confirm the change: / }).waitFor();
    note(page, 'job');
    await look(page, 'tour-job');

    await main(page, 'My work').click();
    await page
      .getByRole('table', { name: 'My work' })
      .getByRole('link', { name: 'Confirm the change' })
      .click();
    await page.getByRole('button', { name: 'Claim' }).click();
    await page.getByRole('button', { name: 'Release' }).waitFor();
    await look(page, 'tour-work');
    await page.getByRole('button', { name: 'Continue' }).click();
    await tour.getByText('You have seen the whole platform').waitFor();
    const tookMs = performance.now() - began;
    console.info(`the tour took ${(tookMs / 1000).toFixed(1)} s`);
    expect(tookMs).toBeLessThan(TOUR_MS);

    await page.keyboard.press('Control+k');
    await page.keyboard.type('repeat the tour');
    await page.keyboard.press('Enter');
    await tour.getByRole('link', { name: 'Run compliance' }).waitFor();
    await tour.getByRole('button', { name: 'Skip the tour' }).click();
    await tour.waitFor({ state: 'detached' });
  });

  test('five tasks of network engineers take at most a minute and six clicks each', async () => {
    const { figures, timed } = timedClicks();
    const page = await signIn(admin, '/jobs');
    // A job that fails: a device that refuses the connection.
    const token = await (
      await fetch(`${demo.url}/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(admin),
      })
    ).text();
    const call = async <Body>(method: string, path: string, body?: unknown) => {
      const answer = await fetch(demo.url + path, {
        method,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
      return (await answer.json()) as Body;
    };
    const success = { type: 'standard', state: 'success' };
    const failing = unique('Read a text');
    await call('POST', '/automation-studio/automations', {
      automation: {
        name: failing,
        type: 'automation',
        tasks: {
          workflow_start: { name: 'workflow_start' },
          workflow_end: { name: 'workflow_end' },
          a1: {
            name: 'parse',
            app: 'WorkFlowEngine',
            location: 'Application',
            type: 'operation',
            summary: 'Parse it',
            variables: { incoming: { text: 'no JSON {' }, outgoing: { textObject: null } },
          },
        },
        transitions: { workflow_start: { a1: success }, a1: { workflow_end: success }, workflow_end: {} },
      },
    });
    await call('POST', '/operations-manager/jobs/start', {
      workflow: failing,
      options: { variables: {} },
    });

    await timed('find why a job failed', async (click) => {
      await click(main(page, 'Jobs'));
      await click(
        page.getByRole('navigation', { name: 'Jobs by state' }).getByRole('link', { name: /^error/ }),
      );
      await click(page.getByRole('table', { name: 'Jobs' }).getByRole('link', { name: failing }));
      await click(page.getByRole('button', { name: /Jump to first error/ }));
      await page.getByRole('region', { name: 'Error', exact: true }).getByText(/JSON/).first().waitFor();
    });
    await look(page, 'job-error');

    await timed('which devices miss NTP', async (click) => {
      await click(main(page, 'Compliance'));
      await page.getByLabel('Golden config').selectOption({ label: 'Lab routers' });
      const issue = page.getByRole('group').filter({ hasText: 'ntp server' }).first();
      await click(issue.locator('summary'));
      await issue.getByRole('link', { name: /^lab-/ }).first().waitFor();
    });

    await timed('prove a fix', async (click) => {
      await click(page.getByRole('link', { name: 'Proposals' }));
      await click(page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: /^applied/ }));
      await click(page.getByRole('table', { name: 'Proposals' }).getByRole('link', { name: DEVICE }));
      await page.getByText('as predicted', { exact: true }).waitFor();
    });

    await timed('run show version on all devices of the lab', async (click) => {
      await click(main(page, 'Commands'));
      await page.getByLabel('Name contains').fill('lab-');
      await page.getByLabel('Commands to send').fill('show version');
      await click(page.getByRole('button', { name: /^Run 1 command on \d+ devices/ }));
      await page
        .getByRole('status', { name: 'Progress of the run' })
        .getByText('finished')
        .waitFor({ timeout: 60_000 });
    });
    await look(page, 'commands');

    // Something to approve, proposed by the second account.
    const second = await signIn(SECOND_ACCOUNT, '/compliance');
    await second.getByLabel('Golden config').selectOption({ label: 'Lab routers' });
    await openReport(second, 'lab-branch-2');
    await second.getByRole('button', { name: 'Propose remediation' }).click();
    await second.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
    await second.getByRole('heading', { level: 1, name: 'Proposal for lab-branch-2' }).waitFor();
    await timed('approve', async (click) => {
      await click(main(page, 'Compliance'));
      await click(page.getByRole('link', { name: 'Proposals' }));
      await click(page.getByRole('table', { name: 'Proposals' }).getByRole('link', { name: 'lab-branch-2' }));
      await click(page.getByRole('button', { name: 'Approve', exact: true }));
      await click(page.getByRole('button', { name: 'Approve this text' }));
      await page.getByText('approved', { exact: true }).first().waitFor();
    });
    console.info(figures.join('\n'));
  });

  test('screens with data have no accessibility findings, and fit 360 pixels', async () => {
    const page = await signIn(admin, '/jobs');
    for (const [name, path] of [
      ...opened,
      ['jobs', '/jobs'],
      ['devices', '/devices'],
      ['trees', '/trees'],
      ['automations', '/automations'],
      ['workflows', '/workflows'],
      ['device', `/devices/${DEVICE}`],
      ['device-backups', `/devices/${DEVICE}?tab=backups`],
      ['integrations', '/integrations'],
      ['admin-accounts', '/admin/accounts'],
      ['admin-health', '/admin/health'],
    ] satisfies [string, string][]) {
      await openScreen(page, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
      await look(page, name);
    }
    // 640 pixels of a screen at 200 % are 320; the narrowest telephones have 360.
    await page.setViewportSize({ width: 360, height: 740 });
    const wide: string[] = [];
    for (const path of [
      '/jobs',
      '/work',
      '/compliance',
      '/proposals',
      `/devices/${DEVICE}`,
      '/devices',
      '/commands',
      '/trees',
      '/automations',
      '/admin/accounts',
    ]) {
      await openScreen(page, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (width > 360) wide.push(`${path} is ${width} pixels wide`);
      await picture(page, `narrow${path.replaceAll('/', '-')}`);
      await page.setViewportSize({ width: 640, height: 400 });
      wide.push(...(await cutOff(page)).map((one) => `${path} at 200 %: ${one}`));
      await page.setViewportSize({ width: 360, height: 740 });
    }
    expect([...wide, ...findings]).toEqual([]);
  });
});
