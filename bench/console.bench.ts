import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openChromium } from '../test/helpers/console/chromium.ts';
import { BENCH_ADMIN, type Call, callsOf } from './console/calls.ts';
import { measureCanvas, measureLargeValue } from './console/job-pages.ts';
import { measureListFiles } from './console/list-files.ts';
import { measureLists, measureScrolling } from './console/list-pages.ts';
import { measureFirstPaint } from './console/paint.ts';
import { storeScale } from './console/scale-data.ts';
import { signIn, startServer, verdict } from './peers.ts';

/**
 * Measures the console in Chromium on a service that holds 1,000,000 jobs, 10,000 devices and 100,000 reports: the first page
 * of its lists and of their filters, long tables, graphs of jobs, a value of 20 MB, and its first paint. BENCH_LISTED,
 * BENCH_DEVICES and BENCH_REPORTS store fewer; BENCH_CONSOLE_DIR keeps the data for the next run; BENCH_PARTS names some
 * of lists, files, scroll, canvas, value and paint.
 */
const SCALE = {
  jobs: Number(process.env.BENCH_LISTED ?? 1_000_000),
  devices: Number(process.env.BENCH_DEVICES ?? 10_000),
  reports: Number(process.env.BENCH_REPORTS ?? 100_000),
};
const PARTS = (process.env.BENCH_PARTS ?? 'paint,lists,files,scroll,canvas,value').split(',');

const kept = process.env.BENCH_CONSOLE_DIR;
const dataDir = kept ?? (await mkdtemp(join(tmpdir(), 'bench-')));
const ours = await startServer('switchyard', { DATA_DIR: dataDir, BODY_LIMIT_MIB: '64' });
process.once('exit', () => ours.stop());
const token = await signIn(ours);
const call = callsOf(ours.url, token);

const { length: known } = await call<unknown[]>('GET', '/configuration_manager/configs');
if (known === 0) await fill(call);

const { browser, newContext, signIn: open, faults } = await openChromium(() => ours.url);
/** Prints a duration beside its budget. */
const budget = (label: string, ms: number, most: number) =>
  verdict(`${label}, ms`, ms, ms <= most, `≤ ${most}`);
/** Prints an amount of memory beside its budget. */
const sized = (label: string, mib: number, most: number) =>
  verdict(`${label}, MiB`, mib, mib <= most, `≤ ${most}`);
try {
  const page: Page = await open(BENCH_ADMIN, '/jobs', await newContext());
  if (PARTS.includes('paint')) await measureFirstPaint({ page, budget });
  if (PARTS.includes('lists')) await measureLists({ page, budget });
  if (PARTS.includes('files')) await measureListFiles({ sized, ours, token });
  if (PARTS.includes('scroll')) await measureScrolling({ page, budget });
  if (PARTS.includes('canvas')) await measureCanvas({ page, call, budget });
  if (PARTS.includes('value')) await measureLargeValue({ page, call, budget });
  verdict('faults of pages', faults.length, faults.length === 0, '0');
  for (const fault of faults) process.stdout.write(`  ${fault}\n`);
} finally {
  await browser.close();
  ours.stop();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  if (!kept) await rm(dataDir, { recursive: true, force: true });
}

/** Makes what has to be made over the API, and stores the rest as copies. */
async function fill(call: Call) {
  const began = performance.now();
  const tree = await call<{ id: string }>('POST', '/configuration_manager/configs', {
    name: 'Fleet',
    deviceType: 'cisco-ios',
  });
  const host = await call<{ data: { _id: string } }>('POST', '/automationgateway/inventory/cli', {
    host: {
      name: 'first',
      host: '192.0.2.1',
      port: 22,
      device_type: 'cisco_ios',
      username: 'u',
      password: 'p',
    },
  });
  await call('POST', '/configuration_manager/import/backups', {
    backups: [{ name: 'first', rawConfig: 'hostname first\n', provider: 'gateway', type: 'native' }],
  });
  const who = await call<{ id: string }>('GET', '/whoami');
  await storeScale(dataDir, SCALE, {
    treeId: tree.id,
    host: host.data._id,
    admin: who.id,
  });
  process.stdout.write(`stored in ${Math.round((performance.now() - began) / 1000)} s\n`);
}
