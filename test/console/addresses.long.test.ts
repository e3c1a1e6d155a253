import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { allScreens, openScreen } from '../helpers/console/screens.ts';
import { createPerson } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';

/** What an address may add to each screen that is a list or has tabs: a filter, and a tab that is not the first. */
const QUERIES: Readonly<Record<string, string>> = {
  '/jobs': '?q=pier&state=error&window=all',
  '/work': '?q=pier',
  '/devices': '?q=pier&field=address&sort=-name',
  '/trees': '?q=pier&sort=-name',
  '/automations': '?tab=triggers&type=schedule',
  '/proposals': '?state=rejected',
  '/backups': '?tab=schedules',
  '/commands': '?match=pier&platform=cisco',
  '/admin/notifications': '?tab=channels',
  '/admin/secrets': '?tab=uses',
  '/admin/audit': '?q=create&window=all',
  '/admin/accounts': '?q=person&sort=-username',
  '/admin/roles': '?q=AdapterModels',
  '/trees/$treeId': '?tab=variables',
  '/devices/$name': '?tab=jobs',
};

describeInBrowser('addresses of the console', async () => {
  const service = await openService();
  const { configurationManager } = await service.as('admin');
  const { id: treeId } = await configurationManager.createTree({ name: 'Quay', deviceType: 'cisco-ios' });
  const { newContext, signIn } = await openConsole(service);
  const person = await createPerson(service, ['admin']);
  /** Objects that exist, for the pages of one object; the others say what is missing. */
  const real: Readonly<Record<string, string>> = {
    '/trees/$treeId': `/trees/${treeId}`,
    '/admin/accounts/$accountId': `/admin/accounts/${person.id}`,
    '/admin/profiles/$profileId': '/admin/profiles/default',
  };

  /** What a screen shows, without times, which go by, and ids of requests. */
  const shown = async (page: Page) => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
    const tree = await page.locator('main').ariaSnapshot();
    return tree
      .replaceAll(/ \[active\]/g, '')
      .replaceAll(
        /\b(now|(in )?\d+ (ms|s|sec\.|min\.?|hr\.|h)( \d+ (s|min))?( ago)?)\b|\d+ MB|load [\d. ]+/g,
        '…',
      )
      .replaceAll(/Request \S+/g, 'Request …')
      .replaceAll(/\d[\d,.:T]*/g, '0');
  };

  /** What a screen shows once nothing more arrives. */
  const settled = async (page: Page) => {
    for (let before = await shown(page); ; ) {
      await page.waitForTimeout(300);
      const now = await shown(page);
      if (now === before) return now;
      before = now;
    }
  };

  test('back, forward, a reload and a shared link show the same thing on every screen', async () => {
    const page = await signIn(person, '/account');
    const other = await signIn(person, '/account', await newContext());
    const different: string[] = [];
    for (const { route, path } of await allScreens()) {
      const address = (real[route] ?? path) + (QUERIES[route] ?? '');
      await openScreen(page, address);
      const first = await settled(page);
      const compare = async (which: string, on: Page) => {
        const again = await expect
          .poll(() => shown(on), { timeout: 8000 })
          .toBe(first)
          .then(
            () => undefined,
            () => shown(on),
          );
        if (again === undefined) return;
        const [was, is] = [first.split('\n'), again.split('\n')];
        const lines = [
          ...was.filter((line) => !is.includes(line)).map((line) => `- ${line}`),
          ...is.filter((line) => !was.includes(line)).map((line) => `+ ${line}`),
        ];
        different.push(`${address}, ${which}:\n${lines.slice(0, 8).join('\n')}`);
      };
      await page.evaluate(`history.pushState({}, '', '/console/no-such-page')`);
      await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
      await page.goBack();
      await compare('back', page);
      await page.goForward();
      await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
      await page.goBack();
      await Promise.all([page.reload(), other.goto(page.url())]);
      // The page of one's own account marks the session that reads it.
      const shared = route === '/account' ? undefined : compare('a shared link', other);
      await Promise.all([compare('reload', page), shared]);
    }
    expect(different).toEqual([]);
  });
});
