import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, loseSession, openConsole } from '../helpers/console/browser.ts';
import { openChromium } from '../helpers/console/chromium.ts';
import { createPerson } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';

const signInWithin = async (
  place: Page | ReturnType<Page['getByRole']>,
  username: string,
  password: string,
) => {
  await place.getByLabel('Username').fill(username);
  await place.getByLabel('Password').fill(password);
  await place.getByRole('button', { name: 'Sign in', exact: true }).click();
};

const isLive = (page: Page) => page.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();

describeInBrowser('several tabs of one browser', async () => {
  const service = await openService();
  const { newContext, signIn } = await openConsole(service);

  test('a tab never acts for an account that signed in in another one without saying so', async () => {
    const [first, second] = [await createPerson(service, ['admin']), await createPerson(service, ['admin'])];
    const context = await newContext();
    const stays = await signIn(first, '/jobs', context);
    await stays.getByRole('searchbox', { name: 'Filter' }).fill('half a name');
    const changes = await context.newPage();
    await changes.goto('/console/devices');
    await changes.locator('header').getByRole('button', { name: first.username }).click();
    await changes.getByRole('menuitem', { name: 'Sign out' }).click();
    await changes.getByLabel('Username').waitFor();
    await stays.getByRole('dialog', { name: 'Your session has ended' }).waitFor();

    await signInWithin(changes, second.username, second.password);
    const dialog = stays.getByRole('dialog', { name: 'Another account is signed in' });
    await dialog.getByText(second.username).first().waitFor();
    await stays.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);

    // The first account signs in again in the other tab: the page continues with what was typed.
    await changes.locator('header').getByRole('button', { name: second.username }).click();
    await changes.getByRole('menuitem', { name: 'Sign out' }).click();
    await signInWithin(changes, first.username, first.password);
    await dialog.waitFor({ state: 'detached' });
    expect(await stays.getByRole('searchbox', { name: 'Filter' }).inputValue()).toBe('half a name');
    await isLive(stays);
  });

  test('a page that another account opens after its session ended begins again for it', async () => {
    const [first, second] = [await createPerson(service, ['admin']), await createPerson(service, [])];
    const page = await signIn(first, '/jobs');
    const filter = page.getByRole('searchbox', { name: 'Filter' });
    const dialog = await loseSession(page, (options) => filter.fill('x', options));
    await signInWithin(dialog, second.username, second.password);
    await page.locator('header').getByRole('button', { name: second.username }).waitFor();
    expect(await page.getByRole('link', { name: 'Devices' }).count()).toBe(0);
  });

  test('views that two tabs save are all kept', async () => {
    const person = await createPerson(service, ['admin']);
    const context = await newContext();
    const first = await signIn(person, '/jobs', context);
    const second = await context.newPage();
    await second.goto('/console/jobs');
    await second.getByRole('button', { name: 'Save view' }).waitFor();
    for (const [page, name] of [
      [first, 'quay'],
      [second, 'pier'],
      [first, 'mole'],
    ] as const) {
      await page.getByRole('searchbox', { name: 'Filter' }).fill(name);
      await page.waitForURL(new RegExp(`q=${name}`));
      await page.getByRole('button', { name: 'Save view' }).click();
      const dialog = page.getByRole('dialog', { name: 'Save view' });
      await dialog.getByLabel('Name of the view').fill(name);
      await dialog.getByRole('button', { name: 'Save view' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    await second.reload();
    const views = second.getByLabel('Saved views').locator('option');
    await expect.poll(() => views.allInnerTexts()).toEqual(['Saved views', 'quay', 'pier', 'mole']);

    // The toolbar has one row, also with a view that is chosen.
    await second.setViewportSize({ width: 1440, height: 900 });
    await second.getByLabel('Saved views').selectOption('pier');
    await second.getByRole('button', { name: 'Delete view' }).waitFor();
    const filter = await second.getByRole('searchbox', { name: 'Filter' }).boundingBox();
    const toolbar = await second.locator('main search.toolbar').boundingBox();
    expect(toolbar?.height).toBeLessThan(2 * (filter?.height ?? 0));
  });

  test('a button that is pressed several times at once sends its form once', async () => {
    const page = await signIn(await createPerson(service, ['admin']), '/account');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('nightly');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: 'Create token' })
      .evaluate((button) => {
        for (let press = 0; press < 3; press++) (button as unknown as { click: () => void }).click();
      });
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.reload();
    await page.getByRole('table', { name: 'Personal tokens' }).waitFor();
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'nightly' }).count()).toBe(1);
  });

  test('a button that is disabled by what it started passes the focus to its page', async () => {
    const page = await signIn(await createPerson(service, ['admin']), '/inventory/import');
    await page.getByLabel('Or pasted text').fill('name,host,device_type\nquay-1,192.0.2.11,cisco-ios\n');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByRole('button', { name: 'Import 1 row' }).click();
    await page.getByText('1 row imported').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
  });

  test('the content has the focus when the page has changed and nothing else has it', async () => {
    const page = await signIn(await createPerson(service, ['admin']), '/automations');
    await page.getByRole('link', { name: 'Forms' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Forms' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
  });
});

describeInBrowser(
  'an address that the browser does not trust, without TLS and not of the same machine',
  async () => {
    const service = await openService();
    const opened = await openChromium(() => service.url.replace('127.0.0.1', 'console.test'));

    test('shows the console live in all tabs with one stream, and copies texts', async () => {
      const context = await opened.newContext();
      const streams: string[] = [];
      context.on('request', (request) => {
        if (new URL(request.url()).pathname === '/events') streams.push(request.url());
      });
      const { username, password } = await createPerson(service, ['admin']);
      const first = await context.newPage();
      await first.goto('/console/jobs');
      await signInWithin(first, username, password);
      await first.getByRole('navigation', { name: 'Main' }).waitFor();
      expect(await first.evaluate('isSecureContext')).toBe(false);
      await isLive(first);
      const others: Page[] = [];
      for (let tab = 0; tab < 7; tab++) {
        const page = await context.newPage();
        await page.goto('/console/account');
        others.push(page);
      }
      await Promise.all(others.map(isLive));
      expect(streams).toHaveLength(1);

      // The tab with the stream closes, and another one continues it.
      await first.close();
      await expect.poll(() => streams.length).toBe(2);
      const [page] = others as [Page];
      await Promise.all(others.map(isLive));

      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('nightly');
      await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
      const token = await page.locator('.secret').textContent();
      await page.getByRole('button', { name: 'Copy token' }).click();
      await page.getByText('Copied the token').waitFor();
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await page.keyboard.press('Control+k');
      const field = page.getByRole('combobox', { name: 'Search pages and documents' });
      await field.press('Control+v');
      expect(await field.inputValue()).toBe(token);
      await opened.browser.close();
      expect(opened.faults).toEqual([]);
    });
  },
);
