import type { Route } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { openHarbour } from '../helpers/console/harbour.ts';
import { openScreen } from '../helpers/console/screens.ts';

/** Forms with choices of every kind: what is pressed to open them, and the procedures that read their choices. */
const FORMS = [
  ['a select', '/trees', ['Create golden config'], 'listParsers'],
  ['lists of boxes', '/admin/groups', ['Create group'], 'listRoles'],
  ['two lists of boxes', '/admin/service-accounts', ['Create service account'], 'list(Roles|GroupNames)'],
  ['a text with completions', '/automations', ['Create automation'], 'listWorkflows'],
  ['another one', '/jobs', ['Start job'], 'listWorkflows'],
  [
    'tokens with completions',
    '/compliance',
    ['Run compliance', 'Select by properties'],
    'listSelectionValues',
  ],
  ['a count of devices', '/compliance', ['Run compliance'], 'listTreeDevices'],
  ['a filter of a list', '/admin/notifications?tab=deliveries', [], 'listChannels'],
  ['a select of a page', '/commands', [], 'listDeviceGroups|listTemplates'],
] as const;

describeInBrowser('choices that cannot be read', async () => {
  const { service } = await openHarbour();
  const { signInWith } = await openConsole(service);
  let page: Awaited<ReturnType<typeof signInWith>>;
  beforeAll(async () => {
    page = await signInWith(['admin'], '/account');
  });

  test.each(FORMS)('are not shown as none: %s says so, and another try reads them', async (...form) => {
    const [, path, opened, procedures] = form;
    const failing = new RegExp(`/trpc/\\w+\\.(${procedures})$`);
    const fail = (route: Route) =>
      route.fulfill({
        status: 500,
        json: {
          error: {
            message: 'Internal error',
            code: -32603,
            data: { code: 'INTERNAL_SERVER_ERROR', httpStatus: 500, path: '', requestId: 'a-failure' },
          },
        },
      });
    // Anew, so that nothing is in the memory of the console.
    await page.goto('/console/no-such-page');
    await page.route(failing, fail);
    await openScreen(page, path);
    for (const name of opened) await page.getByRole('button', { name, exact: true }).last().click();
    const said = page
      .getByRole('alert')
      .filter({ hasText: 'could not be read. Internal error Request a-failure.' });
    await said.first().waitFor();
    await page.unroute(failing, fail);
    await said.first().getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => said.count()).toBe(0);
  });
});
