import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { openHarbour } from '../../helpers/console/harbour.ts';
import { allScreens, openScreen } from '../../helpers/console/screens.ts';
import { searchParameters } from '../../helpers/console/search-parameters.ts';
import { createPerson } from '../../helpers/people.ts';
import { pagesOf } from './pages.ts';
import { LATE_ANSWERS, movedOn } from './shifts.ts';
import { filterOf, list, main, sortsOf } from './use.ts';

/** What differs from one moment to the next: what was said last, times before now, durations, and the id of a request that failed. */
const PASSING = [
  / *- status "Outcome of the filters".*\n/g,
  /\b(?:in )?\d+ (?:day|hr|min|sec|ms|s|h)s?\b\.?(?: \d+ (?:s|min)\b)?(?: ago)?/g,
  /\b(?:now|yesterday|tomorrow)\b/g,
  /(?<=Request )[\w-]+/g,
];

/** How often two pages are compared, in milliseconds: a picture of both takes tens of milliseconds of CPU time. */
const POLL = { interval: 250, timeout: 30_000 };

/** The picture of a page whose data has not arrived. */
const LOADS = 'the page still loads';

/** The page as a screen reader has it, with the values of its fields; two pages that still load are not the same. */
async function pictureOf(page: Page): Promise<string> {
  if ((await main(page).locator('[aria-busy="true"]').count()) > 0) return LOADS;
  const text = await main(page).ariaSnapshot();
  return PASSING.reduce((all, passing) => all.replaceAll(passing, '…'), text);
}

/** The lines of either picture that the other lacks. */
function differences(one: string, other: string): string[] {
  if (one === LOADS || other === LOADS) return [LOADS];
  const [left, right] = [one.split('\n'), other.split('\n')];
  return [
    ...left.filter((line) => !right.includes(line)).map((line) => `- ${line}`),
    ...right.filter((line) => !left.includes(line)).map((line) => `+ ${line}`),
  ];
}

const parametersOf = (page: Page): string[] => [...new URL(page.url()).searchParams.keys()];

describeInBrowser('the address of every screen', async () => {
  const harbour = await openHarbour();
  const { service } = harbour;
  const { newContext, signIn } = await openConsole(service);

  const { pages, objects, groupId } = await pagesOf(harbour);
  const person = await createPerson(service, ['admin'], { memberOf: [{ groupId }] });
  const page = await signIn(person, '/account');
  // Another browser of the same person: what a page of an earlier address stored is gone when the next one is opened.
  const others = await newContext({ state: await page.context().storageState() });
  // An empty page has no storage, and refuses to be asked for it.
  await others.addInitScript(
    `if (location.protocol !== 'about:') { localStorage.clear(); sessionStorage.clear(); }`,
  );
  const other = await others.newPage();

  const slow = await newContext({ state: await page.context().storageState() });
  await slow.addInitScript(LATE_ANSWERS);
  const latePage = await slow.newPage();
  await latePage.goto('/console/account');
  await latePage.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();

  test.each((await allScreens()).map(({ route }) => [pages[route]?.path ?? objects[route] ?? route]))(
    '%s leaves its controls where they are as its parts arrive, in whatever order',
    async (path) => {
      expect(path, 'the tables need the path of an object').not.toContain('$');
      for (const order of [0, 1]) {
        const moved = await movedOn(latePage, () => openScreen(latePage, path), order);
        expect(moved, `order ${order}`).toEqual([]);
      }
    },
  );

  test('the code of an editor that arrives late leaves the controls below it where they are', async () => {
    const cold = await newContext({ state: await page.context().storageState() });
    await cold.addInitScript(LATE_ANSWERS);
    await cold.route('**/assets/code-mirror*.js', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 3500));
      await route.continue();
    });
    const opened = await cold.newPage();
    const moved = opened
      .goto('/console/integrations/sites')
      .then(() => movedOn(opened, async () => undefined, 0));
    // Later than the time for which the page lets its lower parts wait for upper ones.
    await opened.locator('main .code-waiting').waitFor();
    expect(await moved).toEqual([]);
    await opened.locator('main .cm-content').waitFor();
  });

  const named = await searchParameters();
  const routes = [...named].filter(([, names]) => names.length > 0).map(([route]) => route);

  test.each(routes)(
    '%s shows the same at a shared address, opened without what the first page stored, and after going back and forward',
    async (route) => {
      const { path, views = [{ use: list('e') }], elsewhere = [] } = pages[route] ?? { path: route };
      expect(path, 'the table needs the path of an object').not.toContain('$');
      const held = new Set(elsewhere);
      const offered = new Set<string>();
      for (const { from = '', use } of views) {
        await openScreen(page, `${path}${from}`);
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
        let expected = LOADS;
        let last = '';
        let loaded = '';
        await expect
          .poll(
            async () => {
              const address = page.url();
              if (address !== last) {
                last = address;
                return ['the address changes still'];
              }
              if (address !== loaded) await other.goto(address);
              loaded = address;
              expected = await pictureOf(other);
              return [
                ...differences(await pictureOf(page), expected),
                ...(page.url() === address ? [] : [page.url()]),
              ];
            },
            { ...POLL, message: 'the page, and the same address in another window' },
          )
          .toEqual([]);
        const address = page.url();
        await page.evaluate(`history.pushState({}, '', '/console/account')`);
        await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
        await page.goBack();
        await page.goForward();
        await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
        await page.goBack();
        await expect
          .poll(async () => differences(expected, await pictureOf(page)), {
            ...POLL,
            message: 'after going back, forward and back',
          })
          .toEqual([]);
        expect(page.url()).toBe(address);
        for (const name of parametersOf(page)) held.add(name);
      }
      const isOffered = (name: string) => (name !== 'q' && name !== 'sort') || offered.has(name);
      const missing = named.get(route)?.filter((name) => isOffered(name) && !held.has(name));
      expect(missing, 'parameters that no view of the table has').toEqual([]);
    },
  );
});
