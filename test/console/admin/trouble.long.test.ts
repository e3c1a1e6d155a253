import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { openService } from '../../helpers/service.ts';

describeInBrowser('what is wrong with the service', async () => {
  const service = await openService({}, { works: true });
  const { signInWith } = await openConsole(service);
  const admin = await service.as('admin');

  test('is said on every page, and leads to where it is corrected', async () => {
    await admin.workflowEngine.deactivateJobWorker({});
    const page = await signInWith(['admin'], '/jobs');
    const trouble = page.getByRole('status', { name: 'Trouble' });
    await trouble.getByRole('link', { name: 'No job starts: the job worker is off' }).click();
    await page.getByRole('heading', { level: 1, name: 'Workers' }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Activate job worker' }).click();
    await page.getByRole('button', { name: 'Deactivate job worker' }).waitFor();
    await expect.poll(() => trouble.textContent()).toBe('');
  });

  test('names what cannot be reached, since when and why, and links to it', async () => {
    // A CMDB that lists no device: those that came from it stay, and the run fails.
    const cmdb = createServer((_request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end('{"count":0,"next":null,"previous":null,"results":[]}');
    }).listen(0, '127.0.0.1');
    await once(cmdb, 'listening');
    const { data: source } = await admin.inventory.createSource({
      source: {
        name: 'Dark CMDB',
        type: 'netbox',
        url: `http://127.0.0.1:${(cmdb.address() as AddressInfo).port}`,
        token: 'a-token-of-the-cmdb',
      },
    });
    const { runId } = await admin.inventory.syncSource({ id: source._id });
    await expect
      .poll(async () => (await admin.inventory.getRun({ runId })).status, { timeout: 20_000 })
      .not.toBe('running');
    cmdb.close();
    expect((await admin.health.getConnections({})).total).toBe(1);
    const page = await signInWith(['admin'], '/jobs');
    await page
      .getByRole('status', { name: 'Trouble' })
      .getByRole('link', { name: 'An inventory source fails' })
      .click();
    const wrong = page.getByRole('region', { name: 'What is wrong' });
    await wrong.getByText('An inventory source fails').waitFor();
    const row = page.getByRole('table', { name: 'What cannot be reached' }).getByRole('row').nth(1);
    expect(await row.textContent()).toMatch(/inventory source.*Dark CMDB.*(now|ago).+/);
    await row.getByRole('link', { name: 'Dark CMDB' }).click();
    await page.getByRole('heading', { level: 1, name: 'Dark CMDB' }).waitFor();
  });

  test('is said without a link to those who may not see more of it', async () => {
    await admin.workflowEngine.deactivateTaskWorker({});
    const page = await signInWith([], '/account');
    const trouble = page.getByRole('status', { name: 'Trouble' });
    await trouble.getByText('problems of the service').waitFor();
    expect(await trouble.locator('span').getAttribute('title')).toContain(
      'Jobs wait: the task worker is off',
    );
    expect(await trouble.getByRole('link').count()).toBe(0);
    await admin.workflowEngine.activateTaskWorker({});
  });

  test('keeps the page as wide as its window when a message names a device of 200 characters', async () => {
    const name = `r-${'x'.repeat(194)}-200`;
    await admin.automationgateway.createHost({
      kind: 'cli',
      host: { name, host: '127.0.0.1', port: 9, device_type: 'cisco_ios', username: 'u', password: 'p' },
    });
    const page = await signInWith(['admin'], `/devices/${name}`);
    await page.getByRole('alert').getByText('the host refuses the connection').waitFor();
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    }
  });
});
