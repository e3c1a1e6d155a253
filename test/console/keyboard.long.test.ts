import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { openFleet } from '../helpers/devices/fleet.ts';
import { liveDevices } from '../helpers/devices/live-devices.ts';
import { createPerson } from '../helpers/people.ts';
import { drawn, task, variable, view } from '../helpers/workflows.ts';

/** Most presses of Tab until something must have the focus. */
const TABS = 120;

/** The role and the name of what has the focus, as a screen reader says them. */
const FOCUSED = `(() => {
  const at = document.activeElement;
  if (!at || at === document.body) return '';
  const label = at.getAttribute('aria-label')
    ?? (at.labels?.length ? [...at.labels].map((one) => one.textContent).join(' ') : undefined)
    ?? at.textContent;
  return (label ?? '').replaceAll(/\\s+/g, ' ').trim();
})()`;

const focused = (page: Page) => page.evaluate<string>(FOCUSED);

/** Presses Tab until something of this name has the focus. @throws Error with what had it instead */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < TABS; presses++) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (typeof name === 'string' ? now === name : name.test(now)) return;
    seen.push(now);
  }
  throw new Error(`Tab never reaches ${name}: ${[...new Set(seen)].join(' | ').slice(0, 1500)}`);
}

/** Reaches something by Tab and activates it. */
async function press(page: Page, name: string | RegExp, key = 'Enter'): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press(key);
}

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
    expect(await focused(page)).toMatch(/^Search/);
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

describeInBrowser('work on jobs by keyboard alone', async () => {
  const { openService } = await import('../helpers/service.ts');
  const service = await openService({}, { works: true });
  const { signInWith } = await openConsole(service);
  const { automationStudio, operationsManager } = await service.as('admin');
  await automationStudio.createWorkflow({
    automation: drawn('Parse, then look', {
      a1: { ...task('parse', { text: 'no JSON {' }, { textObject: null }), summary: 'Read it' },
      b1: { ...view(), summary: 'Look at it' },
    }),
  });
  await automationStudio.createWorkflow({
    automation: drawn('Look', { a1: { ...view(), summary: 'Look closely' }, b1: variable('x', 1) }),
  });
  const start = async (workflow: string) =>
    (await operationsManager.startJob({ workflow, options: { variables: {} } })).data._id;

  test('finds the error of a job, corrects its step and tries it again', async () => {
    const id = await start('Parse, then look');
    const page = await signInWith(['admin'], '/jobs');
    await page.getByRole('table', { name: 'Jobs' }).getByText('error').waitFor();
    await press(page, 'Parse, then look');
    await page.getByRole('heading', { level: 1, name: 'Parse, then look' }).waitFor();
    expect(page.url()).toContain(id);
    await press(page, /Jump to first error/);
    await page.getByRole('region', { name: 'Error', exact: true }).waitFor();
    await press(page, 'Retry');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, /^Input/);
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{ "text": "{}" }');
    await press(page, 'Retry');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await press(page, 'Table view', ' ');
    await page.getByRole('table', { name: 'Tasks' }).getByText('waiting').waitFor();
    await press(page, 'Cancel job');
    await page.getByRole('dialog').waitFor();
    await press(page, 'Cancel job');
    await page.getByRole('status', { name: 'State of the job' }).getByText('canceled').waitFor();
  });

  test('claims a task and finishes it, and the end of the job is announced', async () => {
    await start('Look');
    const page = await signInWith(['admin'], '/work');
    await page.getByRole('link', { name: 'Look closely' }).waitFor();
    await press(page, 'Look closely');
    await page.getByRole('button', { name: 'Claim' }).waitFor();
    await press(page, 'Claim');
    await page.getByRole('button', { name: 'Release' }).waitFor();
    await press(page, 'Go');
    await page.getByText('Finished by you with success').waitFor();
    // Whoever looks at the job hears of its end: its state is a live region.
    await page.getByRole('link', { name: 'Look', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status', { name: 'State of the job' }).getByText('complete').waitFor();
  });

  test('starts an action on many jobs and sees the outcome of each', async () => {
    await start('Look');
    await start('Look');
    const page = await signInWith(['admin'], '/jobs?state=running');
    await page.getByRole('table', { name: 'Jobs' }).getByRole('link', { name: 'Look' }).nth(1).waitFor();
    await press(page, 'Select all rows shown', ' ');
    await page.getByRole('region', { name: 'Selected rows' }).waitFor();
    await press(page, /^Pause/);
    await page.getByRole('dialog').waitFor();
    await press(page, /^Pause/);
    await page
      .getByRole('dialog')
      .getByText(/2 of 2|paused/i)
      .first()
      .waitFor();
  });
});
