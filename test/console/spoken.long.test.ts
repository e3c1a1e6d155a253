import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { openHarbour } from '../helpers/console/harbour.ts';
import { press } from '../helpers/console/keys.ts';
import { openScreen } from '../helpers/console/screens.ts';
import { unspeakable } from '../helpers/console/spoken.ts';
import { tabTitles } from '../helpers/console/tab-titles.ts';

/** What screen readers say of an element after its name. */
const described = (element: Locator) =>
  element.evaluate((node) => {
    const { document } = globalThis as unknown as {
      document: { getElementById: (id: string) => { textContent: string | null } | null };
    };
    return document.getElementById(node.getAttribute('aria-describedby') ?? '')?.textContent;
  });

describeInBrowser('what screen readers say of the console', async () => {
  const harbour = await openHarbour();
  const { service, failing, waiting, reportIds, proposalIds, campaignId, treeId, automationId } = harbour;
  const { signInWith } = await openConsole(service);
  await harbour.admin.operationsManager.createTrigger({
    trigger: {
      ...{ actionType: 'automations', actionId: automationId, enabled: true },
      ...{ type: 'endpoint', name: 'By a call', routeName: 'spoken' },
    },
  });

  test('each control and table has a name, no two buttons of one part of a page have the same, and titles of tabs differ', async () => {
    const page = await signInWith(['admin'], '/account');
    const found: string[] = [];
    const titleFault = tabTitles();
    const views = new Set([`/jobs/${failing}?task=a1&view=table`, `/trees/${treeId}?tab=rules`]);
    for (const path of [
      '/account',
      '/jobs?window=all',
      `/jobs/${failing}?task=a1`,
      `/jobs/${failing}?task=a1&view=table`,
      `/work?job=${waiting}`,
      `/compliance?tree=${treeId}`,
      `/reports/${reportIds[0]}`,
      '/proposals',
      `/proposals/${proposalIds[0]}`,
      `/campaigns/${campaignId}`,
      `/campaigns/${campaignId}/proposals`,
      '/rules',
      '/devices',
      '/devices/quay-1',
      '/devices/quay-1?tab=backups',
      '/device-groups',
      `/device-groups/${harbour.groupId}`,
      '/backups?tab=policy',
      '/backups?tab=schedules',
      '/commands?devices=quay-1',
      `/trees/${treeId}`,
      `/trees/${treeId}?tab=rules`,
      `/automations/${automationId}`,
      '/automations?tab=triggers',
      '/integrations/sites',
      '/integration-models/Sites:1.0',
      '/admin/accounts',
      `/admin/accounts/${harbour.account.id}`,
      '/admin/secrets',
      '/admin/notifications?tab=channels',
      '/admin/retention',
      '/admin/audit',
    ]) {
      await openScreen(page, path);
      await page.locator('main').getByRole('heading', { level: 1 }).waitFor();
      await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
      found.push(...(await unspeakable(page)).map((one) => `${path}: ${one}`));
      // Another view of the same page has its title.
      const fault = views.has(path) ? undefined : await titleFault(page, path);
      if (fault) found.push(fault);
    }
    expect(found).toEqual([]);
    await openScreen(page, '/backups?tab=schedules');
    await expect.poll(() => page.title()).toBe('Schedules · Fleet backups · Devices · Switchyard');
    await openScreen(page, `/automations/${automationId}`);
    await expect.poll(() => page.title()).toBe('Visits · Automations · Switchyard');
  });

  test('no field for a secret invites the browser to fill in the password of the console', async () => {
    const page = await signInWith(['admin'], '/admin/notifications?tab=channels');
    await press(page, /^Create/);
    const secret = page.getByRole('dialog').locator('input[type="password"]').first();
    expect(await secret.getAttribute('autocomplete')).toBe('new-password');
  });

  test('a dialog that has closed announces what its button did, unless a message of its own says so', async () => {
    const page = await signInWith(['admin'], '/admin/groups');
    const messages = page.getByRole('region', { name: 'Messages' });
    const dialog = page.getByRole('dialog');
    await press(page, 'Create group');
    await dialog.getByLabel('Name').fill('Pilots');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await messages.getByText('Create group: accepted').waitFor();

    await openScreen(page, `/automations/${automationId}`);
    await page
      .getByRole('region', { name: 'Trigger By a call' })
      .getByRole('button', { name: 'Change' })
      .click();
    await dialog.getByLabel('Description').fill('From outside');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await messages.getByText('The trigger is saved').waitFor();
    expect(await messages.getByText('Save: accepted').count()).toBe(0);
    // The dialog stays open and shows an error.
    await openScreen(page, '/admin/groups');
    await press(page, 'Create group');
    await dialog.getByLabel('Name').fill('Pilots');
    await page.keyboard.press('Enter');
    await dialog
      .getByRole('alert')
      .getByText(/Pilots/)
      .waitFor();
  });

  test('a page and a tab that a link opens are announced, and symbols of buttons are not', async () => {
    const page = await signInWith(['admin'], '/account');
    const announced = page.getByRole('status', { name: 'Page', exact: true });
    await page.getByRole('link', { name: 'Devices' }).click();
    await announced.getByText('Devices').waitFor();
    await page.getByRole('link', { name: 'quay-1' }).click();
    await announced.getByText('quay-1, Devices').waitFor();
    await page.getByRole('link', { name: 'Backups' }).click();
    await announced.getByText('Backups, quay-1, Devices').waitFor();

    // Orca joins the words of a link that has no name of its own: `error1`.
    await openScreen(page, '/jobs?window=all');
    await page
      .getByRole('navigation', { name: 'Jobs by state' })
      .locator('a[aria-label="error 1"]')
      .waitFor();

    await openScreen(page, '/devices?sort=name');
    await page
      .getByRole('columnheader', { name: 'Name' })
      .getByRole('button', { name: 'Name', exact: true })
      .waitFor();
    expect(await page.locator('header').getByRole('button', { name: /▾/ }).count()).toBe(0);
    expect(await described(page.getByRole('checkbox', { name: 'Select row 1', exact: true }))).toBe('quay-1');
    await page.getByRole('checkbox', { name: 'Select row 1', exact: true }).check();
    await page.getByRole('status').getByText('1 selected').waitFor();
  });

  test('the steps of a graph follow each other, and promise no key that does nothing', async () => {
    const page = await signInWith(['admin'], `/jobs/${failing}`);
    const steps = page.locator('.react-flow__node');
    await steps.first().waitFor();
    const names = await steps.evaluateAll((nodes) => nodes.map((node) => node.getAttribute('aria-label')));
    expect(names).toEqual(['workflow_start: complete', 'Read it: error', 'workflow_end: not started']);
    expect(await described(steps.first())).toBe(
      'Enter opens the step, arrow keys go to the steps beside it.',
    );
  });

  test('the palette leaves the focus in its field until an arrow chooses, and says what it has found', async () => {
    const page = await signInWith(['admin'], '/account');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search pages and documents' });
    await field.pressSequentially('devi');
    await page.getByRole('status', { name: 'Found' }).getByText('the first is Devices').waitFor();
    expect(await field.getAttribute('aria-activedescendant')).toBeNull();
    expect(await page.getByRole('option', { selected: true }).count()).toBe(0);
    await field.press('ArrowDown');
    await page.getByRole('option', { name: /Device groups/, selected: true }).waitFor();
    expect(await field.getAttribute('aria-activedescendant')).toContain('device-groups');
    await field.fill('no such page');
    await page.getByRole('status').getByText('Nothing matches').waitFor();
  });
});
