import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { openHarbour } from '../helpers/console/harbour.ts';
import { allScreens, openScreen } from '../helpers/console/screens.ts';
import { createPerson } from '../helpers/people.ts';

/** A page, and what a user does there. */
type Visit = { path: string; title: string; act: (page: Page) => Promise<unknown> };

/** Moments relative to now, durations that grow, and ids of requests: they differ from one look to the next. */
const PASSING = /\b\d+ (sec|min|hr|day|ms|s)\b\.?( ago)?|\bnow\b|Request \S+/g;

const main = (page: Page) => page.locator('main');

/** What a page shows, with the values of its fields, as a screen reader says it. */
async function picture(page: Page): Promise<string> {
  await main(page).getByRole('heading', { level: 1 }).waitFor();
  await main(page).locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  return (await main(page).ariaSnapshot()).replaceAll(PASSING, '…');
}

/** What a page shows once it no longer changes. */
async function settled(page: Page): Promise<string> {
  let before = await picture(page);
  await expect
    .poll(async () => {
      const now = await picture(page);
      const isSame = now === before;
      before = now;
      return isSame;
    })
    .toBe(true);
  return before;
}

const shows = (page: Page, expected: string, how: string) =>
  expect.poll(() => picture(page), { message: how, timeout: 10_000 }).toBe(expected);

describeInBrowser('the address of a page', async () => {
  const harbour = await openHarbour();
  const { service, done, treeId, reportIds, groupId, campaignId, automationId, failing } = harbour;
  await done('POST', '/import/backups', {
    backups: [{ name: 'quay-2', rawConfig: 'hostname quay\n', date: '2026-03-04T05:06:07.000Z' }],
  });
  const { signIn } = await openConsole(service);
  const [page, guest] = await Promise.all([
    signIn(await createPerson(service, ['admin']), '/account'),
    signIn(await createPerson(service, ['admin']), '/account'),
  ]);
  const filter = (text: string) => async (page: Page) => {
    await main(page).getByRole('searchbox', { name: 'Filter' }).fill(text);
    await page.waitForURL(new RegExp(`q=${text}`));
  };
  const choose = (label: string, option: string | { index: number }) => (page: Page) =>
    main(page).getByLabel(label, { exact: true }).selectOption(option);
  const press = (name: string | RegExp) => (page: Page) =>
    main(page).getByRole('button', { name, exact: true }).first().click();
  const follow = (name: string | RegExp) => (page: Page) =>
    main(page).getByRole('link', { name, exact: true }).first().click();
  const sort = (column: string) => (page: Page) =>
    main(page).getByRole('columnheader', { name: column }).getByRole('button').click();
  const all =
    (...acts: Visit['act'][]): Visit['act'] =>
    async (page) => {
      for (const act of acts) await act(page);
    };

  const VISITS: readonly Visit[] = [
    {
      title: 'a list of jobs that is filtered and sorted',
      path: '/jobs',
      act: all(filter('Parse'), choose('State', 'error'), choose('Window of time', 'all'), sort('Name')),
    },
    {
      title: 'a step of a job in the table',
      path: `/jobs/${failing}`,
      act: all(press('Table view'), press(/Jump to first error/)),
    },
    { title: 'the timeline of a job', path: `/jobs/${failing}`, act: press('Timeline view') },
    {
      title: 'the devices of one grade',
      path: '/compliance',
      act: all(follow(/^fail/), filter('quay')),
    },
    {
      title: 'an issue of a report',
      path: `/reports/${reportIds[0]}`,
      act: all(choose('Severity', 'error'), choose('Severity', ''), press(/^Line 1, /)),
    },
    { title: 'proposals that wait', path: '/proposals', act: follow(/^applied/) },
    {
      title: 'a search for devices',
      path: '/devices',
      act: all(filter('quay'), sort('Name')),
    },
    {
      title: 'two backups of a device, compared the other way round',
      path: '/devices/quay-2',
      act: all(
        follow('Backups'),
        async (page) => {
          for (const row of [1, 2]) await main(page).getByRole('checkbox').nth(row).check();
        },
        press('Compare'),
        press('Swap sides'),
        (page) =>
          main(page).getByRole('region', { name: 'Comparison' }).locator('.cm-content').first().waitFor(),
      ),
    },
    { title: 'members of a device group', path: `/device-groups/${groupId}`, act: filter('quay') },
    {
      title: 'targets of commands',
      path: '/commands',
      act: (page) => main(page).getByLabel('Name contains').fill('quay-1'),
    },
    {
      title: 'the rules of a node',
      path: `/trees/${treeId}`,
      act: all(follow('Rules')),
    },
    {
      title: 'triggers of one kind',
      path: '/automations',
      act: all(follow('Triggers'), choose('Type', 'manual')),
    },
    { title: 'an automation', path: `/automations/${automationId}`, act: async () => undefined },
    {
      title: 'a task in the graph of a workflow',
      path: '/workflows',
      act: all(follow('Ask for a site'), follow('Graph'), (page) =>
        main(page).locator('.react-flow__node').filter({ hasText: 'Name the site' }).click(),
      ),
    },
    { title: 'a search in tasks of a model', path: '/integrations/sites', act: filter('status') },
    {
      title: 'accounts, sorted and filtered',
      path: '/admin/accounts',
      act: all(filter('person'), sort('Username')),
    },
    {
      title: 'refused entries of the audit trail',
      path: '/admin/audit',
      act: all(choose('Outcome', 'refused'), choose('Time', 'ever')),
    },
    {
      title: 'deliveries that were given up',
      path: '/admin/notifications',
      act: all(follow('Deliveries'), choose('State', 'dead')),
    },
    {
      title: 'a search in all backups',
      path: '/backups',
      act: all(
        follow('Search'),
        (page) => main(page).getByLabel('Search for').fill('ip http server'),
        press('Search'),
        (page) => main(page).getByRole('table').waitFor(),
      ),
    },
    {
      title: 'rules of one version',
      path: `/rules?tree=${treeId}`,
      act: all(choose('Version', 'initial'), filter('ntp')),
    },
    { title: 'the devices of a campaign', path: `/campaigns/${campaignId}`, act: async () => undefined },
  ];

  test.each(VISITS)(
    'shows $title again after back, forward, a reload, and to somebody else',
    async (visit) => {
      await page.goto(`/console${visit.path}`);
      await picture(page);
      await visit.act(page);
      const expected = await settled(page);
      const address = page.url();

      const away = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Admin/ });
      await away.click();
      await page.getByRole('heading', { level: 1, name: 'Admin' }).waitFor();
      await page.goBack();
      await shows(page, expected, 'after going back');
      expect(page.url()).toBe(address);
      await page.goForward();
      await page.goBack();
      await shows(page, expected, 'after going forward and back');
      await page.reload();
      await shows(page, expected, 'after a reload');
      await guest.goto(address);
      await shows(guest, expected, 'opened by somebody else');
    },
  );

  test('shows every page again after a reload, and after back and forward', async () => {
    const found: string[] = [];
    for (const { path, route } of await allScreens()) {
      await openScreen(page, path);
      const expected = await settled(page);
      const same = async (how: string) => {
        await shows(page, expected, how).catch((error: Error) =>
          found.push(`${route} ${how}: ${error.message}`),
        );
      };
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
      await page.goForward();
      await same('after back and forward');
      await page.reload();
      await same('after a reload');
    }
    expect(found).toEqual([]);
  });
});
