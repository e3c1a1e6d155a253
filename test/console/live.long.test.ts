import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, inject, test } from 'vitest';
import { describeInBrowser, launchBrowser } from '../helpers/console/browser.ts';
import { until } from '../helpers/processes/processes.ts';

const PASSWORD = 'a-password-for-tests';
const TASKS = {
  workflow_start: { name: 'workflow_start', type: 'start', x: 0, y: 0 },
  workflow_end: { name: 'workflow_end', type: 'end', x: 1, y: 0 },
};

describeInBrowser('the console while the service comes and goes', async () => {
  const folder = join(inject('folder'), `console-live-${process.pid}`);
  await mkdir(folder);
  let child: ChildProcess | undefined;
  let port = '0';
  let url = '';

  /** Starts the service, again on the same port and data. */
  const start = async () => {
    const started = spawn(process.execPath, ['server/app/launch.cjs'], {
      env: { ...process.env, PORT: port, DATA_DIR: folder, ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child = started;
    const lines: string[] = [];
    createInterface({ input: started.stdout }).on('line', (line) => lines.push(line));
    const line = await until('the service listens', () => lines[0], 150);
    url = line.slice('listening on '.length);
    port = new URL(url).port;
  };

  afterAll(() => {
    child?.kill('SIGTERM');
  });
  await start();
  const { newContext, signIn } = await launchBrowser(() => url);
  const person = { username: 'admin', password: PASSWORD };

  const call = async (method: string, path: string, body: unknown) => {
    const token = await (
      await fetch(`${url}/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(person),
      })
    ).text();
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
  };

  test('eight tabs share one event stream, and all of them are live', async () => {
    const context = await newContext();
    const streams: string[] = [];
    context.on('request', (request) => {
      if (request.url().endsWith('/events')) streams.push(request.url());
    });
    const first = await signIn(person, '/jobs', context);
    await first.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();
    for (let tab = 1; tab < 8; tab++) {
      const page = await context.newPage();
      await page.goto('/console/jobs');
      await page.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();
    }
    expect(streams).toHaveLength(1);
    await context.close();
  });

  test('says within 3 s that it is stale when the service is killed, and catches up by itself', async () => {
    await call('POST', '/automation-studio/automations', {
      automation: {
        name: 'Nothing',
        type: 'automation',
        tasks: TASKS,
        transitions: {
          workflow_start: { workflow_end: { type: 'standard', state: 'success' } },
          workflow_end: {},
        },
      },
    });
    const page = await signIn(person, '/jobs');
    const state = page.getByRole('status', { name: 'Connection' });
    await state.getByText('live').waitFor();
    // The page notes the moment itself: what waits for a text from outside looks every half second.
    await page.evaluate(`
      const watch = new MutationObserver(() => {
        if (/stale since/.test(document.querySelector('[role="status"][aria-label="Connection"]')?.textContent))
          window.staleAt ??= Date.now();
      });
      watch.observe(document, { subtree: true, childList: true, characterData: true });`);
    const killed = Date.now();
    child?.kill('SIGKILL');
    await state.getByText('stale since').waitFor();
    const staleMs = (await page.evaluate<number>('window.staleAt')) - killed;
    console.info(`stale after ${Math.round(staleMs)} ms`);
    expect(staleMs).toBeLessThan(3000);
    await start();
    const returned = performance.now();
    await state.getByText('live').waitFor();
    const backMs = performance.now() - returned;
    console.info(`live again ${Math.round(backMs)} ms after the service`);
    expect(backMs).toBeLessThan(3000);
    await call('POST', '/operations-manager/jobs/start', {
      workflow: 'Nothing',
      options: { type: 'automation', variables: {} },
    });
    const row = page.getByRole('table', { name: 'Jobs' }).getByRole('link', { name: 'Nothing' });
    await row.waitFor();
    const fresh = await page.context().newPage();
    await fresh.goto('/console/jobs');
    await fresh.getByRole('table', { name: 'Jobs' }).getByRole('link', { name: 'Nothing' }).waitFor();
    expect(await row.count()).toBe(1);
  });
});
