import type { Page } from 'playwright-core';
import { readRows } from './in-page.mjs';
import { frameTimes, openAnew, type Part, timeToPaint } from './page-timing.ts';

const ROUNDS = 3;
const LIST_MS = 500;
const OVERVIEW_MS = 1000;
const FRAME_MS = 25;
/** Rows of the table that is scrolled. */
const LONG = 5000;

/** A row of a list, or the message that the list is empty. */
const FIRST_ROW = 'main table tbody tr td, main .state h2';

/** Bars, chart, issues and matrix of the overview. */
const OVERVIEW = ['main .bars .number', 'main .uplot', 'main .issues li', 'main #matrix tbody td'];

/** Every screen that is a list, by its address below /console. */
const LISTS = [
  '/jobs',
  '/work',
  '/proposals',
  '/devices',
  '/device-groups',
  '/trees',
  '/automations',
  '/automations/forms',
  '/projects',
  '/workflows',
  '/prebuilts',
  '/integrations',
  '/integration-models',
  '/admin/accounts',
  '/admin/groups',
  '/admin/roles',
  '/admin/service-accounts',
  '/admin/adapters',
  '/admin/tokens',
  '/admin/audit',
  '/adapter-catalogues',
];

/** Filters: the address, and what shows that the answer has arrived. */
const FILTERS: { label: string; from: string; to: string; until: string; shows: string; hides: string }[] = [
  {
    label: 'jobs, name contains “leaf 25”',
    from: '/jobs',
    to: '/jobs?q=leaf+25&window=all',
    until: 'main tbody tr td a[href*="/jobs/"]',
    shows: 'leaf 25',
    hides: 'core',
  },
  {
    label: 'jobs, state error',
    from: '/jobs',
    to: '/jobs?state=error&window=all',
    until: 'main tbody .badge',
    shows: 'error',
    hides: 'complete',
  },
  {
    label: 'jobs by name',
    from: '/jobs',
    to: '/jobs?sort=name&window=all',
    until: 'main tbody tr td a[href*="/jobs/"]',
    shows: 'Upgrade core 1',
    hides: 'spine',
  },
  {
    label: 'devices, name contains “edge-777”',
    from: '/devices',
    to: '/devices?q=edge-777',
    until: 'main tbody tr td a',
    shows: 'edge-777',
    hides: 'edge-100',
  },
  {
    label: 'devices by name, descending',
    from: '/devices',
    to: '/devices?sort=-name',
    until: 'main tbody tr td a',
    shows: 'edge-999',
    hides: 'edge-100',
  },
  {
    label: 'compliance, grade fail',
    from: '/compliance',
    to: '/compliance?grade=fail',
    until: 'main #matrix tbody tr td:nth-child(2)',
    shows: 'fail',
    hides: 'pass',
  },
];

/** Measures the first page of every list, of its filters, and the overview. */
export async function measureLists({ page, budget }: Part): Promise<void> {
  for (const path of LISTS) {
    budget(`first page of ${path}`, await best(page, path, [FIRST_ROW]), LIST_MS);
  }
  const cards = await best(page, '/compliance', OVERVIEW);
  budget('overview of compliance, all parts', cards, OVERVIEW_MS);
  for (const { label, from, to, ...until } of FILTERS) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await openAnew(page);
      await timeToPaint(page, [{ until: FIRST_ROW }], from);
      times.push(await timeToPaint(page, [until], to));
    }
    budget(label, Math.min(...times), LIST_MS);
  }
}

/** The best of some rounds, each with nothing in the memory of the page. */
async function best(page: Page, path: string, parts: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await openAnew(page);
    const untils = parts.map((until) => ({ until }));
    times.push(await timeToPaint(page, untils, path));
  }
  return Math.min(...times);
}

/** Measures frames while a long table is scrolled. */
export async function measureScrolling({ page, budget }: Part) {
  const css = 'main .table-frame';
  await page.goto('/console/devices');
  await page.locator('main tbody tr').first().waitFor();
  await page.evaluate(readRows, { css, rows: LONG });
  const read = await page.locator(`${css} + div`).textContent();
  const nodes = await page.locator('main tbody tr').count();
  const { p50, p95, work } = await frameTimes(page, css);
  process.stdout.write(`devices: ${read}, ${nodes} rows in the document, p50 ${p50.toFixed(1)} ms a frame\n`);
  const parts = Object.entries(work).map(([name, ms]) => `${name} ${ms.toFixed(2)}`);
  process.stdout.write(`processor time of the main thread a frame, ms: ${parts.join(', ')}\n`);
  budget(`a frame while ${LONG} rows are scrolled, p95`, p95, FRAME_MS);
}
