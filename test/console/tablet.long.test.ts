import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { cutOff } from '../helpers/console/cut-off.ts';
import { openHarbour } from '../helpers/console/harbour.ts';
import { picture } from '../helpers/console/pictures.ts';
import { openScreen } from '../helpers/console/screens.ts';
import { variable, workflowOf } from '../helpers/workflows.ts';

const TABLET = { width: 768, height: 1024 };
/** The least width and height of what can be pressed, in pixels (WCAG 2.2, 2.5.8). */
const LEAST = 24;

/** Runs in the page. Returns controls, and links that stand alone, that are lower than 24 pixels. */
const FIND_LOW = `[...document.querySelectorAll('a, button, input, select, summary')].flatMap((element) => {
  const { width, height } = element.getBoundingClientRect();
  if (width < 2 || height < 2 || !element.checkVisibility() || element.closest('.visually-hidden, .skip-link')) return [];
  const isInText = [...element.parentElement.childNodes].some(({ nodeType, textContent }) => nodeType === 3 && textContent.trim());
  return height < ${LEAST} && !isInText ? [element.tagName + ' ' + element.textContent.trim().slice(0, 40) + ': ' + height] : [];
})`;

/** How much of a column is in the window, in pixels. */
async function shownOf(page: Page, header: RegExp): Promise<number> {
  const [cell, frame] = await Promise.all([
    page.getByRole('columnheader', { name: header }).boundingBox(),
    page.locator('main .table-frame').first().boundingBox(),
  ]);
  if (!cell || !frame) throw new Error(`there is no column ${header}`);
  return Math.min(cell.x + cell.width, frame.x + frame.width) - cell.x;
}

describeInBrowser('the console on a tablet', async () => {
  const harbour = await openHarbour();
  const { service, failing, waiting, reportIds, proposalIds, campaignId, treeId, automationId } = harbour;
  const { signInWith } = await openConsole(service);
  await harbour.admin.configurationManager.createBackupSchedule({
    name: 'Workdays',
    enabled: true,
    schedule: { cron: '15 4 * * 1-5', timeZone: 'Europe/Berlin' },
    selection: { pattern: 'quay-*' },
  });

  test('nothing is beyond the edges, and what can be pressed is not too low', async () => {
    const page = await signInWith(['admin'], '/account');
    await page.setViewportSize(TABLET);
    const found: string[] = [];
    for (const path of [
      '/jobs',
      `/jobs/${failing}`,
      `/jobs/${waiting}?view=table`,
      '/work',
      `/compliance?tree=${treeId}`,
      `/reports/${reportIds[0]}`,
      '/proposals',
      `/proposals/${proposalIds[0]}`,
      '/campaigns',
      `/campaigns/${campaignId}`,
      '/devices',
      '/devices/quay-1',
      '/backups?tab=schedules',
      '/commands',
      '/trees',
      `/trees/${treeId}?tab=rules`,
      '/automations?tab=triggers',
      `/automations/${automationId}`,
      '/workflows',
      '/integrations',
      '/admin/accounts',
      '/admin/health',
    ]) {
      await openScreen(page, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
      const low = await page.evaluate<string[]>(FIND_LOW);
      found.push(...[...(await cutOff(page)), ...low].map((one) => `${path}: ${one}`));
      await picture(page, `tablet${path.replaceAll(/\W+/g, '-')}`);
    }
    expect(found).toEqual([]);
  });

  test('lists have the room: a job shows when it started, a schedule when it starts next', async () => {
    const page = await signInWith(['admin'], '/jobs');
    await page.setViewportSize(TABLET);
    await page.getByRole('table', { name: 'Jobs' }).getByRole('row').nth(1).waitFor();
    // Beside the names of the areas it would have 560 pixels.
    expect((await page.locator('main').boundingBox())?.width).toBeGreaterThan(660);
    expect(await shownOf(page, /^Started( ▼)?$/)).toBeGreaterThan(60);
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await navigation.getByRole('link', { name: 'Golden configs' }).getByText('Golden configs').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.goto('/console/backups?tab=schedules');
    await page.getByText('Monday to Friday at 04:15 (Europe/Berlin)').waitFor();
    expect(await shownOf(page, /^Next$/)).toBeGreaterThan(40);
    expect(await axeInBothThemes(page)).toEqual([]);
  });

  test('what is printed fits a sheet, with every column, the text of what opens a row, and moments as they are', async () => {
    const page = await signInWith(['admin'], '/account');
    // The width of A4 with margins of 10 mm.
    await page.setViewportSize({ width: 718, height: 1010 });
    const found: string[] = [];
    for (const path of [
      '/jobs',
      `/jobs/${failing}?view=table`,
      '/devices/quay-1?tab=backups',
      '/automations?tab=triggers',
    ]) {
      await openScreen(page, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
      await page.emulateMedia({ media: 'print' });
      found.push(...(await cutOff(page)).map((one) => `${path}: ${one}`));
      await picture(page, `printed${path.replaceAll(/\W+/g, '-')}`);
      if (path.endsWith('backups')) {
        const taken = page.getByRole('table', { name: 'Backups' }).locator('tbody time').first();
        expect(await taken.locator('..').isVisible()).toBe(true);
        const moment = await page.evaluate<string>(
          'getComputedStyle(document.querySelector("tbody time"), "::after").content',
        );
        expect(moment).toMatch(/^"3 Feb 2026, /);
        expect(await page.getByLabel('Select row 1').isVisible()).toBe(false);
      }
      await page.emulateMedia({ media: null });
    }
    expect(found).toEqual([]);
  });

  test('the graph of a job has steps of a size that can be read, below each other, and the chosen one beside its panel', async () => {
    const names = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh'];
    const tasks = names.map((summary, at) => [`a${at}`, { ...variable(`v${at}`, at), summary }] as const);
    await harbour.admin.automationStudio.createWorkflow({
      automation: workflowOf('Seven steps', Object.fromEntries(tasks)),
    });
    const page = await signInWith(['admin'], '/account');
    await page.setViewportSize(TABLET);
    await page.goto(`/console/jobs/${await harbour.startJob('Seven steps')}`);
    const step = (name: string) => page.getByRole('group', { name: new RegExp(`^${name}: `) });
    await step('First').waitFor();
    const [first, second, frame] = await Promise.all(
      [step('First'), step('Second'), page.locator('.graph-frame')].map((one) => one.boundingBox()),
    );
    if (!first || !second || !frame) throw new Error('the graph is not shown');
    expect(first.width).toBeGreaterThan(120);
    expect(second.y).toBeGreaterThan(first.y + first.height);
    expect(first.y).toBeGreaterThan(frame.y);
    expect(first.x + first.width).toBeLessThan(frame.x + frame.width);
    await step('First').focus();
    await page.keyboard.press('ArrowDown');
    const panel = page.getByRole('region', { name: 'Task', exact: true });
    await panel.getByRole('heading', { name: 'Second' }).waitFor();
    // Both the chosen step and what it did are in the window.
    await expect.poll(async () => (await panel.boundingBox())?.y ?? TABLET.height).toBeLessThan(800);
    await expect
      .poll(async () => (await step('Second').boundingBox())?.y ?? -1)
      .toBeGreaterThan((await page.locator('.graph-frame').boundingBox())?.y ?? 0);
    expect(await axeInBothThemes(page)).toEqual([]);
  });
});
