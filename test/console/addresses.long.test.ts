import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { openHarbour } from '../helpers/console/harbour.ts';
import { searchParameters } from '../helpers/console/search-parameters.ts';
import { createGroup, createPerson } from '../helpers/people.ts';
import { loop, success, task, variable, workflowOf } from '../helpers/workflows.ts';

/** What a user does on a page, by its controls. */
type Use = (page: Page) => Promise<unknown>;
/** A view of a page: what follows its path before anything is used, and how the controls change it. */
type View = { from?: string; use: Use };
type Row = { path: string; views?: View[]; elsewhere?: string[] };

const main = (page: Page) => page.locator('main');
const filterOf = (page: Page) => main(page).getByRole('searchbox', { name: 'Filter' });
const sortsOf = (page: Page) => main(page).locator('th button.sort');
const fill =
  (label: string, text: string): Use =>
  (page) =>
    main(page).getByLabel(label, { exact: true }).fill(text);
const choose =
  (label: string, option: string | { index: number } | { label: string }): Use =>
  (page) =>
    main(page).getByLabel(label, { exact: true }).selectOption(option);
const press =
  (name: string | RegExp, role: 'button' | 'link' = 'button'): Use =>
  (page) =>
    main(page).getByRole(role, { name, exact: true }).first().click();
const all =
  (...uses: Use[]): Use =>
  async (page) => {
    for (const use of uses) await use(page);
  };
/** Sorts a list by its last column that can sort, and filters it by a text. */
const list =
  (text: string): Use =>
  async (page) => {
    await main(page).getByRole('heading', { level: 1 }).waitFor();
    await main(page).locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    if ((await sortsOf(page).count()) > 0) await sortsOf(page).last().click();
    if ((await filterOf(page).count()) > 0) await filterOf(page).fill(text);
  };

/** What differs from one moment to the next: times before now, durations, and the id of a request that failed. */
const PASSING = [
  /\b(?:in )?\d+ (?:day|hr|min|sec|ms|s|h)s?\b\.?(?: \d+ (?:s|min)\b)?(?: ago)?/g,
  /\b(?:now|yesterday|tomorrow)\b/g,
  /(?<=Request )[\w-]+/g,
];

/** The page as a screen reader has it, with the values of its fields. */
async function pictureOf(page: Page): Promise<string> {
  if ((await main(page).locator('[aria-busy="true"]').count()) > 0) return `${page.url()} still loads`;
  const text = await main(page).ariaSnapshot();
  return PASSING.reduce((all, passing) => all.replaceAll(passing, '…'), text);
}

/** The lines of either picture that the other lacks. */
function differences(one: string, other: string): string[] {
  const [left, right] = [one.split('\n'), other.split('\n')];
  return [
    ...left.filter((line) => !right.includes(line)).map((line) => `- ${line}`),
    ...right.filter((line) => !left.includes(line)).map((line) => `+ ${line}`),
  ];
}

const parametersOf = (page: Page): string[] => [...new URL(page.url()).searchParams.keys()];

describeInBrowser('the address of every screen', async () => {
  const harbour = await openHarbour();
  const { service, admin, done, run, tree, backUp, startJob } = harbour;
  const { newContext, signIn } = await openConsole(service);

  const rules = Array.from({ length: 301 }, (_, index) => `logging host 192.0.2.${index}`).join('\n');
  const berths = await tree(`hostname berth\n${rules}\n{d/}ip http server\n`);
  await berths.child('base', 'north');
  await berths.place('base', ['quay-1', 'quay-2']);
  await admin.configurationManager.createVersion({ treeId: berths.id, version: 'v2', base: 'initial' });
  await run(berths.at('base'));
  await backUp({ 'quay-1': 'hostname berth\nip http server\n' }, '2026-03-03T00:00:00.000Z');
  const [report] = await run(berths.at('base'));
  const { list: backups } = await done<{ list: { id: string; name: string }[] }>('POST', '/backups', {
    options: { filter: { name: 'quay-1' } },
  });
  const { created: workflow } = await admin.automationStudio.createWorkflow({
    automation: {
      ...workflowOf('Visit three', {
        d: variable('list', [1, 2, 3]),
        a: task('forEach', { data_array: '$var.job.list' }, { current_item: '$var.job.item' }),
        b: { ...variable('seen', '$var.job.item'), summary: 'Visit one' },
        c: variable('last', true),
      }),
      transitions: {
        workflow_start: { d: success },
        d: { a: success },
        a: { b: loop, c: success },
        b: {},
        c: { workflow_end: success },
      },
    },
  });
  const visits = await startJob('Visit three');
  const group = await createGroup(service, { name: 'Berths' });
  const person = await createPerson(service, ['admin'], { memberOf: [{ groupId: group }] });
  const profile = (await admin.profiles.getProfiles({ queryOptions: {} })).results[0];

  const PAGES: Record<string, Row> = {
    '/jobs': {
      path: '/jobs',
      views: [
        {
          use: all(
            choose('State', 'error'),
            choose('Started by', { index: 0 }),
            choose('Window of time', 'all'),
            list('pa'),
          ),
        },
        { use: choose('Started by', { label: 'Me' }) },
      ],
    },
    '/jobs/$jobId': {
      path: `/jobs/${visits}`,
      views: [
        {
          use: all(press('Table view'), press('Visit one'), (page) =>
            page.getByLabel('Iteration').selectOption({ index: 0 }),
          ),
        },
        { use: press('Timeline view') },
      ],
    },
    '/work': {
      path: '/work',
      views: [
        { use: all(choose('Claimed by', { index: 1 }), choose('Group', { label: 'Berths' })) },
        { from: `?job=${harbour.waiting}`, use: list('site') },
      ],
    },
    '/compliance': {
      path: '/compliance',
      views: [
        {
          use: all(
            choose('Golden config', berths.id),
            choose('Version', 'initial'),
            choose('Node', 'base'),
            choose('Device group', { label: 'Quays' }),
            press(/^fail/, 'link'),
            list('quay'),
          ),
        },
        {
          from: `?tree=${berths.id}&version=initial`,
          use: async (page) => {
            await press('Run compliance')(page);
            const dialog = page.getByRole('dialog');
            await dialog.getByRole('button', { name: /^Check / }).click();
            await dialog.waitFor({ state: 'detached' });
            await main(page).getByRole('region', { name: 'Runs' }).getByText('complete').waitFor();
          },
        },
      ],
    },
    '/reports/$reportId': {
      path: `/reports/${report?.id}`,
      elsewhere: ['batch'],
      views: [
        { use: all(choose('Rules of', { index: 1 }), choose('Severity', 'warning'), press(/^Show all/)) },
        { use: press('Compare with previous', 'link') },
        { use: all((page) => main(page).locator('.issue button').nth(3).click()) },
        {
          use: async (page) => {
            await main(page).getByText('Try other weights').click();
            await fill('Weight of an error', '5')(page);
            await fill('Weight of a warning', '3')(page);
          },
        },
      ],
    },
    '/proposals': {
      path: '/proposals',
      views: [{ use: all(press(/^proposed/, 'link'), list('quay')) }],
    },
    '/proposals/$proposalId': {
      path: `/proposals/${harbour.proposalIds[0]}`,
      elsewhere: ['tab'],
      views: [],
    },
    '/rules': {
      path: '/rules',
      views: [
        { use: all(choose('Golden config', berths.id), choose('Version', 'initial'), list('logging')) },
      ],
    },
    '/campaigns/$campaignId': {
      path: `/campaigns/${harbour.campaignId}`,
      views: [{ use: press(/^proposed/, 'link') }],
    },
    '/devices': {
      path: '/devices',
      views: [
        { use: all(choose('Field of the filter', 'ostype'), choose('Origin', { index: 1 }), list('cisco')) },
      ],
    },
    '/devices/$name': {
      path: '/devices/quay-1',
      views: [
        {
          use: all(press('Backups', 'link'), (page) =>
            main(page).getByRole('table', { name: 'Backups' }).locator('tbody button').first().click(),
          ),
        },
        {
          use: async (page) => {
            await press('Backups', 'link')(page);
            for (const row of [1, 2]) await main(page).getByLabel(`Select row ${row}`).check();
            await press('Compare')(page);
            await press('Swap sides')(page);
          },
        },
        {
          use: all(press('Jobs', 'link'), choose('Variable of the job that names the device', 'deviceName')),
        },
        { use: all(press('Commands', 'link'), list('')) },
      ],
    },
    '/device-groups/$groupId': { path: `/device-groups/${harbour.groupId}` },
    '/inventory/sources/$sourceId': { path: '/inventory/sources/none', views: [] },
    '/backups': {
      path: '/backups',
      views: [
        {
          use: all(
            press('Search', 'link'),
            fill('Search for', 'HOST.*'),
            choose('As', 'regex'),
            fill('Platforms', 'cisco-ios, arista-eos'),
            (page) => main(page).getByLabel('Ignore case').check(),
            (page) => main(page).getByLabel('Older backups as well').check(),
            press('Search'),
          ),
        },
      ],
    },
    '/backups/runs/$runId': { path: '/backups/runs/none', views: [] },
    '/commands': {
      path: '/commands',
      views: [
        {
          use: async (page) => {
            await fill('Name contains', 'quay')(page);
            await fill('Platform contains', 'cisco')(page);
            await choose('Group', { label: 'Quays (1)' })(page);
            await fill('One device by name', 'pier-9')(page);
            await press('Add device')(page);
            await main(page).getByLabel('quay-2').uncheck();
          },
        },
        {
          use: async (page) => {
            await press('Select by properties')(page);
            const dialog = page.getByRole('dialog');
            await dialog.getByLabel('Name pattern').fill('quay-*');
            await dialog.getByRole('button', { name: 'Select 3 devices' }).click();
            await dialog.waitFor({ state: 'detached' });
          },
        },
        { use: all(press('Gateway history', 'link'), list('quay')) },
      ],
    },
    '/trees/$treeId': {
      path: `/trees/${berths.id}`,
      views: [
        {
          use: all(
            choose('Version', 'initial'),
            choose('What changed since', 'v2'),
            press(/^north/, 'link'),
            press('Rules', 'link'),
          ),
        },
        {
          use: async (page) => {
            await press('Add platform')(page);
            const dialog = page.getByRole('dialog');
            await dialog.getByLabel('Platform').selectOption('arista-eos');
            await dialog.getByRole('button', { name: 'Write its rules' }).click();
            await dialog.waitFor({ state: 'detached' });
            await choose('Backup', String(backups[0]?.id))(page);
          },
        },
      ],
    },
    '/automations': {
      path: '/automations',
      views: [
        { use: list('vis') },
        { use: all(press('Triggers', 'link'), choose('Type', 'manual'), list('hand')) },
      ],
    },
    '/integrations/$name': { path: '/integrations/sites' },
    '/integration-models/$name': { path: '/integration-models/Sites:1.0' },
    '/workflows/$workflowId': {
      path: `/workflows/${workflow._id}`,
      views: [
        {
          use: all(press('Graph', 'link'), (page) =>
            main(page).getByRole('group', { name: 'Task b: Visit one' }).click(),
          ),
        },
      ],
    },
    '/admin/profiles/$profileId': {
      path: `/admin/profiles/${profile?.metadata ? profile.profile.id : ''}`,
      views: [{ use: press('Difference to the active one', 'link') }],
    },
    '/admin/audit': {
      path: '/admin/audit',
      views: [
        {
          use: all(
            fill('Account', 'admin'),
            fill('Id of a token, session or job', 'none'),
            choose('Outcome', 'ok'),
            choose('Time', 'ever'),
          ),
        },
        { use: list('create') },
      ],
    },
    '/admin/git/$remoteId': { path: '/admin/git/none', views: [] },
    '/admin/git-runs/$runId': { path: '/admin/git-runs/none', views: [] },
    '/admin/notifications': {
      path: '/admin/notifications',
      views: [
        { use: list('desk') },
        { use: all(press('Channels', 'link'), list('desk')) },
        {
          use: all(
            press('Deliveries', 'link'),
            choose('State', 'dead'),
            choose('Channel', { label: 'Desk' }),
          ),
        },
      ],
    },
    '/admin/secrets': {
      path: '/admin/secrets',
      views: [{ use: list('var') }, { use: press('Uses', 'link') }],
    },
    '/admin/sign-in/$providerId': { path: '/admin/sign-in/none', views: [] },
  };

  const page = await signIn(person, '/account');
  const state = await page.context().storageState();

  const named = await searchParameters();
  const routes = [...named].filter(([, names]) => names.length > 0).map(([route]) => route);

  test.each(routes)(
    '%s shows the same after a reload, at a shared address, and after going back and forward',
    async (route) => {
      const { path, views = [{ use: list('e') }], elsewhere = [] } = PAGES[route] ?? { path: route };
      expect(path, 'the table needs the path of an object').not.toContain('$');
      const held = new Set(elsewhere);
      const offered = new Set<string>();
      for (const { from = '', use } of views) {
        await page.goto(`/console${path}${from}`);
        await main(page).getByRole('heading', { level: 1 }).waitFor();
        await main(page).locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
        const look = async () => {
          if ((await filterOf(page).count()) > 0) offered.add('q');
          if ((await sortsOf(page).count()) > 0) offered.add('sort');
        };
        await look();
        await use(page);
        await look();
        // What is typed reaches the address a moment later, and a page may complete it.
        const other = await (await newContext({ state })).newPage();
        await expect
          .poll(
            async () => {
              const address = page.url();
              if (other.url() !== address) await other.goto(address);
              return [
                ...differences(await pictureOf(page), await pictureOf(other)),
                ...(page.url() === address ? [] : [page.url()]),
              ];
            },
            { timeout: 30_000, message: 'the page, and the same address in another window' },
          )
          .toEqual([]);
        const address = page.url();
        const expected = await pictureOf(other);
        await other.context().close();
        const isSame = (what: string) =>
          expect
            .poll(async () => differences(expected, await pictureOf(page)), {
              timeout: 30_000,
              message: what,
            })
            .toEqual([]);
        await page.reload();
        await isSame('after a reload');
        await page.evaluate(`history.pushState({}, '', '/console/account')`);
        await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
        await page.goBack();
        await isSame('after going back');
        await page.goForward();
        await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
        await page.goBack();
        await isSame('after going forward and back');
        expect(page.url()).toBe(address);
        for (const name of parametersOf(page)) held.add(name);
      }
      const isOffered = (name: string) => (name !== 'q' && name !== 'sort') || offered.has(name);
      const missing = named.get(route)?.filter((name) => isOffered(name) && !held.has(name));
      expect(missing, 'parameters that no view of the table has').toEqual([]);
    },
  );
});
