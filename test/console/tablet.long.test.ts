import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { cutOff } from '../helpers/console/cut-off.ts';
import { openHarbour } from '../helpers/console/harbour.ts';
import { picture } from '../helpers/console/pictures.ts';

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
      await page.goto(`/console${path}`);
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
});
